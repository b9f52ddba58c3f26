import fc from 'fast-check';
import { expect, it } from 'vitest';
import { blockSeed, generateCases } from '../../judge/generated-cases.js';
import { listFailures } from '../report-rows.js';
import { everyName, judge, named, shortNames, wrongFor } from './generated-run.js';

const count = 60;
const seed = 11;

// None of them concerns the names of the positive controls, which are 17 letters.
const predicates: readonly (readonly [string, (name: string) => boolean])[] = [
  ['that hold a digit', (name) => /\d/.test(name)],
  ['that end in a digit above 4', (name) => /[5-9]$/.test(name)],
  ['with a letter twice beside a digit', (name) => /([a-z])\1\d|\d([a-z])\2/.test(name)],
];

interface Found {
  readonly name: string | undefined;
  readonly path: string | null;
}

/** What fast-check finds by itself, one case after another. */
async function sequentially(fails: (name: string) => boolean): Promise<Found> {
  const details = await fc.check(
    fc.asyncProperty(shortNames, async ({ text }) => !fails(text)),
    { seed: blockSeed(seed, named, 0), numRuns: count },
  );
  return { name: details.counterexample?.[0]?.text, path: `${named}:0:${details.counterexamplePath}` };
}

async function findPooled(fails: (name: string) => boolean): Promise<Found> {
  const checks = [everyName({ arbitrary: shortNames, count })];
  const { report } = await judge({ behaviour: wrongFor(fails), checks, plan: { seed } });
  const [failure] = listFailures(report);
  const { case: found } = (failure?.counterexample ?? {}) as { readonly case?: { readonly text: string } };
  const path = / --path (\S+)$/.exec(failure?.reproduce.command ?? '')?.[1] ?? null;
  return { name: found?.text, path };
}

it.each(predicates)(
  'concurrent cases give the counterexample and path of a sequential run: names %s',
  async (_what, fails) => {
    const expected = await sequentially(fails);
    expect(expected.name).toSatisfy(fails);
    expect(await findPooled(fails)).toEqual(expected);
  },
);

it('a case of a later block is replayed by its path alone', () => {
  const cases = { walk: [], arbitrary: shortNames, classes: [] };
  const plan = { seed: 5, depth: 'standard' } as const;
  const late = [...generateCases(named, cases, plan, 1_040)].at(-1);
  expect(late?.place).toEqual({ property: named, block: 1, path: '39' });
  expect([...generateCases(named, cases, { ...plan, replay: late?.place }, 1)]).toEqual([late]);
});
