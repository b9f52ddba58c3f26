import type { JournalLine, JournalledProgress, JournalledSay } from '../spec/journal.js';
import {
  notSelected,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
  type Status,
  statuses,
} from '../spec/report.js';
import { firstOf } from './close-ledger.js';
import { exitCodes, verdictOf } from './verdict.js';

/** Why what had not been judged when a process was killed stays undecided. */
export const killed = 'the run was killed before this was decided';

/** The report that a journal holds; undefined where the run did not come to begin one. */
export function journalledReport(lines: readonly JournalLine[]): Report | undefined {
  const ended = lines.findLast((line) => 'ended' in line);
  if (ended !== undefined) return ended.ended;
  const begun = lines.findLast((line) => 'begun' in line);
  return begun === undefined ? undefined : cutShort(begun.begun, stateOf(lines, begun.says));
}

/** What was known when the last line was written. */
interface State {
  readonly checks: ReadonlyMap<string, ReportedCheck>;
  readonly says: readonly JournalledSay[];
  readonly progress: JournalledProgress;
}

function stateOf(lines: readonly JournalLine[], outlook: readonly JournalledSay[]): State {
  const judged = lines.flatMap((line) => ('judged' in line ? [line] : []));
  const looked = lines.findLast((line) => 'looked' in line);
  const checks = [...judged.map((line) => line.judged), ...(looked?.looked ?? [])];
  const judgedIds = new Set(judged.map((line) => line.judged.id));
  const last = lines.findLast((line) => 'progress' in line);
  return {
    checks: new Map(checks.map((check) => [check.id, check])),
    says: [
      ...judged.flatMap(({ says }) => says),
      ...outlook.filter(({ check }) => !judgedIds.has(check)),
      ...(looked?.says ?? []),
    ],
    progress: last?.progress ?? { requests: 0, duration_ms: 0 },
  };
}

function cutShort(begun: Report, { checks, says, progress }: State): Report {
  const requirements = begun.requirements.map((row) => withSays(row, says));
  const all = [...checks.values()];
  return {
    ...begun,
    run: {
      ...begun.run,
      ...progress,
      complete: false,
      cases: all.reduce((sum, { cases, requests }) => sum + (requests === 0 ? 0 : cases), 0),
      notes: [...begun.run.notes, 'the run was killed; this is what its journal knew'],
    },
    verdict: verdictOf(requirements, !requirements.some(({ status }) => status === 'pass')),
    gate: { ...begun.gate, exit_code: exitCodes.interrupted },
    totals: Object.fromEntries(
      statuses.map((status) => [status, requirements.filter((row) => row.status === status).length]),
    ) as Record<Status, number>,
    requirements,
    checks: [...all, ...begun.checks.filter(({ id }) => !checks.has(id))],
  };
}

function withSays(row: ReportedRequirement, says: readonly JournalledSay[]): ReportedRequirement {
  const isClosed = row.status === 'not-observable' || row.reason === notSelected;
  const said = says.filter(({ requirement }) => requirement === row.id);
  const checks = said.map(({ check }) => check);
  const first = firstOf(said);
  if (isClosed || first === undefined) return { ...row, checks };
  const { status, reason } = first;
  return { ...row, status, reason, checks };
}
