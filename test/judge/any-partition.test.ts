import fc from 'fast-check';
import { expect, it } from 'vitest';
import { check, conclude, type Judgement, type RowOutcome } from '../../judge/check.js';
import type { Violation } from '../../judge/finding.js';
import { mergeReports } from '../../judge/merge-reports.js';
import { PassiveJudge } from '../../judge/passive.js';
import { makeReport } from '../../judge/report.js';
import type { RunRecord } from '../../judge/run-record.js';
import { Selection } from '../../judge/selection.js';
import { planShard } from '../../judge/shard-plan.js';
import { ledger, type RequirementId } from '../../spec/ledger.js';
import { makeReason } from '../../spec/reasons.js';
import type { Report } from '../../spec/report.js';
import { Canaries } from '../../targets/leak-detection.js';
import { Redactor } from '../../targets/redaction.js';
import { sampleEvidence, sampleExchange } from './samples.js';

interface Invented {
  readonly judgement: Judgement;
  readonly sees: readonly number[];
}

// Few requirements for many checks, so that most are decided in several shards.
const active = ledger
  .filter(
    ({ id, level, unseen }) =>
      level !== 'silent' && unseen === undefined && !PassiveJudge.requirements.includes(id),
  )
  .slice(0, 8)
  .map(({ id }) => id);
const silent = ledger.filter(({ level }) => level === 'silent')[0]?.id ?? 'key-info.field.rate_limit';
const passive: RequirementId = 'envelope.error';

const reasons = [makeReason('no-case'), makeReason('ended-early'), makeReason('disturbed', 'a 502')];
const outcome: fc.Arbitrary<RowOutcome> = fc.oneof(
  fc.constantFrom('pass' as const, 'fail' as const).map((said) => ({ outcome: said, reason: undefined })),
  fc.record({
    outcome: fc.constantFrom('inconclusive' as const, 'skipped' as const),
    reason: fc.constantFrom(...reasons),
  }),
);

const draw = (at: number): fc.Arbitrary<Invented> =>
  fc
    .record({
      ids: fc.uniqueArray(fc.constantFrom(...active, silent), { minLength: 1, maxLength: 4 }),
      outcomes: fc.array(outcome, { minLength: 4, maxLength: 4 }),
      sees: fc.subarray([200, 404, 429]),
      isViolated: fc.boolean(),
      isOpen: fc.boolean(),
    })
    .map(({ ids: [first = 'key-info.200.read', ...alsoDecides], outcomes, sees, isViolated, isOpen }) => {
      const own = check(`${first}/${at}`, { control: 'key-info', alsoDecides }, async () => undefined);
      const rows = new Map(own.decides.map((id, place) => [id, outcomes[place]] as const));
      const failed = own.decides.filter((id) => rows.get(id)?.outcome === 'fail');
      const judgement = conclude(own, {
        violations: [...failed, ...(isViolated ? [passive] : [])].map(violation),
        inconclusive: new Map(isOpen ? [[passive, makeReason('disturbed', 'it came and went')]] : []),
        decide: (id) => rows.get(id),
        ...{ cases: 2, requests: 3 },
      });
      return { judgement, sees };
    });

const runs = fc
  .integer({ min: 1, max: 9 })
  .chain((size) => fc.tuple(...Array.from({ length: size }, (_, at) => draw(at))));

const seen = (status: number) => {
  const body = { error: { code: status, message: 'no' }, data: { limit_reset: `at ${status}` } };
  return sampleExchange({}, JSON.stringify(body), status);
};

const violation = (requirement: RequirementId): Violation => ({
  ...sampleEvidence({ requirement, subject: `${requirement} @ key-info.404` }),
  counterexample: { operation: 'key-info', status: 404 },
  confirmed: '3/3',
});

function recordOf(all: readonly Invented[], division: RunRecord['division']): RunRecord {
  const passive = new PassiveJudge({ canaries: new Canaries(), redactor: new Redactor() });
  for (const { sees } of all) for (const status of sees) passive.judge(seen(status));
  const judgements = all.map(({ judgement }) => judgement);
  return { judgements, passive, division, controlViolations: [], faults: [] };
}

const policy = { decides: ['must'], excused: [{ requirement: active[0] ?? '', reason: 'known' }] } as const;

function reportsOf(all: readonly Invented[], of: number, selection: Selection): readonly Report[] {
  const checks = all.map(({ judgement }) => judgement.check);
  return Array.from({ length: of }, (_, at) => {
    const shard = { index: at + 1, of };
    const { own, division } = planShard(checks, { selection, plan: { seed: 1, depth: 'standard' }, shard });
    const record = recordOf(
      all.filter(({ judgement }) => own.includes(judgement.check)),
      division,
    );
    return makeReport(record, undefined, {
      ...{ startedAt: new Date(0), durationMs: 5, complete: true, interrupted: false },
      ...{ selection, baseUrl: 'http://x/v1', controlUrl: undefined, seed: 1, shard, policy },
    });
  });
}

/** Removes what differs between any two runs: ids, and which check or answer came first. */
function lasting(report: Report) {
  const checks = report.checks.map(({ failure, ...one }) => ({
    ...one,
    failure: failure === null ? null : { ...failure, reproduce: undefined },
  }));
  const silences = report.silences.map(({ observed, ...silence }) => ({
    ...silence,
    observed: observed.toSorted(),
  }));
  return { ...report, checks, silences, run: { ...report.run, id: '' } };
}

function isLeftUnexercised({ requirements }: Report, wanted: RequirementId): boolean {
  return requirements.some(
    ({ id, status, reason }) => id === wanted && status === 'not-exercised' && reason !== 'not selected',
  );
}

it('merged shards give the report of an unsplit run, however many there are', () => {
  const order = (all: readonly Invented[]) => all.map(({ judgement }) => judgement.check.id);
  const selected = fc.constantFrom([], ['vault-delete.*', 'envelope.*'], [active[1] ?? '']);
  const shardCount = fc.integer({ min: 1, max: 8 });
  const property = fc.property(runs, shardCount, selected, fc.nat(), (all, of, only, turn) => {
    const selection = new Selection({ only, skip: [] });
    const chosen = all.filter(({ judgement }) => judgement.check.decides.some((id) => selection.has(id)));
    fc.pre(chosen.length > 0);
    const whole = reportsOf(chosen, 1, selection).map(lasting);
    const shards = reportsOf(chosen, of, selection);
    const mixed = [...shards.slice(turn % of), ...shards.slice(0, turn % of)];
    expect([lasting(mergeReports(mixed, order(all)))]).toEqual(whole);
    for (const id of active) {
      const blamed = shards.filter((report) => isLeftUnexercised(report, id));
      expect(blamed.length, `${id} is for one shard to answer for`).toBeLessThan(2);
    }
  });
  fc.assert(property, { numRuns: 25 });
});
