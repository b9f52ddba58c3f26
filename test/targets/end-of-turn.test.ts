import { expect, it } from 'vitest';
import { endOfTurn } from '../../targets/end-of-turn.js';

it('lets go together what was asked for in one turn, once all of the turn is done', async () => {
  const order: string[] = [];
  const first = endOfTurn().then(() => order.push('first'));
  await Promise.resolve().then(() => order.push('what was ready'));
  const second = endOfTurn().then(() => order.push('second'));
  const later = new Promise((resolve) => setImmediate(resolve)).then(() => order.push('the next turn'));
  await Promise.all([first, second, later]);
  expect(order).toEqual(['what was ready', 'first', 'second', 'the next turn']);
});

it('asks anew in the next turn', async () => {
  const first = endOfTurn();
  await first;
  expect(endOfTurn()).not.toBe(first);
});
