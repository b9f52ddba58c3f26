import { describe, expect, it } from 'vitest';
import { decideGate, defaultPolicy, findUnneededExcuses, type Policy } from '../../judge/gate.js';
import { ledger, type RequirementId } from '../../spec/ledger.js';
import type { ReportedRequirement, Status } from '../../spec/report.js';
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
const silent = 'vault-delete.other-routes';

function policy(...excused: readonly string[]): Policy {
  return {
    ...defaultPolicy,
    excused: excused.map((requirement) => ({ requirement, reason: 'It cannot be.' })),
  };
}

describe('the gate', () => {
  it.each<readonly [string, readonly ReportedRequirement[], number]>([
    ['passes where all held', [row(must, 'pass'), row(derived, 'pass')], 0],
    ['passes where nothing was selected', [row(must, 'not-exercised', 'not selected')], 0],
    ['passes where no client can see the rest', [row(must, 'not-observable')], 0],
    [
      'passes where a derived one stayed unproven',
      [row(derived, 'not-exercised'), row(derived, 'inconclusive')],
      0,
    ],
    ['passes where an advisory or a silent one failed', [row(advisory, 'fail'), row(silent, 'fail')], 0],
    ['ends with 4 where a must was not exercised', [row(must, 'not-exercised', 'would take a fault')], 4],
    ['ends with 4 where a must was not decided', [row(must, 'inconclusive', 'disturbed')], 4],
    ['ends with 1 where a must is violated', [row(must, 'fail')], 1],
    ['ends with 1 where a derived one is violated', [row(derived, 'fail')], 1],
    ['ends with 1 where both apply', [row(derived, 'fail'), row(must, 'not-exercised')], 1],
  ])('%s', (_what, rows, exitCode) => {
    expect(decideGate(rows, defaultPolicy)).toEqual({ exitCode, excused: [], newer: [] });
  });
});

describe('what a policy excuses', () => {
  const open = [row(must, 'not-exercised'), row('vault-delete.408.timeout', 'inconclusive')];

  it('may stay unproven, by id or by pattern', () => {
    const byId = decideGate(open, policy(must, 'vault-delete.408.timeout'));
    expect(byId).toEqual({
      exitCode: 0,
      excused: open.map(({ id }) => ({ id, reason: 'It cannot be.' })),
      newer: [],
    });
    expect(decideGate(open, policy('vault-delete.*'))).toEqual(byId);
    expect(decideGate(open, policy('*.{504,408}.*'))).toEqual(byId);
  });

  it('and nothing else', () => {
    const { exitCode, excused } = decideGate(open, policy(must));
    expect([exitCode, excused.map(({ id }) => id)]).toEqual([4, [must]]);
    expect(decideGate(open, policy('rate-limit.*'))).toEqual({ exitCode: 4, excused: [], newer: [] });
  });

  it('takes the reason of the first that matches', () => {
    const reasons: Policy = {
      ...defaultPolicy,
      excused: [
        { requirement: 'vault-delete.504.*', reason: 'first' },
        { requirement: 'vault-delete.*', reason: 'second' },
      ],
    };
    expect(decideGate(open, reasons).excused.map(({ reason }) => reason)).toEqual(['first', 'second']);
  });

  it('is no violation: what failed, failed', () => {
    expect(decideGate([row(must, 'fail')], policy('**'))).toEqual({ exitCode: 1, excused: [], newer: [] });
  });

  it('names only what stayed unproven: what held, and what was not selected, needs no excuse', () => {
    const rows = [row(must, 'pass'), row('vault-delete.408.timeout', 'not-exercised', 'not selected')];
    expect(decideGate(rows, policy('vault-delete.*'))).toEqual({ exitCode: 0, excused: [], newer: [] });
  });
});

describe('what decides', () => {
  it.each<readonly [Policy['decides'], readonly [number, number, number]]>([
    [['must'], [1, 0, 0]],
    [
      ['must', 'derived'],
      [1, 1, 0],
    ],
    [
      ['must', 'derived', 'advisory'],
      [1, 1, 1],
    ],
    [['advisory'], [0, 0, 1]],
  ])('%j', (decides, codes) => {
    const code = (id: RequirementId) => decideGate([row(id, 'fail')], { decides, excused: [] }).exitCode;
    expect([must, derived, advisory].map((id) => code(id as RequirementId))).toEqual(codes);
  });
});

describe('what is waived', () => {
  it('does not decide; the rest does', () => {
    const rows = [row(must, 'fail'), row(derived, 'fail')];
    expect(decideGate(rows, defaultPolicy, { waived: [must, derived] }).exitCode).toBe(0);
    expect(decideGate(rows, defaultPolicy, { waived: [must] }).exitCode).toBe(1);
  });

  it('leaves what is unproven as it is', () => {
    const rows = [row(derived, 'fail'), row(must, 'inconclusive')];
    expect(decideGate(rows, defaultPolicy, { waived: [must, derived] }).exitCode).toBe(4);
  });
});

describe('what came after the ledger of the gate', () => {
  const newer = new Set<RequirementId>([must, derived, advisory]);

  it('decides nothing, violated or unproven, and is named where it would have', () => {
    const rows = [row(must, 'inconclusive'), row(derived, 'fail'), row(advisory, 'fail')];
    expect(decideGate(rows, defaultPolicy, { newer })).toEqual({
      exitCode: 0,
      excused: [],
      newer: [derived, must],
    });
    expect(decideGate(rows, defaultPolicy).exitCode).toBe(1);
  });

  it('needs no excuse, and is not named where it held or was not selected', () => {
    const rows = [row(must, 'not-exercised', 'not selected'), row(derived, 'pass')];
    expect(decideGate(rows, policy('**'), { newer })).toEqual({ exitCode: 0, excused: [], newer: [] });
    expect(decideGate([row(must, 'inconclusive')], policy('**'), { newer }).excused).toEqual([]);
  });
});

describe('an excuse', () => {
  const rows = [row(must, 'pass'), row('vault-delete.408.timeout', 'inconclusive')];
  const all = () => true;

  it('that nothing needed is told of', () => {
    expect(findUnneededExcuses(rows, all, policy(must, 'vault-delete.408.*'))).toEqual([must]);
  });

  it('of what was not to be decided is not', () => {
    expect(findUnneededExcuses(rows, (id) => id !== must, policy(must))).toEqual([]);
  });
});
