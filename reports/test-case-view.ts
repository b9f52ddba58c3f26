import { exitCodes } from '../spec/exit-codes.js';
import { type Area, areas, type Level, requirement } from '../spec/ledger.js';
import {
  type Failure,
  isLeftOut,
  type Report,
  type ReportedCheck,
  type ReportedRequirement,
  type Status,
} from '../spec/report.js';
import { listReplayCommands } from './causes.js';
import type { KnownTest, RenderOptions } from './render-options.js';
import {
  explainVerdict,
  groupByReason,
  listFailed,
  listUnproven,
  noteWorld,
  warnOfSuiteFault,
} from './report-view.js';
import { safeLine } from './sanitize.js';
import { formatConfirmed, formatCount, shortList } from './wording.js';

/** A check as a list of test results shows it: every text is sanitized and of bounded length. */
export interface TestCase
  extends Pick<ReportedCheck, 'id' | 'requirements' | 'outcome' | 'cases' | 'requests'> {
  readonly area: Area;
  /** Of the requirement that failed first, else of the one that the check is named after; the level too. */
  readonly section: string;
  readonly level: Level;
  /** From the start of the run. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** What failed, or why the check has no result, in one line; null where it passed. */
  readonly message: string | null;
  /** What it takes to understand and reproduce that, line by line; empty where the check passed. */
  readonly detail: readonly string[];
}

const messageLength = 1_000;
// A line to copy is of use only whole.
const commandLength = 100_000;
const attemptsShown = 20;

type Rows = ReadonlyMap<string, ReportedRequirement>;

/** Lists the checks, then as skipped the known tests not sent: a dashboard would take them for removed. */
export function listTestCases(
  report: Report,
  { tests: known = [], directory }: RenderOptions,
): readonly TestCase[] {
  const rows: Rows = new Map(report.requirements.map((row) => [row.id, row]));
  const listed = new Set(report.checks.map(({ id }) => id));
  // Recorded traffic has checks of its own, always the same.
  const isRecorded = report.run.recording !== undefined && !known.some(({ id }) => listed.has(id));
  const missing = isRecorded ? [] : known.filter(({ id }) => !listed.has(id));
  return [
    ...listReportedChecks(report, rows, directory),
    ...missing.map((test) => makeUnsentTest(test, report)),
  ];
}

