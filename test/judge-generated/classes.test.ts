import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listOfferedWords } from '../../generators/inputs.js';
import { makeValidName } from '../../generators/secret-name.js';
import { drawSequence } from '../../generators/sequence.js';
import { blockSeed } from '../../judge/generated-cases.js';
import type { Plan } from '../../judge/plan.js';
import { ran } from './generated-run.js';
import { everyName } from './name-property.js';

const letters = fc.constantFrom('abc', 'abcd').map(makeValidName);
const check = everyName({ arbitrary: letters, classes: ['letters', 'digits'], count: 20 });

describe('a class without a case', () => {
  it('is the suite’s own fault: exit 5', async () => {
    const { record, report } = await ran({ checks: [check] });
    expect(record.faults).toEqual([
      'secret-name.accepts.words/every-name: no case of the class digits was sent',
    ]);
    expect(report.gate.exit_code).toBe(5);
    expect(report.run.complete).toBe(false);
  });

  it.each<readonly [string, Partial<Plan>]>([
    ['at quick depth', { depth: 'quick' }],
    ['where the number of cases is the user’s', { cases: 20 }],
    ['where one case is replayed', { replay: { property: 'every-name', block: 0, path: '3' } }],
  ])('is none %s', async (_what, plan) => {
    const { record } = await ran({ checks: [check], plan });
    expect(record.faults).toEqual([]);
  });

  it('is met by the walk as well', async () => {
    const walking = everyName({
      arbitrary: letters,
      walk: ['k8s'],
      classes: ['letters', 'digits'],
      count: 20,
    });
    const { record, report } = await ran({ checks: [walking] });
    expect(record.faults).toEqual([]);
    expect(report.checks[0]?.classes).toEqual({ letters: 20, digits: 1 });
  });
});

it('every property of the suite says how many cases of each class it sent', async () => {
  const { record } = await ran({ plan: { seed: 12, cases: 8, depth: 'quick' } });
  for (const { check: sent, cases, classes = {} } of record.judgements) {
    const sum = Object.values(classes).reduce((total, count) => total + count, 0);
    expect([sent.id, sum]).toEqual([sent.id, cases]);
  }
});

// Of forty sequences one in seven stays in one world: one seed in a thousand draws none, and the suite accuses itself.
it('no seed leaves a class of the sequences without a case', async () => {
  const seed = Array.from({ length: 3_000 }, (_, at) => at).find((at) => !hasOneWorld(at));
  expect(seed).toBeUndefined();
}, 30_000);

function hasOneWorld(seed: number): boolean {
  const drawn = { seed: blockSeed(seed, 'sequences', 0), numRuns: 40 };
  const sequences = fc.sample(drawSequence(listOfferedWords(() => true)), drawn);
  return sequences.some((steps) => new Set(steps.map(({ world }) => world)).size === 1);
}
