import { exitCodes } from '../spec/exit-codes.js';
import { type Area, areaOf, type Level, requirement } from '../spec/ledger.js';
import {
  type Failure,
  isLeftOut,
  isUnproven,
  listFailures,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
  type Status,
} from '../spec/report.js';
import { explainExit, findExitMeaning } from './exit-meaning.js';
import { describeReport, groupByReason, type KnownTest, type ReportView } from './report-view.js';
import { safeLine } from './sanitize.js';
import { formatConfirmed, formatCount, shortList } from './wording.js';

/** A test as a list of test results shows it: every text is sanitized and of bounded length. */
export interface TestCase {
  readonly id: string;
  readonly suite: 'run' | Area;
  readonly result: 'pass' | 'fail' | 'error' | 'inconclusive' | 'skipped';
  /** The level of a check; for a test about the run, the meaning of the exit code: `non-conformant`, `interrupted`. */
  readonly type: string;
  /** What failed, or why there is no result, in one line; null where a check passed. */
  readonly message: string | null;
  /** What it takes to understand and reproduce that, line by line. */
  readonly detail: readonly string[];
  readonly durationMs: number;
  /** Absent from a test about the run as a whole. */
  readonly check?: Pick<ReportedCheck, 'requirements' | 'cases' | 'requests'> & {
    /** The section, and below it the level, of the requirement that failed first, else of the one in the check's name. */
    readonly section: string;
    readonly level: Level;
    /** From the start of the run. */
    readonly startedMs: number;
  };
}

const messageLength = 1_000;
// A line to copy is of use only whole.
const commandLength = 100_000;
const attemptsShown = 20;

/**
 * Lists the tests of the run as a whole, the checks, and as skipped the known tests not sent: a dashboard would take
 * them for removed.
 */
export function listTestCases(view: ReportView, known: readonly KnownTest[] = []): readonly TestCase[] {
  const { report } = view;
  const listed = new Set(report.checks.map(({ id }) => id));
  // Recorded traffic has checks of its own, always the same.
  const isRecorded = report.run.recording !== undefined && !known.some(({ id }) => listed.has(id));
  const missing = isRecorded ? [] : known.filter(({ id }) => !listed.has(id));
  return [
    buildVerdictTest(report, view),
    buildSuiteTest(view),
    ...listCheckTests(view),
    ...missing.map((test) => buildUnsentTest(test, report)),
  ];
}

function buildUnsentTest({ id, requirement: own, requirements }: KnownTest, report: Report): TestCase {
  const { section, level } = requirement(own);
  return {
    ...{ id, suite: areaOf(id), result: 'skipped', type: level, detail: [], durationMs: 0 },
    message: `not sent: ${safeLine(explainUnsent(requirements, report), messageLength)}`,
    check: { requirements, cases: 0, requests: 0, section, level, startedMs: 0 },
  };
}

/** Explains why a run did not have a check that decides some requirements. */
export function explainUnsent(ids: readonly string[], { requirements, run, verdict }: Report): string {
  const rows = requirements.filter(({ id }) => ids.includes(id));
  if (rows.length > 0 && rows.every(isLeftOut)) return 'not selected';
  if (verdict === 'unjudged' || !run.complete) return run.notes[0] ?? 'the run stopped early';
  if (run.shard !== '1/1') return `not in shard ${run.shard}`;
  return `at depth ${run.depth} other checks decide its requirements`;
}

function listCheckTests({ report, failed, worldNote }: ReportView): readonly TestCase[] {
  const rows = new Map(report.requirements.map((row) => [String(row.id), row]));
  // The id of a check is that of a requirement, followed by a slash and a word where the requirement has several.
  const findRow = (id: string): ReportedRequirement => {
    const row = rows.get(id.split('/')[0] ?? id);
    if (row === undefined) throw new Error(`The report has no requirement for "${id}".`);
    return row;
  };
  const numbered = failed.flatMap(({ failures }) => failures);
  const replays = new Map(numbered.map(({ failure, replay }) => [failure, replay]));
  const note = worldNote === undefined ? '' : ` (${worldNote})`;
  return report.checks.map((check) => {
    const { id, requirements, outcome, cases, requests, failure } = check;
    const row = findRow(failure?.requirement ?? id);
    const { section, level } = row;
    const details = listFailures(check).map((one) => {
      // One that does not count has no number to replay it by.
      const replay = replays.get(one);
      const line = replay === undefined ? [] : [`replay: ${safeLine(replay)}${note}`];
      return [...renderFailure(one, findRow(one.requirement)), ...line];
    });
    const parts = [...details, renderAttempts(check)].filter(({ length }) => length > 0);
    return {
      ...{ id, suite: areaOf(id), result: outcome, type: level, message: renderMessage(check, row, report) },
      detail: parts.flatMap((lines) => ['', ...lines]).slice(1),
      durationMs: check.duration_ms,
      check: { requirements, cases, requests, section, level, startedMs: check.started_ms },
    };
  });
}

