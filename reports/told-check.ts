import { type Area, areas, type Level } from '../spec/ledger.js';
import {
  type Failure,
  isLeftOut,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
} from '../spec/report.js';
import { counted } from './amount-text.js';
import { shownText } from './shown-text.js';

/** A check as a list of test results tells it: every text inert and of bounded length. */
export interface ToldCheck
  extends Pick<ReportedCheck, 'id' | 'requirements' | 'outcome' | 'cases' | 'requests'> {
  readonly area: Area;
  /** Of the requirement that is violated first, else of the one that the check is named by; the level too. */
  readonly section: string;
  readonly level: Level;
  /** From the start of the run. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** What was violated, or why the check decided nothing, in one line; null where it held. */
  readonly message: string | null;
  /** What it takes to understand that and to see it again, line by line; none where the check held. */
  readonly detail: readonly string[];
}

const messageLength = 1_000;
// A line that is to be copied is of use only whole.
const commandLength = 100_000;
const attemptsTold = 20;

/** The checks of a report as a list of test results tells them, in the report's order. */
export function toldChecks(report: Report): readonly ToldCheck[] {
  const rows = new Map<string, ReportedRequirement>(report.requirements.map((row) => [row.id, row]));
  return report.checks.map((check) => toldCheck(check, rows, report));
}

type Rows = ReadonlyMap<string, ReportedRequirement>;

function toldCheck(check: ReportedCheck, rows: Rows, report: Report): ToldCheck {
  const { id, requirements, outcome, cases, requests, started_ms, duration_ms, failure } = check;
  const { section, level } = rowOf(failure?.requirement ?? id, rows);
  return {
    id,
    requirements,
    outcome,
    cases,
    requests,
    area: areaOfCheck(id),
    section,
    level,
    startedMs: started_ms,
    durationMs: duration_ms,
    message: messageOf(check, rows, report),
    detail: [
      ...failuresOf(check).flatMap((one) => ['', ...failureLines(one, rowOf(one.requirement, rows))]),
      ...attemptLines(check),
    ].slice(1),
  };
}

/** The id of a check is that of a requirement, and a word behind a slash where the requirement has several. */
function rowOf(id: string, rows: Rows): ReportedRequirement {
  const row = rows.get(id.split('/')[0] ?? id);
  if (row === undefined) throw new Error(`The report has no requirement for "${id}".`);
  return row;
}

function areaOfCheck(id: string): Area {
  const area = areas.find((candidate) => id.startsWith(`${candidate}.`));
  if (area === undefined) throw new Error(`The id "${id}" begins with no area.`);
  return area;
}

function failuresOf({ failure, further_failures }: ReportedCheck): readonly Failure[] {
  return failure === null ? [] : [failure, ...further_failures];
}

function messageOf(check: ReportedCheck, rows: Rows, report: Report): string | null {
  const { outcome, reason, failure, further_failures } = check;
  if (outcome === 'pass') return null;
  if (failure === null) return shownText(reason ?? 'no reason was given', messageLength);
  const standing = standingOf(rowOf(failure.requirement, rows), report);
  const more = further_failures.length;
  return [
    ...(standing === null ? [] : [`(${standing})`]),
    shownText(failure.message, messageLength),
    ...(more > 0 ? [`(and ${counted(more, 'further violation')})`] : []),
  ].join(' ');
}

/** Why a violation is not counted against the target; null where it is. */
function standingOf(row: ReportedRequirement, { gate }: Report): string | null {
  if (isLeftOut(row)) return 'not selected, so it does not count';
  if (gate.waived.includes(row.id)) return 'waived';
  return row.level === 'advisory' ? 'advisory, so it does not decide' : null;
}

function failureLines(failure: Failure, row: ReportedRequirement): readonly string[] {
  const { message, expected, actual, counterexample, confirmed, reproduce } = failure;
  return [
    `violated: ${row.id} (${row.level}, §${row.section}) ${shownText(row.statement)}`,
    `message: ${shownText(message)}`,
    `expected: ${shownText(expected)}`,
    `actual: ${shownText(actual)}`,
    `counterexample: ${shownText(JSON.stringify(counterexample))}`,
    `confirmed: ${confirmed}`,
    `curl: ${shownText(reproduce.curl, commandLength)}`,
    `replay: ${shownText(reproduce.command, commandLength)}`,
  ];
}

/** What came of the attempts of a check that was left undecided; a violation tells its own. */
function attemptLines({ attempts, outcome }: ReportedCheck): readonly string[] {
  if (outcome !== 'inconclusive') return [];
  const lines = attempts
    .slice(0, attemptsTold)
    .map(({ attempt, came }) => `attempt ${attempt}: ${shownText(came)}`);
  const more = attempts.length - attemptsTold;
  return ['', ...lines, ...(more > 0 ? [`and ${counted(more, 'more attempt')}`] : [])];
}
