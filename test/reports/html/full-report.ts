import type { Report, ReportedCheck, ReportedExchange } from '../../../spec/report.js';
import { eventfulReport, sampleFailure } from '../sample-report.js';

/** A requirement that failed twice by the same cause. */
export const violated = 'vault-delete.404.other-intern';

/** The check whose attempts the report tells, and which decides several requirements. */
export const undecidedCheck = 'vault-delete.504.timeout/faults';

/** A requirement that held, though a check that decides it too found another one violated. */
export const held = 'vault-delete.204.deleted';

/** A report in which every part of the page has something to say. */
export function fullReport(): Report {
  const report = eventfulReport();
  const undecided = ['vault-delete.504.timeout', 'vault-delete.502.unreachable'];
  return {
    ...report,
    run: {
      ...report.run,
      complete: false,
      shard: '2/3',
      selection: { only: ['vault-*'], skip: ['rate-limit.*'] },
      notes: ['the clock of the target is 90 s behind'],
      left_behind: [{ scope: 'own', name: 'plumb_left', why: 'its deletion was answered 500' }],
    },
    gate: { ...report.gate, waived: ['key-info.usage.nested'], excused: ['auth.bearer'] },
    requirements: report.requirements.map((row) => {
      if (row.id === held) return { ...row, checks: [row.id, 'vault-delete.404.other-intern'] };
      return undecided.includes(row.id) ? { ...row, checks: [undecidedCheck] } : row;
    }),
    checks: [
      ...report.checks.map((check, index) => ({
        ...check,
        started_ms: 10 * index,
        duration_ms: 35,
        further_failures: check.id === violated ? [lengthyFailure] : check.further_failures,
        failure: check.failure && {
          ...check.failure,
          // The other violation of the requirement has words only, and so another cause.
          mismatch:
            check.id === 'envelope.error.message'
              ? { wrong: 'shape' as const, fields: ['error.message'] }
              : { wrong: 'status' as const, due: [404] },
          exchanges: check.failure.exchanges.toReversed(),
          reproduce: { ...check.failure.reproduce, origin: { check: check.id } },
        },
      })),
      attempted,
      onEveryResponse,
    ],
  };
}

/** A violation of which the line to copy and the body do not fit on a screen. */
const lengthyFailure = sampleFailure(violated, {
  mismatch: { wrong: 'status', due: [404] },
  reproduce: { ...sampleFailure(violated).reproduce, curl: `curl http://127.0.0.1/${'name'.repeat(1_000)}` },
  exchanges: sampleFailure(violated).exchanges.map((exchange) => {
    const body = JSON.stringify({ list: [...'many'.repeat(20)] });
    return { ...exchange, response: { status: 204, headers: [], body, truncated: false } };
  }),
});

const answer: ReportedExchange = {
  ...{ at: '2030-04-05T06:07:11Z', duration_ms: 7, lost: null },
  request: {
    method: 'DELETE',
    url: 'http://127.0.0.1:4010/v1/vault/interns/own/secrets/late',
    headers: [['Authorization', 'Bearer $PLUMBLINE_KEY_MEMBER']],
    body: 'a body\nof two lines',
  },
  response: {
    ...{ status: 500, reason_phrase: 'Sure' },
    headers: [['content-type', 'application/json']],
    trailers: [['x-after', '1']],
    body: '{"error":{"code":500,"message":"Late"}}',
    truncated: true,
  },
};

const attempted: ReportedCheck = {
  id: undecidedCheck,
  title: 'Each fault of the vault has its own status.',
  requirements: ['vault-delete.504.timeout', 'vault-delete.502.unreachable'],
  outcome: 'inconclusive',
  reason: 'it came in 2 of 5 attempts',
  classes: { 'vault timeout': 30, unreachable: 10, 'bad response': 0 },
  ...{ cases: 40, requests: 80, started_ms: 1_200, duration_ms: 900 },
  ...{ failure: null, further_failures: [] },
  attempts: [{ attempt: 2, came: 'expected 504, got 500', exchanges: [answer] }],
};

const onEveryResponse: ReportedCheck = {
  ...attempted,
  id: 'envelope.error.message/every-response',
  title: 'error.message is a string. (every response)',
  requirements: ['envelope.error.message'],
  classes: { 'vault-delete.404': 12 },
  ...{ outcome: 'pass', reason: null, requests: 0, started_ms: 0, duration_ms: 0, attempts: [] },
};
