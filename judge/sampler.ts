import type { RequirementId } from '../spec/ledger.js';
import { blockSeed, type Plan } from './plan.js';

/** Takes some of a list of like cases. */
type Sampler = <T>(list: readonly T[]) => readonly T[];

/** What a check takes of its lists. */
export interface Samplers {
  /** All of them, or at depth quick, where every request is dear, a few. */
  readonly some: Sampler;
  /** The first (which lists put where it tells most) and another that the seed picks: a property walks them all. */
  readonly few: Sampler;
  /** Whether some list was not taken whole, so that another seed takes another part of it. */
  readonly tookPart: () => boolean;
}

/** The samplers of one attempt: the same for the same seed. */
export function samplers(subject: RequirementId, { depth, seed }: Plan): Samplers {
  let asked = 0;
  let isPart = false;
  const few: Sampler = (list) => {
    asked += 1;
    const place = 1 + (Math.abs(blockSeed(seed, subject, asked)) % Math.max(1, list.length - 1));
    const taken = list.filter((_, at) => at === 0 || at === place);
    isPart ||= taken.length < list.length;
    return taken;
  };
  return { few, some: depth === 'quick' ? few : (list) => list, tookPart: () => isPart };
}
