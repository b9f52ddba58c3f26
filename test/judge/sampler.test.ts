import { describe, expect, it } from 'vitest';
import type { Depth } from '../../judge/plan.js';
import { samplers } from '../../judge/sampler.js';
import type { RequirementId } from '../../spec/ledger.js';

const subject = 'secret-name.identity';
const list = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function taken(seed: number, depth: Depth = 'quick', of: RequirementId = subject): readonly string[] {
  return samplers(of, { seed, depth }).few(list);
}

const seeds = Array.from({ length: 300 }, (_, seed) => seed * 7_919);

describe('few', () => {
  it('is the first and one more, at every depth', () => {
    for (const depth of ['quick', 'standard', 'deep'] as const) {
      for (const seed of seeds.slice(0, 30)) {
        const few = taken(seed, depth);
        expect([few.length, few[0]]).toEqual([2, 'a']);
      }
    }
  });

  it('is the same for the same seed, and comes to every other in time', () => {
    for (const seed of seeds.slice(0, 30)) expect(taken(seed)).toEqual(taken(seed));
    expect(new Set(seeds.map((seed) => taken(seed)[1]))).toEqual(new Set(list.slice(1)));
  });

  it('is another for another check, and for the next list of the same check', () => {
    const others = seeds.filter(
      (seed) => taken(seed)[1] !== taken(seed, 'quick', 'vault-delete.400.intern-id')[1],
    );
    expect(others.length).toBeGreaterThan(100);
    const next = seeds.filter((seed) => {
      const { few } = samplers(subject, { seed, depth: 'quick' });
      const [one, other] = [few(list), few(list)];
      return one[1] !== other[1];
    });
    expect(next.length).toBeGreaterThan(100);
  });

  it.each([[[]], [['a']], [['a', 'b']]])('of a short list is the whole: %j', (short) => {
    for (const seed of seeds.slice(0, 30))
      expect(samplers(subject, { seed, depth: 'quick' }).few(short)).toEqual(short);
  });
});

describe('some', () => {
  it('is few at depth quick and all at the others', () => {
    const some = (depth: Depth) => samplers(subject, { seed: 1, depth }).some(list);
    expect(some('quick')).toHaveLength(2);
    expect([some('standard'), some('deep')]).toEqual([list, list]);
  });
});
