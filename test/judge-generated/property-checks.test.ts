import fc from 'fast-check';
import { expect, it } from 'vitest';
import { makeValidName, secretName } from '../../generators/secret-name.js';
import type { Check } from '../../judge/check.js';
import { blockSeed, generateCases } from '../../judge/generated-cases.js';
import { mergeReports } from '../../judge/merge-reports.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import type { Report } from '../../spec/report.js';
import { situationProperties } from '../../suites/generated/situations.js';
import { nameProperties } from '../../suites/secret-name.js';
import { makeEnvelope } from '../behaviours.js';
import { findRow, listFailures } from '../report-rows.js';
import {
  everyName,
  generatedChecks,
  isCase,
  judge,
  listFailed,
  named,
  shortNames,
  wrongFor,
} from './generated-run.js';

const letters = fc.constantFrom('abc', 'abcd').map(makeValidName);
const walking = everyName({ arbitrary: letters, walk: ['k8s'], count: 20 });

it('the walk also counts as a case of a class', async () => {
  const { record, report } = await judge({ checks: [walking] });
  expect(record.faults).toEqual([]);
  expect(report.checks[0]?.classes).toEqual({ letters: 20, digits: 1 });
});

it('every property of the suite sends as many cases as asked for, and reports their number by class', async () => {
  const { record } = await judge({ plan: { seed: 12, cases: 8, depth: 'quick' } });
  for (const { check: sent, cases, classes = {} } of record.judgements) {
    const sum = Object.values(classes).reduce((total, count) => total + count, 0);
    expect([sent.id, sum]).toEqual([sent.id, cases]);
    // Those are only walked, or sent at depth deep alone.
    if (
      !/\/(?:every-world|legal-signs|state|vault-triples|refused-again-[-a-z]+|minute-(?:ends|goes-on))$/.test(
        sent.id,
      )
    )
      expect([sent.id, cases]).toEqual([sent.id, 8]);
  }
});

const count = 100;

async function listStarts(seed: number, concurrency: number): Promise<readonly string[]> {
  const names: string[] = [];
  const check = everyName({ count, onStart: (name) => names.push(name) });
  await judge({ checks: [check], plan: { seed }, concurrency });
  return names;
}

const seed = 2;
const drawn = fc
  .sample(secretName.valid(), { seed: blockSeed(seed, named, 0), numRuns: count })
  .map(({ text }) => text);

it('cases start in the drawn order without concurrency, and near it with many in flight', async () => {
  expect(await listStarts(seed, 1)).toEqual(drawn);
  const concurrency = 8;
  const names = await listStarts(seed, concurrency);
  expect(names.toSorted()).toEqual(drawn.toSorted());
  // A case that must wait for a fresh world starts after some that were drawn later.
  const furthest = Math.max(...names.map((name, at) => nearest(drawn, name, at)));
  expect(furthest).toBeLessThanOrEqual(8 * concurrency);
});

/** Returns the distance of a name from its place in the drawn order; some short names are drawn more than once. */
function nearest(drawn: readonly string[], name: string, at: number): number {
  return Math.min(...drawn.flatMap((other, place) => (other === name ? [Math.abs(place - at)] : [])));
}

/** What arrives at the server: of each vault delete the name and the query, those of the positive controls aside. */
async function listArrivals(seed: number, concurrency: number): Promise<readonly string[]> {
  const seen: string[] = [];
  const answer: Behaviour['answer'] = (given, call) => {
    const [, name] = /\/secrets\/(.*)$/.exec(call.path) ?? [];
    if (isCase(call)) seen.push(`${name} ${call.headers.host?.replace(/^(localhost):\d+$/i, '$1')}`);
    return given;
  };
  await judge({
    checks: situationProperties.slice(0, 1),
    behaviour: { answer },
    plan: { seed, cases: 40, depth: 'quick' },
    concurrency,
  });
  return seen;
}

// What happens on the wire between workers is not in anyone's hands: with several, the multiset is compared.
it('one seed sends the same requests at every concurrency, and another seed sends others', async () => {
  const one = await listArrivals(7, 1);
  // A method other than DELETE is no vault delete.
  expect(one.length).toBeGreaterThan(25);
  const sorted = one.toSorted();
  expect((await listArrivals(7, 16)).toSorted()).toEqual(sorted);
  expect((await listArrivals(8, 16)).toSorted()).not.toEqual(sorted);
});

const pooledCount = 60;
const pooledSeed = 11;

// None of them concerns the names of the positive controls, which are 17 letters.
const predicates: readonly (readonly [string, (name: string) => boolean])[] = [
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
    { seed: blockSeed(pooledSeed, named, 0), numRuns: pooledCount },
  );
  return { name: details.counterexample?.[0]?.text, path: `${named}:0:${details.counterexamplePath}` };
}

async function findPooled(fails: (name: string) => boolean): Promise<Found> {
  const checks = [everyName({ arbitrary: shortNames, count: pooledCount })];
  const { report } = await judge({ behaviour: wrongFor(fails), checks, plan: { seed: pooledSeed } });
  const [failure] = listFailures(report);
  const { case: found } = (failure?.counterexample ?? {}) as { readonly case?: { readonly text: string } };
  const path = / --path (\S+)$/.exec(failure?.reproduce.command ?? '')?.[1] ?? null;
  return { name: found?.text, path };
}

