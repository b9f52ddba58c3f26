import fc from 'fast-check';
import { blockSeed, depths, type Plan, type ReplayedCase } from './plan.js';

/** A generated case, and where it stands. */
export interface PlacedCase<Case> {
  readonly value: Case;
  readonly place: ReplayedCase;
}

/** What a property draws from. */
export interface Cases<Case> {
  /** A space so small that it is walked: every one of them is sent beyond the opening. */
  readonly walk: readonly Case[];
  readonly arbitrary: fc.Arbitrary<Case>;
  /** The classes of which each must be sent beyond the opening. */
  readonly classes: readonly string[];
}

// Large enough to cost nothing, small enough to hold in memory.
const blockSize = 1_000;

/** The cases of a property in their order, drawn block by block and never held all at once. */
export function* placedCases<Case>(
  property: string,
  cases: Cases<Case>,
  plan: Plan,
  count: number,
): Generator<PlacedCase<Case>> {
  if (plan.replay !== undefined) {
    yield* replayed(cases, plan.seed, plan.replay);
    return;
  }
  if (depths[plan.depth].goesBeyondOpening) {
    for (const [at, value] of cases.walk.entries())
      yield { value, place: { property, block: 'walk', path: String(at) } };
  }
  for (let block = 0; block * blockSize < count; block++) {
    const seed = blockSeed(plan.seed, property, block);
    const numRuns = Math.min(blockSize, count - block * blockSize);
    for (const [at, value] of fc.sample(cases.arbitrary, { seed, numRuns }).entries()) {
      yield { value, place: { property, block, path: String(at) } };
    }
  }
}

function* replayed<Case>(
  { walk, arbitrary }: Cases<Case>,
  seed: number,
  place: ReplayedCase,
): Generator<PlacedCase<Case>> {
  const values =
    place.block === 'walk'
      ? walk.slice(Number(place.path), Number(place.path) + 1)
      : fc.sample(arbitrary, {
          seed: blockSeed(seed, place.property, place.block),
          path: place.path,
          numRuns: 1,
        });
  for (const value of values) yield { value, place };
}

/** The smallest case that still fails, as a sequential fast-check run would find it from the same seed. */
export async function shrunk<Case>(
  failing: PlacedCase<Case>,
  { arbitrary }: Cases<Case>,
  seed: number,
  fails: (value: Case) => Promise<boolean>,
): Promise<PlacedCase<Case>> {
  const { property, block, path } = failing.place;
  if (block === 'walk') return failing;
  const details = await fc.check(
    fc.asyncProperty(arbitrary, async (value) => !(await fails(value))),
    { seed: blockSeed(seed, property, block), path, numRuns: 1 },
  );
  const value = details.counterexample?.[0];
  if (value === undefined || details.counterexamplePath === null) return failing;
  return { value, place: { property, block, path: details.counterexamplePath } };
}
