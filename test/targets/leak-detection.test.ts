import { expect, it } from 'vitest';
import type { Answer } from '../../targets/exchange.js';
import { Canaries, type Leak } from '../../targets/leak-detection.js';
import { sampleAnswer } from '../judge/samples.js';

const canaries = new Canaries();
const value = canaries.next();

const answer = (text: string) => sampleAnswer({ status: 500, text });

// The redactor, which searches, has tests of every way to write a value.
it.each<readonly [where: string, leak: Leak, Partial<Answer>]>([
  ['a body', 'body', { text: `{"error":{"message":"no ${value}!"}}` }],
  ['a body that holds its first half', 'body', { text: value.slice(0, Math.ceil(value.length / 2)) }],
  ['a body that holds its second half', 'body', { text: value.slice(-Math.ceil(value.length / 2)) }],
  ['the value of a header', 'header', { headers: [['X-Debug', `v=${value.toUpperCase()};`]] }],
  ['the name of a header', 'header', { headers: [[`x-${value}`, '1']] }],
  ['a trailer', 'header', { trailers: [['X-Debug', value]] }],
  ['the reason phrase', 'reason-phrase', { reasonPhrase: value }],
])('leak detection finds a stored value in %s', (_where, leak, held) => {
  expect(canaries.leak({ ...answer(''), ...held })).toBe(leak);
});

it('leak detection finds every value of a run, and no two values are the same', () => {
  const values = Array.from({ length: 50 }, () => canaries.next());
  expect(new Set(values).size).toBe(50);
  expect(values.every((one) => canaries.leak(answer(one)) === 'body')).toBe(true);
});

it('leak detection ignores a value of another run', () => {
  const other = new Canaries();
  expect(canaries.leak(answer(other.next()))).toBeUndefined();
  expect(other.leak(answer(value))).toBeUndefined();
});
