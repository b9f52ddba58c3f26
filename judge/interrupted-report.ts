import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import type { JournalLine } from '../spec/journal.js';
import { countStatuses, isLeftOut, type Report, type ReportedRequirement } from '../spec/report.js';
import { describeKilledLeftover, Leftovers } from '../targets/leftovers.js';
import { findWorst } from './check.js';
import { decideGate, defaultPolicy } from './gate.js';
import { collectVotes, decideVerdict, readVote, type Vote } from './requirement-results.js';

/** Recovers a report from a journal; undefined where the run had not begun one. */
export function recoverReport(lines: readonly JournalLine[]): Report | undefined {
  const ended = lines.findLast((line) => 'ended' in line);
  if (ended !== undefined) return ended.ended;
  const begun = lines.findLast((line) => 'begun' in line);
  if (begun === undefined) return undefined;
  const { begun: report, passed_over: waived = [] } = begun;
  const judged = lines.flatMap((line) => ('judged' in line ? [line] : []));
  const news = new Map(judged.flatMap((line) => line.judged).map((check) => [check.id, check]));
  const checks = report.checks.map((check) => news.get(check.id) ?? check);
  const votesOf = collectVotes(checks);
  const requirements = report.requirements.map((row) => closeRow(row, votesOf(row.id)));
  const decision = decideGate(requirements, report.gate.policy ?? defaultPolicy, { waived });
  const left = new Leftovers();
  for (const line of lines) {
    if ('left' in line) left.set(line.left);
    if ('gone' in line) left.remove(line.gone);
  }
  return {
    ...report,
    run: {
      ...report.run,
      ...judged.at(-1)?.progress,
      complete: false,
      // A rule for every response sends nothing of its own.
      cases: checks.reduce((sum, { cases, requests }) => sum + (requests > 0 ? cases : 0), 0),
      notes: [...report.run.notes, 'the run was killed; this is what its journal knew'],
      // A server that ran inside the killed process took what was made on it along.
      left_behind: report.target.embedded === true ? [] : left.all.map(describeKilledLeftover),
    },
    verdict: decideVerdict(requirements, !requirements.some(({ status }) => status === 'pass')),
    gate: { ...report.gate, exit_code: strongestExitCode([exitCodes.interrupted, decision.exitCode]) },
    totals: countStatuses(requirements),
    requirements,
    checks,
  };
}

function closeRow(row: ReportedRequirement, votes: readonly Vote[]): ReportedRequirement {
  const worst = findWorst(votes);
  if (worst === undefined || row.status === 'not-observable' || isLeftOut(row)) return row;
  return { ...row, ...readVote(worst), checks: votes.map(({ check }) => check) };
}
