import { describe, expect, it } from 'vitest';
import { Pace } from '../../targets/pace.js';

/** When each turn came, in milliseconds after the first was asked for. */
async function turns(pace: Pace, count: number): Promise<readonly number[]> {
  const start = performance.now();
  const come: number[] = [];
  const one = async () => {
    await pace.turn();
    come.push(performance.now() - start);
  };
  await Promise.all(Array.from({ length: count }, one));
  return come;
}

// A timer may fire a little early, and late by as much as the machine is busy.
const early = 2;

describe('a rate', () => {
  it('spreads turns evenly, those that are asked for at once too', async () => {
    const come = await turns(new Pace(50), 11);
    for (const [at, ms] of come.entries()) expect(ms).toBeGreaterThanOrEqual(at * 20 - early);
    expect(come.at(-1)).toBeLessThan(1_000);
  });

  it('saves nothing up: after a rest there is no burst', async () => {
    const pace = new Pace(50);
    await pace.turn();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const come = await turns(pace, 4);
    expect(come.at(-1)).toBeGreaterThanOrEqual(60 - early);
  });

  it('may be less than one a second', async () => {
    const come = await turns(new Pace(4), 2);
    expect(come[1]).toBeGreaterThanOrEqual(250 - early);
  });

  it('is none where none is given', async () => {
    const come = await turns(new Pace(), 500);
    expect(come.at(-1)).toBeLessThan(150);
  });
});

describe('a rate that changes', () => {
  it('holds for turns that wait already', async () => {
    const pace = new Pace(2);
    const come = turns(pace, 4);
    await new Promise((resolve) => setTimeout(resolve, 20));
    pace.rate = 100;
    expect((await come).at(-1)).toBeLessThan(1_200);
  });

  it('ends with the signal for every turn that waits', async () => {
    const pace = new Pace(0.01);
    await pace.turn();
    const start = performance.now();
    const waiting = Array.from({ length: 3 }, () => pace.turn(AbortSignal.timeout(30)));
    for (const turn of waiting) await expect(turn).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});
