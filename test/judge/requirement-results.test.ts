import { expect, it } from 'vitest';
import { ledger } from '../../spec/ledger.js';
import { type Status, statuses } from '../../spec/report.js';
import { behaveAsMutant, countTimes, isVault, makePage, replaceAnswers } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { compileSchema } from '../spec/schemas.js';
import { type Judging, judgeReference } from './judge-reference.js';

const validate = compileSchema('report');

/** The reference, judged check by check: the variants, which the proof judges, all differ from it. */
const ofReference = judgeReference({ depth: 'quick' });

const mutant = behaveAsMutant('guardrail-read.data-missing');
const intermittent = replaceAnswers(
  (answer, call) => isVault(404)(answer, call) && countTimes(call) % 7 === 1,
  makePage(502),
);

const runs: readonly (readonly [string, Judging | typeof ofReference, string, number])[] = [
  ['of the reference', ofReference, 'conformant', 0],
  ['of a mutant', { only: ['guardrail-read.*'], depth: 'quick', behaviour: mutant }, 'non-conformant', 1],
  ['that is incomplete', { depth: 'quick', capabilities: { faults: [], inference: false } }, 'incomplete', 4],
  [
    'that is intermittent',
    { only: ['vault-delete.404.unknown-intern'], depth: 'quick', behaviour: intermittent },
    'incomplete',
    4,
  ],
];

it.each(runs)(
  'the report of a run %s lists every requirement with its status, and a reason if it is open',
  async (_name, judging, verdict, exitCode) => {
    const { report } = await (judging instanceof Promise ? judging : judgeReference(judging));
    expect(report).toMatchObject({ verdict, gate: { exit_code: exitCode } });
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    expect(report.requirements.map(({ id }) => id)).toEqual(ledger.map(({ id }) => id));
    for (const { id, level, status, reason, reason_code: code } of report.requirements) {
      const isOpen = status !== 'pass' && status !== 'fail';
      expect([id, reason !== null, code !== null]).toEqual([id, isOpen, isOpen]);
      if (level === 'silent') expect([id, status]).not.toEqual([id, 'fail']);
    }
    const count = (wanted: Status) => report.requirements.filter(({ status }) => status === wanted).length;
    expect(Object.entries(report.totals)).toEqual(statuses.map((status) => [status, count(status)]));
  },
);

it('a run of the reference leaves nothing open, gives back every world, and names the checks that decide a requirement', async () => {
  const { report, worldsHeld, worldsLeft } = await ofReference;
  expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive'), report.run.notes]).toEqual([[], [], []]);
  expect([worldsHeld, worldsLeft]).toEqual([0, 0]);
  const checks = new Map(report.checks.map((check) => [check.id, check]));
  expect(checks.size).toBe(report.checks.length);
  for (const { id, checks: named } of report.requirements) {
    for (const name of named)
      expect([name, checks.get(name)?.requirements]).toEqual([name, expect.arrayContaining([id])]);
  }
  // A rule for every response counts answers, not cases of the run.
  const asking = report.checks.filter(({ id }) => !id.endsWith('/every-response'));
  expect(report.run.cases).toBe(asking.reduce((sum, { cases }) => sum + cases, 0));
});