function makeUnsentTest({ id, requirement: own, requirements }: KnownTest, report: Report): TestCase {
  const { section, level } = requirement(own);
  return {
    ...{ id, requirements, outcome: 'skipped', cases: 0, requests: 0, area: findArea(id), section, level },
    ...{ startedMs: 0, durationMs: 0, detail: [] },
    message: `not sent: ${safeLine(explainUnsent(requirements, report), messageLength)}`,
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

function listReportedChecks(report: Report, rows: Rows, directory: string | undefined): readonly TestCase[] {
  const replays = listReplayCommands(report, directory);
  const again = (failure: Failure) => renderCommands(failure, replays.get(failure), noteWorld(report));
  return report.checks.map((check) => {
    const { id, requirements, outcome, cases, requests, started_ms, duration_ms, failure } = check;
    const { section, level } = findRow(failure?.requirement ?? id, rows);
    const failures = failure === null ? [] : [failure, ...check.further_failures];
    const detail = [
      ...failures.flatMap((one) => [
        '',
        ...renderFailure(one, findRow(one.requirement, rows)),
        ...again(one),
      ]),
      ...renderAttempts(check),
    ].slice(1);
    return {
      ...{ id, requirements, outcome, cases, requests, area: findArea(id), section, level, detail },
      startedMs: started_ms,
      durationMs: duration_ms,
      message: renderMessage(check, rows, report),
    };
  });
}

/** The id of a check is that of a requirement, followed by a slash and a word where the requirement has several. */
function findRow(id: string, rows: Rows): ReportedRequirement {
  const row = rows.get(id.split('/')[0] ?? id);
  if (row === undefined) throw new Error(`The report has no requirement for "${id}".`);
  return row;
}

function findArea(id: string): Area {
  const area = areas.find((candidate) => id.startsWith(`${candidate}.`));
  if (area === undefined) throw new Error(`The id "${id}" does not begin with an area.`);
  return area;
}

function renderMessage(check: ReportedCheck, rows: Rows, report: Report): string | null {
  const { outcome, reason, failure, further_failures } = check;
  if (outcome === 'pass') return null;
  if (failure === null) return safeLine(reason ?? 'no reason was given', messageLength);
  const excuse = excuseFailure(findRow(failure.requirement, rows), report);
  const more = further_failures.length;
  return [
    ...(excuse === null ? [] : [`(${excuse})`]),
    safeLine(failure.message, messageLength),
    ...(more > 0 ? [`(and ${formatCount(more, 'further violation')})`] : []),
  ].join(' ');
}

/** Returns why a violation does not count against the target; null where it does. */
function excuseFailure(row: ReportedRequirement, { gate }: Report): string | null {
  if (isLeftOut(row)) return 'not selected, so it does not count';
  if (gate.waived.includes(row.id)) return 'waived';
  return row.level === 'advisory' ? 'advisory, not part of the verdict' : null;
}

function renderFailure(failure: Failure, row: ReportedRequirement): readonly string[] {
  const { message, expected, actual, counterexample, confirmed } = failure;
  return [
    `failed: ${row.id} (${row.level}, §${row.section}) ${safeLine(row.statement)}`,
    `message: ${safeLine(message)}`,
    `expected: ${safeLine(expected)}`,
    `got: ${safeLine(actual)}`,
    `counterexample: ${safeLine(JSON.stringify(counterexample))}`,
    `confirmed: ${formatConfirmed(confirmed)}`,
  ];
}

/** The lines to copy that send a violation again. One that does not count has no number to replay it by. */
function renderCommands(
  { reproduce: { curl, command } }: Failure,
  replay: string | undefined,
  note: string | undefined,
): readonly string[] {
  return [
    `curl: ${safeLine(curl, commandLength)}`,
    `reproduce: ${safeLine(command, commandLength)}`,
    ...(replay === undefined ? [] : [`replay: ${safeLine(replay)}${note === undefined ? '' : ` (${note})`}`]),
  ];
}

/** The attempts of an inconclusive check; a violation has its own. */
function renderAttempts({ attempts, outcome }: ReportedCheck): readonly string[] {
  if (outcome !== 'inconclusive') return [];
  const lines = attempts
    .slice(0, attemptsShown)
    .map(({ attempt, came }) => `attempt ${attempt}: ${safeLine(came)}`);
  const more = attempts.length - attemptsShown;
  return ['', ...lines, ...(more > 0 ? [`and ${formatCount(more, 'more attempt')}`] : [])];
}

/** A test about the run as a whole: it says how the gate ends, or that the suite itself failed. */
export interface RunTest {
  readonly name: 'verdict' | 'suite';
  readonly result: 'pass' | 'fail' | 'error';
  /** The meaning of the exit code in one word: `non-conformant`, `interrupted`. */
  readonly type: string;
  /** One sanitized line. */
  readonly message: string;
  /** Sanitized lines: the requirements that decided, what the run noted. */
  readonly detail: readonly string[];
}

/** Lists the tests of the run as a whole: the verdict, and whether the suite itself failed. */
export function listRunTests(report: Report): readonly RunTest[] {
  const fault = warnOfSuiteFault(report);
  const detail = fault === undefined ? [] : report.run.notes.map((note) => `note: ${safeLine(note)}`);
  return [
    buildVerdictTest(report),
    fault === undefined
      ? { name: 'suite', result: 'pass', type: 'sound', message: 'the suite itself did not fail', detail }
      : { name: 'suite', result: 'error', type: 'suite-fault', message: fault, detail },
  ];
}

/** What an exit code means; where nothing changes the gate, its type is the verdict. */
interface ExitMeaning extends Pick<RunTest, 'result' | 'type'> {
  readonly meaning: string;
}

const exitMeanings: Readonly<Record<number, ExitMeaning>> = {
  [exitCodes.conformant]: {
    result: 'pass',
    type: 'conformant',
    meaning: 'allowed by waivers, policy or ledger version',
  },
  [exitCodes['non-conformant']]: {
    result: 'fail',
    type: 'non-conformant',
    meaning: 'a requirement failed that the policy counts',
  },
  [exitCodes.usage]: { result: 'error', type: 'usage', meaning: 'the waivers or the policy are invalid' },
  [exitCodes.unjudged]: { result: 'error', type: 'unjudged', meaning: 'nothing could be judged' },
  [exitCodes.incomplete]: {
    result: 'fail',
    type: 'incomplete',
    meaning: 'a must did not pass and is not excused',
  },
  [exitCodes.suiteFault]: { result: 'error', type: 'suite-fault', meaning: 'the suite itself failed' },
  [exitCodes.interrupted]: { result: 'error', type: 'interrupted', meaning: 'the run was interrupted' },
};

// A report of a later version may have another exit code; what is not 0 is never shown as passed.
const unknownExit: ExitMeaning = { result: 'error', type: 'unknown', meaning: 'unknown to this version' };

/** Builds the test of the verdict, which ends as the gate does. */
export function buildVerdictTest(report: Report): RunTest {
  const { result, type } = exitMeanings[report.gate.exit_code] ?? unknownExit;
  return { name: 'verdict', result, type, message: renderVerdict(report, type), detail: listDetail(report) };
}

/** Explains how the gate ends: `exit code 130: the run was interrupted`; the code alone where the verdict says it. */
export function explainExit({ verdict, gate: { exit_code: code } }: Report): string {
  const { type, meaning } = exitMeanings[code] ?? unknownExit;
  return `exit code ${code}${type === verdict ? '' : `: ${meaning}`}`;
}

function renderVerdict(report: Report, type: string): string {
  const { gate, run } = report;
  const parts = [
    `${report.verdict}: ${safeLine(explainVerdict(report))}`,
    ...(run.complete || gate.exit_code === exitCodes.interrupted ? [] : ['the run stopped early']),
    ...(type === report.verdict ? [] : [explainExit(report)]),
  ];
  return warnOfSuiteFault(report) ?? parts.join('; ');
}

function listDetail(report: Report): readonly string[] {
  const { gate, run, verdict } = report;
  const levels = gate.policy?.decides ?? ['must', 'derived'];
  const passedOver = [...gate.waived, ...gate.newer];
  const failed = listFailed(report)
    .filter(({ requirement: { id, level } }) => levels.includes(level) && !passedOver.includes(id))
    .map(({ requirement }) => requirement.id);
  const notes = [...run.notes, ...gate.notes].filter((note) => note !== explainVerdict(report));
  return [
    ...failed,
    ...(failed.length === 0 && verdict !== 'unjudged' ? listUnexcused(report) : []),
    ...notes.map((note) => `note: ${safeLine(note)}`),
  ];
}

/** Every `must` that did not pass and is not excused, by reason, and what to do about those not exercised. */
function listUnexcused(report: Report): readonly string[] {
  const { excused, newer } = report.gate;
  const owed = listUnproven(report)
    .map(({ id }) => id)
    .filter((id) => ![...excused, ...newer].includes(id));
  const linesOf = (status: Status) =>
    groupByReason(report, status).flatMap(({ reason, requirements }) => {
      const ids = requirements.map(({ id }) => id).filter((id) => owed.includes(id));
      return ids.length === 0 ? [] : [`${safeLine(reason)}: ${shortList(ids, 5)}`];
    });
  const notExercised = linesOf('not-exercised');
  return [
    ...linesOf('inconclusive'),
    ...notExercised,
    ...(notExercised.length === 0
      ? []
      : ['Give the target what these need, or say in policy.excused why they need not pass.']),
  ];
}
