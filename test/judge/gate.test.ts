import { expect, it } from 'vitest';
import { decideGate, defaultPolicy, findUnneededExcuses } from '../../judge/gate.js';
import { ledger, type RequirementId } from '../../spec/ledger.js';
import type { Policy, ReportedRequirement, Status } from '../../spec/report.js';
import { sampleReason } from '../reports/sample-report.js';

function row(id: RequirementId, status: Status, reason: string | null = null): ReportedRequirement {
  const found = ledger.find((candidate) => candidate.id === id);
  if (found === undefined) throw new Error(`There is no requirement ${id}.`);
  const { section, level, statement } = found;
  return { id, section, level, statement, status, ...sampleReason(reason), checks: [] };
}

const must = 'vault-delete.504.timeout';
const derived = 'vault-delete.204.parallel';
const advisory = 'vault-delete.403.regional-host-dot';

function policy(...excused: readonly string[]): Policy {
  return { ...defaultPolicy, excused: excused.map((requirement) => ({ requirement, reason: 'It cannot.' })) };
}

it.each<readonly [string, readonly ReportedRequirement[], number]>([
  ['passes if nothing was selected', [row(must, 'not-exercised', 'not selected')], 0],
  ['passes if the remaining requirements are not observable', [row(must, 'not-observable')], 0],
  ['passes if a derived one stays open', [row(derived, 'not-exercised'), row(derived, 'inconclusive')], 0],
  ['passes if only an advisory requirement failed', [row(advisory, 'fail')], 0],
  ['ends with 4 if a must is not exercised', [row(must, 'not-exercised', 'needs a fault')], 4],
  ['ends with 4 if a must is inconclusive', [row(must, 'inconclusive', 'disturbed')], 4],
  ['ends with 1 if one failed and one stays open', [row(derived, 'fail'), row(must, 'not-exercised')], 1],
])('the gate %s', (_what, rows, exitCode) => {
  expect(decideGate(rows, defaultPolicy)).toEqual({ exitCode, excused: [], newer: [] });
});

it.each<readonly [Policy['decides'], readonly [number, number, number]]>([
  [['must'], [1, 0, 0]],
  [defaultPolicy.decides, [1, 1, 0]],
  [['advisory'], [0, 0, 1]],
])('only failed requirements of the levels %j fail the gate', (decides, codes) => {
  const code = (id: RequirementId) => decideGate([row(id, 'fail')], { decides, excused: [] }).exitCode;
  expect([must, derived, advisory].map((id) => code(id as RequirementId))).toEqual(codes);
});

it('a waived requirement does not fail the gate, but any other failed or open one does', () => {
  const code = (rows: readonly ReportedRequirement[], ...waived: readonly RequirementId[]) =>
    decideGate(rows, defaultPolicy, { waived }).exitCode;
  const rows = [row(must, 'fail'), row(derived, 'fail')];
  expect([code(rows, must, derived), code(rows, must)]).toEqual([0, 1]);
  expect(code([row(must, 'inconclusive')], must)).toBe(4);
});

const open = [row(must, 'not-exercised'), row('vault-delete.408.timeout', 'inconclusive')];

const patternsOfOpen = [[must, 'vault-delete.408.timeout'], ['vault-delete.*'], ['*.{504,408}.*']];
it.each(patternsOfOpen)('a policy excuses open requirements by id or by pattern: %s', (...patterns) => {
  expect(decideGate(open, policy(...patterns))).toEqual({
    exitCode: 0,
    excused: open.map(({ id }) => ({ id, reason: 'It cannot.' })),
    newer: [],
  });
});

it('an excused requirement has the reason of the first pattern that matches', () => {
  const excused = ['vault-delete.504.*', 'vault-delete.*'].map((requirement) => ({
    requirement,
    reason: requirement,
  }));
  const decision = decideGate(open, { ...defaultPolicy, excused });
  expect(decision.excused.map(({ reason }) => reason)).toEqual(['vault-delete.504.*', 'vault-delete.*']);
});

it('a policy excuses neither a failed requirement nor one that it does not name', () => {
  expect(decideGate([row(must, 'fail')], policy('**'))).toEqual({ exitCode: 1, excused: [], newer: [] });
  const { exitCode, excused } = decideGate(open, policy(must, 'rate-limit.*'));
  expect([exitCode, excused.map(({ id }) => id)]).toEqual([4, [must]]);
});

it('the gate lists no excuse for a requirement that passed or was not selected', () => {
  const rows = [row(must, 'pass'), row('vault-delete.408.timeout', 'not-exercised', 'not selected')];
  expect(decideGate(rows, policy('vault-delete.*'))).toEqual({ exitCode: 0, excused: [], newer: [] });
});

it('an excuse that no requirement of the selection needed is reported', () => {
  const rows = [row(must, 'pass'), row('vault-delete.408.timeout', 'inconclusive')];
  expect(findUnneededExcuses(rows, () => true, policy(must, 'vault-delete.408.*'))).toEqual([must]);
  expect(findUnneededExcuses(rows, (id) => id !== must, policy(must))).toEqual([]);
});

it('a newer requirement does not decide the gate, which lists it, without an excuse, if it failed or stayed open', () => {
  const newer = new Set<RequirementId>([must, derived, advisory]);
  const rows = [row(must, 'inconclusive'), row(derived, 'fail'), row(advisory, 'fail')];
  for (const given of [defaultPolicy, policy('**')])
    expect(decideGate(rows, given, { newer })).toEqual({ exitCode: 0, excused: [], newer: [derived, must] });
  const settled = [row(must, 'not-exercised', 'not selected'), row(derived, 'pass')];
  expect(decideGate(settled, policy('**'), { newer })).toEqual({ exitCode: 0, excused: [], newer: [] });
});
