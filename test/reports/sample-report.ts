import { ledger, type RequirementId, requirement } from '../../spec/ledger.js';
import { findReasonCode, type ReportedReason } from '../../spec/reasons.js';
import {
  type Failure,
  type Report,
  type ReportedCheck,
  type ReportedExchange,
  type ReportedRequirement,
  type Status,
  statuses,
  type Verdict,
} from '../../spec/report.js';

/** The requirements whose every open end is a problem. */
export const mustIds = ledger
  .filter(({ level, unseen }) => level === 'must' && unseen === undefined)
  .map(({ id }) => id);

export interface SampleChanges {
  /** By default non-conformant where there are failures. */
  readonly verdict?: Verdict;
  readonly exitCode?: number;
  readonly baseUrl?: string | null;
  readonly complete?: boolean;
  readonly notes?: readonly string[];
  readonly waived?: readonly string[];
  readonly newer?: readonly string[];
  readonly gateNotes?: readonly string[];
  readonly rows?: Readonly<Partial<Record<RequirementId, readonly [Status, string | null]>>>;
  readonly failures?: readonly Failure[];
}

/** A report of a run over the whole ledger in which everything held that a client can see. */
export function sampleReport(changes: SampleChanges = {}): Report {
  const { baseUrl = 'http://127.0.0.1:4010/v1' } = changes;
  const requirements = ledger.map(({ id }) => sampleRequirement(id, changes));
  const violated = new Set((changes.failures ?? []).map((failure) => failure.requirement));
  const checks = requirements
    // What no client can see has no check, and what is not selected is not sent.
    .filter(
      ({ id, status, reason }) =>
        violated.has(id) || (status !== 'not-observable' && reason !== 'not selected'),
    )
    .map((row) => sampleCheck(row, changes));
  return {
    format: 'plumbline-report/1',
    tool: { name: 'plumbline-conformance', version: '0.1.0' },
    document: { version: '1.0.0', openapi_sha256: 'ab'.repeat(32) },
    target: { base_url: baseUrl, control: true },
    run: {
      id: 'c6a7a5e0-53b3-4f7e-9d0a-1f5a3a0e9b11',
      started_at: '2030-04-05T06:07:08.901Z',
      duration_ms: 2140,
      complete: changes.complete ?? true,
      seed: -77,
      depth: 'standard',
      requests: 1234,
      cases: checks.length,
      shard: '1/1',
      selection: { only: [], skip: [] },
      notes: changes.notes ?? [],
      left_behind: [],
    },
    verdict: changes.verdict ?? (changes.failures === undefined ? 'conformant' : 'non-conformant'),
    gate: {
      exit_code: changes.exitCode ?? 0,
      waived: changes.waived ?? [],
      excused: [],
      newer: changes.newer ?? [],
      notes: changes.gateNotes ?? [],
      grounds: [],
    },
    totals: countTotals(requirements),
    requirements,
    checks,
    silences: [
      {
        id: 'guardrail-read.field.reset-interval-values',
        section: '2.1',
        statement: 'Left open.',
        observed: ['monthly'],
      },
    ],
  };
}

export function countTotals(rows: readonly ReportedRequirement[]): Report['totals'] {
  const count = (status: Status) => rows.filter((row) => row.status === status).length;
  return Object.fromEntries(statuses.map((status) => [status, count(status)])) as Report['totals'];
}

function sampleRequirement(
  id: RequirementId,
  { rows = {}, failures = [], notes = [] }: SampleChanges,
): ReportedRequirement {
  const { section, level, statement, unseen, optional } = requirement(id);
  const hidden = unseen ?? (level === 'silent' ? 'the document does not show it' : null);
  const isFailed = failures.some((failure) => failure.requirement === id);
  const usual = isFailed ? 'fail' : hidden === null ? 'pass' : 'not-observable';
  const [status, reason] = rows[id] ?? [usual, isFailed ? null : hidden];
  const checks = rows[id] === undefined && usual === 'not-observable' ? [] : [id];
  const flags = optional === true ? { optional } : {};
  return { id, section, level, statement, status, ...sampleReason(reason, notes), checks, ...flags };
}

