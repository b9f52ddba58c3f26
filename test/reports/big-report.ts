import type { Traffic } from '../../spec/journal.js';
import type { Report, ReportedCheck, ReportedExchange } from '../../spec/report.js';
import { countTotals, sampleFailure, sampleReport } from './sample-report.js';

const exchangesOfACheck = 25;
const exchanges = Array.from({ length: 5_000 }, (_, index) => bigExchange(index));

/**
 * The report of a long run against a poor server: 100 checks that failed, 100 inconclusive and 100 that passed, and 5,000
 * exchanges kept in violations and attempts.
 */
export function bigReport(): Report {
  const report = sampleReport({ verdict: 'non-conformant', exitCode: 1 });
  const passed = report.checks.slice(0, 100);
  const reason = 'intermittent, 2 of 5 attempts: got 500';
  const checks = passed.flatMap((check, index): ReportedCheck[] => {
    const { id, requirements } = check;
    const [first] = requirements;
    if (first === undefined) return [];
    const start = 2 * index * exchangesOfACheck;
    const failed = exchanges.slice(start, start + exchangesOfACheck);
    const left = exchanges.slice(start + exchangesOfACheck, start + 2 * exchangesOfACheck);
    const failure = sampleFailure(first, { exchanges: failed });
    const attempts = [{ attempt: 1, came: 'got 500', exchanges: left }];
    return [
      { ...check, outcome: 'fail', failure, classes: { letters: 200, digits: 100, edges: 33 } },
      { ...check, id: `${id}/left`, outcome: 'inconclusive', reason, attempts },
      { ...check, id: `${id}/more` },
    ];
  });
  const requirements = report.requirements.map((row) => {
    const own = checks.filter((check) => check.requirements.includes(row.id)).map(({ id }) => id);
    return own.length === 0 ? row : { ...row, status: 'fail' as const, checks: own };
  });
  return { ...report, totals: countTotals(requirements), requirements, checks };
}

/** 5,000 exchanges of about 1 KB each, every tenth of a positive control, every hundredth lost. */
export function bigTraffic(): Traffic {
  const label = 'DELETE own/stored as member';
  return {
    exchanges: exchanges.map((exchange, index) => ({
      ...exchange,
      check: index % 10 === 0 ? null : 'vault-delete.404.other-intern',
      label,
    })),
    sent: 98_765,
  };
}

function bigExchange(index: number): ReportedExchange {
  const isLost = index % 100 === 99;
  const interns = 'http://127.0.0.1:4010/v1/vault/interns/2b8f0a52-7d5e-4c55-9a57-3c3c4a3c6c11';
  const answered = {
    status: 500,
    headers: [['Content-Type', 'application/json; charset=utf-8'] as const],
    body: JSON.stringify({ error: { code: 500, message: 'm'.repeat(500) } }),
    truncated: false,
  } as const;
  return {
    at: new Date(Date.UTC(2030, 3, 5, 6, 7, 9) + index * 40).toISOString(),
    duration_ms: 4 + (index % 30),
    request: {
      method: 'DELETE',
      url: `${interns}/secrets/name_${index}?a=${index}`,
      headers: [
        ['Authorization', 'Bearer $PLUMBLINE_KEY_MEMBER'],
        ['Accept', 'application/json'],
      ],
      body: null,
    },
    response: isLost ? null : answered,
    lost: isLost ? 'no answer within 10 s' : null,
  };
}