function renderFailure(
  { message, expected, actual, counterexample, confirmed, reproduce }: Failure,
  { id, level, section, statement }: ReportedRequirement,
): readonly string[] {
  return [
    `failed: ${id} (${level}, §${section}) ${safeLine(statement)}`,
    `message: ${safeLine(message)}`,
    `expected: ${safeLine(expected)}`,
    `got: ${safeLine(actual)}`,
    `counterexample: ${safeLine(JSON.stringify(counterexample))}`,
    `confirmed: ${formatConfirmed(confirmed)}`,
    `curl: ${safeLine(reproduce.curl, commandLength)}`,
    `reproduce: ${safeLine(reproduce.command, commandLength)}`,
  ];
}

/** Renders what failed in one line, or why there is no result; null where the check passed. */
function renderMessage(
  { outcome, reason, failure, further_failures: further }: ReportedCheck,
  row: ReportedRequirement,
  { gate }: Report,
): string | null {
  if (outcome === 'pass') return null;
  if (failure === null) return safeLine(reason ?? 'no reason was given', messageLength);
  // Why the violation does not count against the target.
  const excuses = [
    ...(isLeftOut(row) ? ['(not selected, so it does not count)'] : []),
    ...(gate.waived.includes(row.id) ? ['(waived)'] : []),
    ...(row.level === 'advisory' ? ['(advisory, not part of the verdict)'] : []),
  ];
  return [
    ...excuses.slice(0, 1),
    safeLine(failure.message, messageLength),
    ...(further.length > 0 ? [`(and ${formatCount(further.length, 'further violation')})`] : []),
  ].join(' ');
}

/** The attempts of an inconclusive check; a violation has its own. */
function renderAttempts({ attempts, outcome }: ReportedCheck): readonly string[] {
  if (outcome !== 'inconclusive') return [];
  const more = attempts.length - attemptsShown;
  return [
    ...attempts.slice(0, attemptsShown).map(({ attempt, came }) => `attempt ${attempt}: ${safeLine(came)}`),
    ...(more > 0 ? [`and ${formatCount(more, 'more attempt')}`] : []),
  ];
}

function buildSuiteTest({ report, suiteFault: fault }: ReportView): TestCase {
  const test = { id: 'suite', suite: 'run', durationMs: 0 } as const;
  if (fault === undefined)
    return { ...test, result: 'pass', type: 'sound', message: 'the suite itself did not fail', detail: [] };
  const detail = report.run.notes.map((note) => `note: ${safeLine(note)}`);
  return { ...test, result: 'error', type: 'suite-fault', message: fault, detail };
}

/** Builds the test of the verdict, which ends as the gate does. */
export function buildVerdictTest(
  report: Report,
  view = describeReport(report),
): TestCase & { readonly message: string } {
  const { gate, run, verdict } = report;
  const { explanation, suiteFault } = view;
  const [result, type] = findExitMeaning(gate.exit_code);
  const parts = [
    `${verdict}: ${safeLine(explanation)}`,
    ...(run.complete || gate.exit_code === exitCodes.interrupted ? [] : ['the run stopped early']),
    ...(type === verdict ? [] : [explainExit(report)]),
  ];
  const message = suiteFault ?? parts.join('; ');
  return { id: 'verdict', suite: 'run', result, type, message, detail: listGrounds(view), durationMs: 0 };
}

/** Lists the requirements that decided, and what the run noted. */
function listGrounds({ report, failed, explanation }: ReportView): readonly string[] {
  const { gate, run, verdict } = report;
  const levels = gate.policy?.decides ?? ['must', 'derived'];
  const ignored = [...gate.waived, ...gate.newer];
  const counted = failed
    .map(({ requirement }) => requirement)
    .filter(({ id, level }) => levels.includes(level) && !ignored.includes(id))
    .map(({ id }) => id);
  const notes = [...run.notes, ...gate.notes].filter((note) => note !== explanation);
  return [
    ...counted,
    ...(counted.length === 0 && verdict !== 'unjudged' ? listUnexcused(report) : []),
    ...notes.map((note) => `note: ${safeLine(note)}`),
  ];
}

/** Every `must` that did not pass and is not excused, by reason, and what to do about those not exercised. */
function listUnexcused(report: Report): readonly string[] {
  const { excused, newer } = report.gate;
  const owed = report.requirements
    .filter((row) => isUnproven(row) && ![...excused, ...newer].includes(row.id))
    .map(({ id }) => id);
  const linesOf = (status: Status) =>
    groupByReason(report, status).flatMap(({ reason, requirements }) => {
      const ids = requirements.map(({ id }) => id).filter((id) => owed.includes(id));
      return ids.length === 0 ? [] : [`${safeLine(reason)}: ${shortList(ids, 5)}`];
    });
  const notExercised = linesOf('not-exercised');
  const advice = 'Give the target what these need, or say in policy.excused why they need not pass.';
  return [...linesOf('inconclusive'), ...notExercised, ...(notExercised.length === 0 ? [] : [advice])];
}
