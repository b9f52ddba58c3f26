import type { Trial } from './attempt.js';
import { blockSeed, type Plan } from './plan.js';

/**
 * What a check takes of a list of like cases: all of them, or at depth quick, where every request is dear, the first
 * (which lists put where it tells most) and another that the seed picks.
 */
export function sampler({ subject }: Trial, { depth, seed }: Plan): <T>(list: readonly T[]) => readonly T[] {
  if (depth !== 'quick') return (list) => list;
  let asked = 0;
  return (list) => {
    asked += 1;
    const place = 1 + (Math.abs(blockSeed(seed, subject, asked)) % Math.max(1, list.length - 1));
    return list.filter((_, at) => at === 0 || at === place);
  };
}
