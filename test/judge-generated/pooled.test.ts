import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { secretName } from '../../generators/secret-name.js';
import { blockSeed } from '../../judge/generated-cases.js';
import { judge, listFailures } from './generated-run.js';
import { everyName, named, shortNames, wrongFor } from './name-property.js';

const count = 100;

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
async function sequentially(fails: (name: string) => boolean, seed: number): Promise<Found> {
  const details = await fc.check(
    fc.asyncProperty(shortNames, async ({ text }) => !fails(text)),
    { seed: blockSeed(seed, named, 0), numRuns: count },
  );
  return { name: details.counterexample?.[0]?.text, path: `${named}:0:${details.counterexamplePath}` };
}

/** What the engine finds with many cases in flight. */
async function findPooled(
  fails: (name: string) => boolean,
  seed: number,
  concurrency: number,
): Promise<Found> {
  const checks = [everyName({ arbitrary: shortNames, count })];
  const [failure] = listFailures(
    await judge({ behaviour: wrongFor(fails), checks, plan: { seed }, concurrency }),
  );
  const { case: found } = (failure?.counterexample ?? {}) as { readonly case?: { readonly text: string } };
  const path = / --path (\S+)$/.exec(failure?.reproduce.command ?? '')?.[1] ?? null;
  return { name: found?.text, path };
}

describe.each(predicates)('a server that refuses names %s', (_what, fails) => {
  it.each([11, 222])(
    'concurrent cases give the counterexample and path of a sequential run, seed %i',
    async (seed) => {
      const expected = await sequentially(fails, seed);
      expect(expected.name).toSatisfy(fails);
      expect(await findPooled(fails, seed, 16)).toEqual(expected);
      if (seed === 11) expect(await findPooled(fails, seed, 1)).toEqual(expected);
    },
  );
});

it('a case of a later block is replayed by the seed of its block', async () => {
  const late = { seed: blockSeed(5, named, 1), numRuns: 40 };
  const [wanted] = fc.sample(shortNames, late).slice(-1);
  const name = wanted?.text ?? '';
  const checks = [everyName({ arbitrary: shortNames, count: 1_040 })];
  const run = await judge({ behaviour: wrongFor((other) => other === name), checks, plan: { seed: 5 } });
  const [failure] = listFailures(run);
  expect(failure?.counterexample).toMatchObject({ case: { text: name } });
  const place = /:(\d+):(\d+)$/.exec(failure?.reproduce.command ?? '');
  const seed = blockSeed(5, named, Number(place?.[1]));
  expect(fc.sample(shortNames, { seed, path: place?.[2] ?? '', numRuns: 1 })).toMatchObject([{ text: name }]);
});

// A legal name of 255 characters takes some 12,000 tries to become one of 65: shrinking stops long before.
it('a name shrinks within the budget for shrinking', async () => {
  const checks = [everyName({ arbitrary: secretName.valid() })];
  const run = await judge({ behaviour: wrongFor((name) => name.length > 64), checks });
  expect(listFailures(run)[0]?.counterexample).toMatchObject({ case: { text: 'a'.repeat(65) } });
});