it.each(predicates)('concurrent cases find what a sequential run does: names %s', async (_what, fails) => {
  const expected = await sequentially(fails);
  expect(expected.name).toSatisfy(fails);
  expect(await findPooled(fails)).toEqual(expected);
});

it('a case of a later block is replayed by its path alone', () => {
  const cases = { walk: [], arbitrary: shortNames, classes: [] };
  const plan = { seed: 5, depth: 'standard' } as const;
  const late = [...generateCases(named, cases, plan, 1_040)].at(-1);
  expect(late?.place).toEqual({ property: named, block: 1, path: '39' });
  expect([...generateCases(named, cases, { ...plan, replay: late?.place }, 1)]).toEqual([late]);
});

async function judgeShards(checks: readonly Check[], options: Parameters<typeof judge>[0], of = 3) {
  const shards = [];
  for (let index = 1; index <= of; index++)
    shards.push((await judge({ ...options, checks, shard: { index, of } })).report);
  return {
    shards,
    merged: mergeReports(
      shards,
      checks.map(({ id }) => id),
    ),
  };
}

it('shards divide the cases of a large check, each once, and together send those of one run', async () => {
  const sent: string[] = [];
  const check = everyName({ count: 60, onStart: (name) => sent.push(name) });
  await judge({ checks: [check] });
  const whole = sent.splice(0);
  const { shards, merged } = await judgeShards([check], {});
  expect(sent.toSorted()).toEqual(whole.toSorted());
  expect(shards.map(({ checks: [one] }) => one?.cases)).toEqual([20, 20, 20]);
  expect(merged.checks[0]?.cases).toBe(60);
  expect(merged.requirements.find(({ id }) => id === 'secret-name.accepts.words')?.status).toBe('pass');
});

it('combinations of a divided check add up to those of one run', async () => {
  const checks = generatedChecks.filter((check) => check.property === 'key-pairs');
  const { report } = await judge({ checks });
  const { merged } = await judgeShards(checks, {});
  expect(merged.checks[0]?.coverage).toEqual(report.checks[0]?.coverage);
  expect(merged.checks[0]?.cases).toBe(report.checks[0]?.cases);
});

it('a case that fails in one shard fails the run, with the path that it has in a run that is not split', async () => {
  const names = new Set<string>();
  const check = everyName({ count: 9, onStart: (name) => names.add(name) });
  await judge({ checks: [check] });
  const [wrong] = [...names].slice(4);
  const options = { behaviour: wrongFor((name) => name === wrong) };
  const { shards, merged } = await judgeShards([check], options);
  expect(shards.map(({ gate }) => gate.exit_code).filter((code) => code === 1)).toHaveLength(1);
  expect(merged.gate.exit_code).toBe(1);
  const { report } = await judge({ checks: [check], ...options });
  const makeWorldPath = ({ checks: [one] }: Report) => one?.failure?.reproduce?.origin?.path;
  expect(makeWorldPath(merged)).toMatch(/^every-name:0:/);
  expect(makeWorldPath(merged)).toBe(makeWorldPath(report));
});

const invalidNames = nameProperties.filter(({ property }) => property === 'invalid-names');

const laxForOdd: Partial<Behaviour> = {
  isSecretName: (name) => name.length % 2 === 1 || conforming.isSecretName(name),
};

it('several violations of one property are found, and no requirement passes that a case violates', async () => {
  const run = await judge({ behaviour: laxForOdd, checks: invalidNames, plan: { cases: 20 } });
  expect(listFailed(run).length).toBeGreaterThanOrEqual(5);
  // A run examines six failing cases of a property; a requirement that only the seventh violates must not pass.
  const violated = ['double-underscore', 'control-character', 'beyond-ascii', 'encoded-twice'] as const;
  for (const word of violated)
    expect([word, findRow(run.report, `secret-name.refuses.${word}`).status]).not.toEqual([word, 'pass']);
});

function wrongAfterNoise(noise: number): Pick<Behaviour, 'answer'> {
  const wrong = wrongFor((name) => name.length === 97);
  let times = 0;
  return {
    answer: (answer, call) => {
      if (isCase(call)) times += 1;
      const isNoisy = call.operation === 'vault-delete' && times > 0 && times <= noise;
      return isNoisy ? makeEnvelope(500) : wrong.answer(answer, call);
    },
  };
}

const walk = Array.from({ length: 100 }, (_, less) => 'a'.repeat(less + 1));

// A run repeats only the first of several similar cases, which must not hide a violation if it was noise.
it.each([0, 1])('a name that is always refused is found though %i earlier cases fail once', async (noise) => {
  const run = await judge({ behaviour: wrongAfterNoise(noise), checks: [everyName({ walk, count: 20 })] });
  expect(listFailed(run)).toEqual(['secret-name.accepts.words']);
});
