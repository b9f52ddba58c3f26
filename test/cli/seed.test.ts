import { expect, it } from 'vitest';
import { chooseSeed } from '../../cli/run-flags.js';

const shard = { index: 2, of: 3 };

it('a given seed is used as it is, with a run id and in shards too', () => {
  expect(chooseSeed({ seed: 7 })).toBe(7);
  expect(chooseSeed({ seed: 7, runId: 'a', shard })).toBe(7);
});

it('one run id gives every shard the same seed, and another run id gives another', () => {
  const seeds = ['16874629171', '16874629172', 'nightly'].map((runId) => chooseSeed({ runId, shard }));
  expect(new Set(seeds).size).toBe(3);
  for (const seed of seeds) expect(seed).toBeLessThan(2 ** 31);
  expect(chooseSeed({ runId: 'nightly' })).toBe(seeds[2]);
});

it('an unsplit run draws a random seed', () => {
  expect(new Set(Array.from({ length: 5 }, () => chooseSeed({}))).size).toBeGreaterThan(1);
});
