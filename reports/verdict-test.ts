import { exitCodes } from '../spec/exit-codes.js';
import type { Report, ReportedRequirement, Status, Verdict } from '../spec/report.js';
import { shownText } from './shown-text.js';
import { suiteFaultOf } from './suite-fault.js';
import { reasonGroups, unprovenMusts } from './unproven.js';
import { verdictReason } from './verdict-reason.js';
import { violationsOf } from './violations.js';

/** The test of the verdict in a list of test results: it ends as the gate does. */
export interface VerdictTest {
  readonly result: 'pass' | 'fail' | 'error';
  /** The meaning of the exit code in one word: `non-conformant`, `interrupted`. */
  readonly type: string;
  /** The verdict and its reason, one inert line. */
  readonly message: string;
  /** The requirements that decided and what the run noted, an inert line each. */
  readonly detail: readonly string[];
}

interface ExitMeaning extends Pick<VerdictTest, 'result' | 'type'> {
  /** The verdict that has this exit code where neither waivers nor policy change it. */
  readonly verdict?: Verdict;
  readonly meaning: string;
}

const exitMeanings: Readonly<Record<number, ExitMeaning>> = {
  [exitCodes.conformant]: {
    result: 'pass',
    type: 'conformant',
    verdict: 'conformant',
    meaning: 'allowed by waivers, policy or ledger version',
  },
  [exitCodes['non-conformant']]: {
    result: 'fail',
    type: 'non-conformant',
    verdict: 'non-conformant',
    meaning: 'a requirement failed that the policy counts',
  },
  [exitCodes.usage]: { result: 'error', type: 'usage', meaning: 'the waivers or the policy are invalid' },
  [exitCodes.unjudged]: {
    result: 'error',
    type: 'unjudged',
    verdict: 'unjudged',
    meaning: 'nothing could be judged',
  },
  [exitCodes.incomplete]: {
    result: 'fail',
    type: 'incomplete',
    verdict: 'incomplete',
    meaning: 'a must did not pass and is not excused',
  },
  [exitCodes.suiteFault]: { result: 'error', type: 'suite-fault', meaning: 'the suite itself failed' },
  [exitCodes.interrupted]: { result: 'error', type: 'interrupted', meaning: 'the run was interrupted' },
};

// A report of a later version may have another exit code; what is not 0 is never shown as passed.
const unknownExit: ExitMeaning = { result: 'error', type: 'unknown', meaning: 'unknown to this version' };

/** Returns how the test of the verdict ends. */
export function buildVerdictTest(report: Report): VerdictTest {
  const exit = exitMeanings[report.gate.exit_code] ?? unknownExit;
  const { result, type } = exit;
  return { result, type, message: renderMessage(report, exit), detail: listDetail(report) };
}

function renderMessage(report: Report, { verdict, meaning }: ExitMeaning): string {
  const fault = suiteFaultOf(report);
  if (fault !== null) return fault.message;
  const { gate, run } = report;
  const parts = [
    `${report.verdict}: ${shownText(verdictReason(report))}`,
    ...(run.complete || gate.exit_code === exitCodes.interrupted ? [] : ['the run stopped early']),
    ...(verdict === report.verdict ? [] : [`exit code ${gate.exit_code}: ${meaning}`]),
  ];
  return parts.join('; ');
}

function listDetail(report: Report): readonly string[] {
  const { gate, run, verdict } = report;
  const failed = violationsOf(report)
    .map(({ requirement }) => requirement)
    .filter((requirement) => isDecisive(requirement, report))
    .map(({ id }) => id);
  const notes = [...run.notes, ...gate.notes].filter((note) => note !== verdictReason(report));
  return [
    ...failed,
    ...(failed.length === 0 && verdict !== 'unjudged' ? listUnexcused(report) : []),
    ...notes.map((note) => `note: ${shownText(note)}`),
  ];
}

/** Whether the failure of a requirement counts at the gate. */
function isDecisive({ id, level }: ReportedRequirement, { gate }: Report): boolean {
  const levels = gate.policy?.decides ?? ['must', 'derived'];
  return levels.includes(level) && ![...gate.waived, ...gate.newer].includes(id);
}

const idsShown = 5;

/** Every `must` that did not pass and is not excused, by reason, and what to do about those not exercised. */
function listUnexcused(report: Report): readonly string[] {
  const { excused, newer } = report.gate;
  const owed = unprovenMusts(report)
    .map(({ id }) => id)
    .filter((id) => ![...excused, ...newer].includes(id));
  const linesOf = (status: Status) =>
    reasonGroups(report, status).flatMap(({ reason, requirements }) => {
      const ids = requirements.map(({ id }) => id).filter((id) => owed.includes(id));
      return ids.length === 0 ? [] : [`${shownText(reason)}: ${listIds(ids)}`];
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

function listIds(ids: readonly string[]): string {
  const more = ids.length - idsShown;
  return `${ids.slice(0, idsShown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