/** A sentence with its code; one that stands in the notes of the run is why nothing was judged. */
export function sampleReason(reason: string | null, notes: readonly string[] = []): ReportedReason {
  if (reason === null) return { reason, reason_code: null };
  const code = notes.includes(reason) ? 'unjudged' : (findReasonCode(reason) ?? 'disturbed');
  return { reason, reason_code: code };
}

function sampleCheck(
  { id, status, reason }: ReportedRequirement,
  { failures = [] }: SampleChanges,
): ReportedCheck {
  const [failure = null, ...further] = failures.filter((one) => one.requirement === id);
  const outcome = status === 'not-exercised' || status === 'not-observable' ? 'skipped' : status;
  return {
    ...{ id, title: requirement(id).statement, requirements: [id], classes: null },
    outcome: failure === null ? outcome : 'fail',
    ...sampleReason(failure === null ? reason : null),
    ...{ cases: 1, requests: 2, started_ms: 0, duration_ms: 3 },
    ...{ failure, further_failures: further, attempts: [] },
  };
}

/** A violation with evidence: one answered and one lost exchange. */
export function sampleFailure(violated: RequirementId, changes: Partial<Failure> = {}): Failure {
  return {
    requirement: violated,
    situation: `vault-delete answered 204 to DELETE own/a name as member (${violated})`,
    message: `DELETE own/stored as member: expected 404, got 204 (${violated})`,
    expected: '404',
    actual: '204',
    counterexample: { name: 'foo_bar' },
    confirmed: '3/3',
    exchanges: [answered, lost],
    reproduce: {
      curl: `curl -i --path-as-is -X DELETE -H "Authorization: Bearer $PLUMBLINE_KEY_MEMBER" "http://127.0.0.1:4010/v1/vault/interns/2b8f0a52-7d5e-4c55-9a57-3c3c4a3c6c11/secrets/foo_bar"`,
      command: `plumbline run --control http://127.0.0.1:4010/control --only ${violated} --seed -77`,
    },
    ...changes,
  };
}

const answered: ReportedExchange = {
  at: '2030-04-05T06:07:09Z',
  duration_ms: 4,
  request: {
    method: 'DELETE',
    url: 'http://127.0.0.1:4010/v1/vault/interns/own/secrets/foo_bar',
    headers: [['Authorization', 'Bearer $PLUMBLINE_KEY_MEMBER']],
    body: null,
  },
  response: { status: 204, headers: [['Date', 'now']], body: '', truncated: false },
  lost: null,
};

const lost: ReportedExchange = {
  ...{ ...answered, at: '2030-04-05T06:07:10.5Z', duration_ms: 10_000, response: null },
  lost: 'no answer within 10 s',
};

export function eventfulReport(): Report {
  const intermittent = ['inconclusive', 'intermittent, 2 of 5 attempts: got 500'] as const;
  const notSelected = ['not-exercised', 'not selected'] as const;
  const limits = ledger.filter(
    ({ id, unseen, level }) => id.startsWith('rate-limit.') && unseen === undefined && level !== 'silent',
  );
  const lacking = ['not-exercised', 'needs an inference route with a free model'] as const;
  const ofEnvelope = (actual: string, confirmed: string) =>
    sampleFailure('envelope.error.message', { actual, confirmed });
  const figures = { expected: 'usage_daily at most usage_weekly', actual: '5 and 4' };
  return sampleReport({
    verdict: 'non-conformant',
    exitCode: 1,
    failures: [
      sampleFailure('key-info.usage.nested', figures),
      sampleFailure('vault-delete.404.other-intern'),
      ofEnvelope('error.message is missing', '4/9'),
      ofEnvelope('error.message is a number', '9/9'),
      sampleFailure('secrecy.key-echo', { actual: 'the key stands in error.message' }),
    ],
    rows: {
      'vault-delete.504.timeout': intermittent,
      'vault-delete.502.unreachable': intermittent,
      'auth.bearer': ['inconclusive', 'out of time'],
      ...Object.fromEntries(limits.map(({ id }) => [id, lacking])),
      'vault-delete.503.writes-disabled': ['not-exercised', 'needs a key of the role write_disabled'],
      'guardrail-read.200.read': notSelected,
      'guardrail-read.200.data': notSelected,
    },
  });
}
