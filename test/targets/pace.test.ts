import { describe, expect, it, vi } from 'vitest';
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

describe('being asked to wait', () => {
  it('holds back everything, turns that were waiting already too', async () => {
    const pace = new Pace(20);
    const come = turns(pace, 3);
    await new Promise((resolve) => setTimeout(resolve, 10));
    pace.hold(200);
    const [first, ...others] = await come;
    expect(first).toBeLessThan(100);
    expect(Math.min(...others)).toBeGreaterThanOrEqual(200);
  });

  it('takes the longest of several times, never the shorter', async () => {
    const pace = new Pace();
    pace.hold(200);
    pace.hold(10);
    expect((await turns(pace, 3))[0]).toBeGreaterThanOrEqual(200 - 2 * early);
  });

  it('for no time holds nothing back', async () => {
    const pace = new Pace();
    pace.hold(0);
    expect((await turns(pace, 3)).at(-1)).toBeLessThan(100);
  });

  it('for an hour is bounded: ten seconds later the turns come', async () => {
    const pace = new Pace();
    const now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockReturnValue(now);
    pace.hold(3_600_000);
    clock.mockReturnValue(now + 9_000);
    await expect(pace.turn(AbortSignal.timeout(30))).rejects.toThrow();
    clock.mockReturnValue(now + 10_000);
    await expect(pace.turn(AbortSignal.timeout(30))).resolves.toBeUndefined();
    clock.mockRestore();
  });

  it('ends when the signal is aborted', async () => {
    const pace = new Pace();
    pace.hold(5_000);
    const start = performance.now();
    await expect(pace.turn(AbortSignal.timeout(30))).rejects.toThrow();
    expect(performance.now() - start).toBeLessThan(1_000);
  });
});
