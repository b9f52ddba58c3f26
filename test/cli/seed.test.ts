import { expect, it } from 'vitest';
import { chooseSeed } from '../../cli/run-flags.js';
import { UsageError } from '../../spec/thrown.js';

const shard = { index: 2, of: 3 };

it('a seed is taken as given, with a run id and in shards too', () => {
  expect(chooseSeed({ seed: 7 })).toBe(7);
  expect(chooseSeed({ seed: 7, runId: 'a', shard })).toBe(7);
});

it('a run id gives every shard the same seed, and other runs others', () => {
  const seeds = ['16874629171', '16874629172', 'nightly'].map((runId) => chooseSeed({ runId, shard }));
  expect(new Set(seeds).size).toBe(3);
  for (const seed of seeds) expect(seed).toBeLessThan(2 ** 31);
  expect(chooseSeed({ runId: 'nightly' })).toBe(seeds[2]);
});

it('a run that is not split draws one', () => {
  expect(new Set(Array.from({ length: 5 }, () => chooseSeed({}))).size).toBeGreaterThan(1);
});

it('shards would each draw another: they are refused', () => {
  expect(() => chooseSeed({ shard })).toThrow(UsageError);
});
