import { expect, it } from 'vitest';
import { renderGround } from '../../judge/gate.js';
import { mergeReports } from '../../judge/merge-reports.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { GateGround, Outcome, Report, ReportedVote, Status } from '../../spec/report.js';
import { findRow } from '../report-rows.js';
import { type SampleChanges, sampleFailure, sampleReason, sampleReport } from '../reports/sample-report.js';
import { compileSchema } from '../spec/schemas.js';

const validate = compileSchema('report');
const deleted: RequirementId = 'vault-delete.204.deleted';

function shard(
  index: 1 | 2,
  changes: SampleChanges & { readonly run?: Partial<Report['run']>; readonly unjudged?: boolean } = {},
): Report {
  const isOwn = (id: string) => /^(?:vault-delete|secret-name|envelope)\./.test(id) === (index === 1);
  const whole = sampleReport(changes);
  const requirements = whole.requirements.map((row) => {
    if (row.status === 'not-observable' || (isOwn(row.id) && changes.unjudged !== true)) return row;
    const reason = sampleReason(isOwn(row.id) ? 'no key is known' : 'not selected');
    return { ...row, status: 'not-exercised' as const, ...reason, checks: [] };
  });
  const checks = whole.checks.filter(({ id }) => isOwn(id) && changes.unjudged !== true);
  return { ...whole, requirements, checks, run: { ...whole.run, shard: `${index}/2`, ...changes.run } };
}

function merge(...shards: readonly Report[]): Report {
  const report = mergeReports(
    shards,
    sampleReport().checks.map(({ id }) => id),
  );
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  return report;
}

function standing(report: Report, id: RequirementId): readonly [Status, string | null] {
  const { status, reason } = findRow(report, id);
  return [status, reason];
}

it('a merged run spans the time from its first shard to its last', () => {
  const left_behind = [{ scope: 'own', name: 'a', why: 'its delete got 500' }] as const;
  const earlier = { started_at: '2030-04-05T06:08:00.5Z', duration_ms: 20, left_behind };
  const { run } = merge(
    shard(1, { run: { started_at: '2030-04-05T06:09:00Z', duration_ms: 10, notes: ['one', 'both'] } }),
    shard(2, { run: { ...earlier, notes: ['both'] } }),
  );
  expect(run).toMatchObject({ ...earlier, complete: true, notes: ['one', 'both'] });
});

it('a merged report keeps a waived violation non-conformant and its gate passing', () => {
  const waived = ['key-info.200.read'] as const;
  const report = merge(shard(1), shard(2, { failures: waived.map((id) => sampleFailure(id)), waived }));
  expect(report).toMatchObject({ verdict: 'non-conformant', gate: { exit_code: 0, waived } });
});

it('a waiver is stale in a merged report only if no shard needed it', () => {
  const waiver = { id: 'envelope.error', situation: 'seen by one shard', at: 'w.yaml:1' };
  const mergeWaived = (changes: SampleChanges) =>
    merge(
      ...[shard(1, changes), shard(2)].map((report) => ({
        ...report,
        gate: { ...report.gate, waivers: [waiver] },
      })),
    ).gate;
  const stale = 'w.yaml:1: the waiver is stale: envelope.error passed; remove it';
  expect(mergeWaived({})).toMatchObject({ exit_code: 2, notes: [stale] });
  const failures = [sampleFailure('envelope.error', waiver)];
  expect(mergeWaived({ failures, waived: ['envelope.error'] })).toMatchObject({ exit_code: 0, notes: [] });
});

it('a merged report says what the target lacks for a requirement, where checks only say that no case reached it', () => {
  const whole = shard(1);
  const reason = 'needs a host name';
  const lacking = { status: 'not-exercised', reason, reason_code: 'lacking' } as const;
  const skipped = { outcome: 'skipped', ...sampleReason('no case of this run tested it') } as const;
  const report = merge({
    ...whole,
    requirements: whole.requirements.map((row) => ({ ...row, ...(row.id === deleted ? lacking : {}) })),
    checks: whole.checks.map((check) => ({
      ...check,
      ...(check.requirements.includes(deleted) ? skipped : {}),
    })),
  });
  expect(standing(report, deleted)).toEqual(['not-exercised', reason]);
});

