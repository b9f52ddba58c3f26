import fc from 'fast-check';
import { expect, it } from 'vitest';
import { listOfferedWords } from '../../generators/inputs.js';
import { makeValidName } from '../../generators/secret-name.js';
import { drawSequence } from '../../generators/sequence.js';
import { blockSeed } from '../../judge/generated-cases.js';
import type { Plan } from '../../judge/plan.js';
import { everyName, judge } from './generated-run.js';

const letters = fc.constantFrom('abc', 'abcd').map(makeValidName);
const check = everyName({ arbitrary: letters, classes: ['letters', 'digits'], count: 20 });

it('a class without a case is an error of the suite, which ends with 5', async () => {
  const { record, report } = await judge({ checks: [check] });
  const fault = 'secret-name.accepts.words/every-name: no case of the class digits was sent';
  expect(record.faults).toEqual([fault]);
  expect([report.gate.exit_code, report.run.complete]).toEqual([5, false]);
});

it.each<readonly [string, Partial<Plan>]>([
  ['at quick depth', { depth: 'quick' }],
  ['if the user sets the number of cases', { cases: 20 }],
  ['if one case is replayed', { replay: { property: 'every-name', block: 0, path: '3' } }],
])('a class without a case is no error %s', async (_what, plan) => {
  const { record } = await judge({ checks: [check], plan });
  expect(record.faults).toEqual([]);
});

const walking = everyName({ arbitrary: letters, walk: ['k8s'], classes: ['letters', 'digits'], count: 20 });

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
    if (!/\/(?:legal-signs|state|vault-triples|refused-again-[-a-z]+)$/.test(sent.id))
      expect([sent.id, cases]).toEqual([sent.id, 8]);
  }
});

// Of forty sequences one in seven stays in one world: one seed in a thousand draws none, and the suite accuses itself.
it('every seed sends a case of each class of the sequences', async () => {
  const seed = Array.from({ length: 1_000 }, (_, at) => at).find((at) => !hasOneWorld(at));
  expect(seed).toBeUndefined();
}, 30_000);

function hasOneWorld(seed: number): boolean {
  const drawn = { seed: blockSeed(seed, 'sequences', 0), numRuns: 40 };
  const sequences = fc.sample(drawSequence(listOfferedWords(() => true)), drawn);
  return sequences.some((steps) => new Set(steps.map(({ world }) => world)).size === 1);
}
