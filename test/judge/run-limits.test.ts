import { expect, it } from 'vitest';
import { resolveLimits } from '../../judge/run-limits.js';

const shards = [1, 2, 3].map((index) => ({ index, of: 3 }));

it('the request limits of the shards add up to that of the run', () => {
  const shares = shards.map((shard) => resolveLimits({ depth: 'deep', maxRequests: 1000, shard }, undefined));
  expect(shares.map(({ maxRequests }) => maxRequests)).toEqual([334, 333, 333]);
});

it('each shard gets its share of the rate and the concurrency, at least one', () => {
  const of = (concurrency: number) =>
    shards.map((shard) => resolveLimits({ depth: 'deep', concurrency, rate: 10, shard }, undefined));
  expect(of(16).map((limits) => limits.concurrency)).toEqual([5, 5, 5]);
  expect(of(2).map((limits) => limits.concurrency)).toEqual([1, 1, 1]);
  expect(of(2)[0]?.rate).toBeCloseTo(10 / 3);
});

it('each shard keeps the whole deadline and the request limit of its depth', () => {
  for (const shard of shards) {
    const limits = resolveLimits({ depth: 'quick', maxTime: 9_000, shard }, undefined);
    expect(limits).toMatchObject({ maxTimeMs: 9_000, maxRequests: 500, rate: undefined });
  }
});