const unjudged = { unjudged: true, verdict: 'unjudged', exitCode: 3 } as const;

it('a shard that is unjudged leaves its requirements not exercised', () => {
  const report = merge(shard(1), shard(2, unjudged));
  expect(report).toMatchObject({ verdict: 'incomplete', gate: { exit_code: 4 } });
  expect(standing(report, 'key-info.200.read')).toEqual(['not-exercised', 'no key is known']);
  expect(standing(report, deleted)).toEqual(['pass', null]);
});

it('a requirement that passed in one shard is inconclusive while another shard did not judge a check of it', () => {
  const silent = shard(2, unjudged);
  const report = merge(shard(1), {
    ...silent,
    requirements: silent.requirements.map((row) =>
      row.id === deleted ? { ...row, ...sampleReason('no key is known') } : row,
    ),
  });
  expect(standing(report, deleted)).toEqual(['inconclusive', 'no key is known']);
});

it("a merged report applies the policy again and keeps the waivers' own reasons", () => {
  const waiver = { expires: '2030-01-31', owner: 'me', reason: 'x: excused by the policy: y' };
  const grounds: readonly GateGround[] = [
    { code: 'waived', requirements: ['auth.bearer'], ...waiver },
    { code: 'excused', requirements: ['vault-delete.504.timeout'], reason: 'it is slow' },
  ];
  const gate = { grounds, notes: ['w.yaml:1: stale', ...grounds.map(renderGround)] };
  const report = shard(1);
  expect(merge({ ...report, gate: { ...report.gate, ...gate } }, shard(2)).gate).toMatchObject({
    notes: gate.notes.slice(0, 2),
    grounds: grounds.slice(0, 1),
  });
});

it('shards that are all unjudged merge to an unjudged report', () => {
  const report = merge(shard(1, unjudged), shard(2, unjudged));
  expect(report).toMatchObject({ verdict: 'unjudged', gate: { exit_code: 3 } });
});

it.each<readonly [number, number, number]>([
  [5, 130, 5],
  [130, 2, 130],
  [2, 4, 2],
  [2, 3, 2],
  ...[5, 130, 2].map((code): [number, number, number] => [code, 1, 1]),
])('shards that ended with %i and %i merge to exit code %i', (one, other, expected) => {
  const failures = other === 1 ? [sampleFailure('key-info.200.read')] : [];
  const report = merge(shard(1, { exitCode: one, complete: false }), shard(2, { exitCode: other, failures }));
  expect([report.gate.exit_code, report.run.complete]).toEqual([expected, false]);
});

const rule: RequirementId = 'envelope.error';

function seeing(report: Report, cases: number, outcome: Outcome, ...votes: readonly ReportedVote[]): Report {
  const [row] = report.checks;
  if (row === undefined) throw new Error('The sample has no check.');
  const check = {
    ...{ ...row, id: `${rule}/every-response`, requirements: [rule] },
    ...{ outcome, cases, classes: { 'key-info.401': cases }, says: votes },
  };
  return { ...report, checks: [...report.checks.filter(({ id }) => id !== rule), check] };
}

it('a rule that one shard stopped before passes if another saw it pass, and is inconclusive if none saw it', () => {
  const unseen = { rows: { [rule]: ['not-exercised', 'not selected'] } } as const;
  const stopped = { requirement: rule, outcome: 'inconclusive', ...sampleReason('out of time') } as const;
  const held = { requirement: rule, outcome: 'pass', ...sampleReason(null) } as const;
  const mergeWithStopped = (other: Report) => merge(seeing(shard(1, unseen), 0, 'skipped', stopped), other);
  const passed = mergeWithStopped(seeing(shard(2, unseen), 5, 'pass', held));
  expect(standing(passed, rule)).toEqual(['pass', null]);
  expect(passed.checks.at(-1)).toMatchObject({ cases: 5, outcome: 'pass', says: [held] });
  const report = mergeWithStopped(seeing(shard(2, unseen), 0, 'skipped'));
  expect(standing(report, rule)).toEqual(['inconclusive', 'out of time']);
});
