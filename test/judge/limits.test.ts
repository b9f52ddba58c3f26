import { describe, expect, it } from 'vitest';
import { resolveLimits } from '../../judge/run-limits.js';

const shards = [1, 2, 3].map((index) => ({ index, of: 3 }));

describe('the limits are those of the whole run, and each shard takes its share', () => {
  it('of the requests, which add up', () => {
    const shares = shards.map((shard) =>
      resolveLimits({ depth: 'deep', maxRequests: 1000, shard }, undefined),
    );
    expect(shares.map(({ maxRequests }) => maxRequests)).toEqual([334, 333, 333]);
  });

  it('of the rate and of what is in flight, which is one at least', () => {
    const of = (concurrency: number) =>
      shards.map((shard) => resolveLimits({ depth: 'deep', concurrency, rate: 10, shard }, undefined));
    expect(of(16).map((limits) => limits.concurrency)).toEqual([5, 5, 5]);
    expect(of(2).map((limits) => limits.concurrency)).toEqual([1, 1, 1]);
    expect(of(2)[0]?.rate).toBeCloseTo(10 / 3);
  });

  it('but not of the time, nor of what a depth promises of itself', () => {
    for (const shard of shards) {
      const limits = resolveLimits({ depth: 'quick', maxTime: 9_000, shard }, undefined);
      expect(limits).toMatchObject({ maxTimeMs: 9_000, maxRequests: 500, rate: undefined });
    }
  });

  it('a run that is not split has all of them', () => {
    expect(
      resolveLimits({ depth: 'deep', concurrency: 7, rate: 3, maxRequests: 9 }, undefined),
    ).toMatchObject({
      concurrency: 7,
      rate: 3,
      maxRequests: 9,
    });
  });
});
