import type { KeptExchange, Traffic } from '../../spec/journal.js';
import {
  type Failure,
  type Report,
  type ReportedCheck,
  type ReportedExchange,
  type ReportedRequirement,
  type Status,
  statuses,
} from '../../spec/report.js';
import { sampleFailure, sampleReport } from './sample-report.js';

const checksInAll = 300;
const exchangesInAll = 5_000;
// A third each of violated, undecided and held checks; the exchanges are spread over the first two.
const told = 200;
const exchangesOfACheck = exchangesInAll / told;

/** The report of a long run against a poor server: 300 checks, and 5,000 exchanges kept in violations and attempts. */
export function bigReport(): Report {
  const report = sampleReport({ verdict: 'non-conformant', exitCode: 1 });
  const held = report.requirements.filter(({ status }) => status === 'pass');
  const checks = Array.from({ length: checksInAll }, (_, index) => bigCheck(index, held));
  const requirements = report.requirements.map((row) => bigRow(row, checks));
  return {
    ...report,
    run: { ...report.run, duration_ms: 240_000, requests: 98_765, cases: 100_000 },
    totals: Object.fromEntries(
      statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
    ) as Record<Status, number>,
    requirements,
    checks,
  };
}

/** 5,000 exchanges of about 1 KB each, every tenth of a positive control, every hundredth lost. */
export function bigTraffic(): Traffic {
  const exchanges = Array.from({ length: exchangesInAll }, (_, index): KeptExchange => {
    const check = index % 10 === 0 ? null : 'vault-delete.404.other-intern';
    return { ...bigExchange(index), check, label: 'DELETE own/stored as member' };
  });
  return { exchanges, sent: 98_765 };
}

function bigCheck(index: number, held: readonly ReportedRequirement[]): ReportedCheck {
  const row = held[index % held.length];
  if (row === undefined) throw new Error('The sample has no requirement that held.');
  const outcome = index >= told ? 'pass' : index % 2 === 0 ? 'fail' : 'inconclusive';
  const exchanges = Array.from({ length: exchangesOfACheck }, (_, nth) => bigExchange(index + nth));
  const failure: Failure | null = outcome === 'fail' ? sampleFailure(row.id, { exchanges }) : null;
  return {
    id: index < held.length ? row.id : `${row.id}/more-${index}`,
    title: row.statement,
    requirements: [row.id],
    outcome,
    reason: outcome === 'inconclusive' ? 'intermittent, 2 of 5 attempts: got 500' : null,
    cases: 333,
    classes: { letters: 200, digits: 100, edges: 33 },
    requests: 666,
    started_ms: index * 700,
    duration_ms: 900,
    failure,
    further_failures: [],
    attempts: outcome === 'inconclusive' ? [{ attempt: 1, came: 'got 500', exchanges }] : [],
  };
}

function bigRow(row: ReportedRequirement, checks: readonly ReportedCheck[]): ReportedRequirement {
  const deciding = checks.filter(({ requirements }) => requirements.includes(row.id));
  const outcomes = deciding.map(({ outcome }) => outcome);
  const ids = deciding.map(({ id }) => id);
  if (outcomes.includes('fail')) return { ...row, checks: ids, status: 'fail' };
  if (outcomes.includes('inconclusive'))
    return { ...row, checks: ids, status: 'inconclusive', reason: 'intermittent, 2 of 5 attempts: got 500' };
  return { ...row, checks: ids };
}

const bodyOf1KB = JSON.stringify({ error: { code: 500, message: 'm'.repeat(500) } });

function bigExchange(index: number): ReportedExchange {
  const isLost = index % 100 === 99;
  return {
    at: new Date(Date.UTC(2030, 3, 5, 6, 7, 9) + index * 40).toISOString(),
    duration_ms: 4 + (index % 30),
    request: {
      method: 'DELETE',
      url: `http://127.0.0.1:4010/v1/vault/interns/2b8f0a52-7d5e-4c55-9a57-3c3c4a3c6c11/secrets/name_${index}?a=${index}`,
      headers: [
        ['Authorization', 'Bearer $PLUMBLINE_KEY_MEMBER'],
        ['Accept', 'application/json'],
      ],
      body: null,
    },
    response: isLost
      ? null
      : {
          status: 500,
          headers: [
            ['Content-Type', 'application/json; charset=utf-8'],
            ['Date', 'Fri, 05 Apr 2030 06:07:09 GMT'],
          ],
          body: bodyOf1KB,
          truncated: false,
        },
    lost: isLost ? 'no answer within 10 s' : null,
  };
}
