import { exitCodes } from '../spec/exit-codes.js';
import { requirementLines } from '../spec/ledger.js';
import type { Report, ReportedRequirement } from '../spec/report.js';
import {
  explainMissingEvidence,
  explainVerdict,
  type FailedRequirement,
  groupByReason,
  listUnproven,
  listWaiverFaults,
  splitFailed,
} from './report-view.js';
import { findLine, type ResultLocation } from './result-location.js';
import { safeLine } from './sanitize.js';
import { formatConfirmed, formatCount, formatGroupSize, shortList } from './wording.js';

interface Annotation {
  readonly level: 'error' | 'warning';
  readonly title: string;
  /** Sanitized one by one. */
  readonly lines: readonly string[];
  readonly place?: Readonly<Record<string, string | number>>;
}

/** GitHub shows no more of one step. */
const annotationsAtMost = 10;
const longestPart = 400;

/**
 * Renders workflow commands that annotate a job of GitHub Actions, each on its line, ten at most: what keeps the verdict
 * from being relied on, then what failed, `must` before `derived`, then warnings. Empty where all is well.
 * @param location the file that is annotated; the ledger where absent
 */
export function renderAnnotations(report: Report, location?: ResultLocation): string {
  const { deciding, advisory } = splitFailed(report);
  const isWaived = ({ requirement }: FailedRequirement) => report.gate.waived.includes(requirement.id);
  const failed = deciding.filter((one) => !isWaived(one));
  const alarms = listAlarms(report);
  const warnings = listAnnotatedWarnings(report, deciding.filter(isWaived), advisory);
  const room = annotationsAtMost - alarms.length - warnings.length;
  const shown = failed.length <= room ? failed : failed.slice(0, room - 1);
  const more = failed.slice(shown.length);
  const rest: readonly Annotation[] =
    more.length === 0
      ? []
      : [{ level: 'error', title: `${more.length} more failed`, lines: [shortIds(more.map(toRow))] }];
  return [...alarms, ...shown.map((one) => annotateFailed(one, location)), ...rest, ...warnings]
    .map(renderCommand)
    .join('');
}

function listAlarms(report: Report): readonly Annotation[] {
  const { gate, run, verdict } = report;
  const alarm = (title: string, ...lines: readonly string[]): readonly Annotation[] => [
    { level: 'error', title, lines },
  ];
  if (gate.exit_code === exitCodes.suiteFault)
    return alarm('the suite itself failed', 'Do not rely on the verdict.', ...run.notes.slice(0, 3));
  const faults = listWaiverFaults(report);
  if (faults.length > 0) return alarm('waivers out of date', ...faults);
  return verdict === 'unjudged' ? alarm('unjudged', explainVerdict(report)) : [];
}

function annotateFailed(failed: FailedRequirement, location: ResultLocation | undefined): Annotation {
  const {
    requirement,
    failures: [failure],
  } = failed;
  const { id, level, section, statement } = requirement;
  const line = location === undefined ? requirementLines().get(id) : findLine(location, failed);
  const evidence =
    failure === undefined
      ? [explainMissingEvidence(requirement)]
      : [
          failure.message,
          `Expected: ${failure.expected}`,
          `Got: ${failure.actual}`,
          `Confirmed: ${formatConfirmed(failure.confirmed)}`,
          `Reproduce: ${failure.reproduce.command}`,
        ];
  return {
    level: 'error',
    title: `${id} (${level}, §${section})`,
    lines: [statement, ...evidence],
    place: { file: location?.path ?? 'spec/requirements.yaml', ...(line === undefined ? {} : { line }) },
  };
}

function listAnnotatedWarnings(
  report: Report,
  waived: readonly FailedRequirement[],
  advisory: readonly FailedRequirement[],
): readonly Annotation[] {
  const notExercised = listUnproven(report).filter(({ status }) => status === 'not-exercised');
  return [
    ...warnOfRows(waived.map(toRow), 'requirement', 'failed, waived'),
    ...warnOfInconclusive(report),
    ...warnOfRows(notExercised, 'must requirement', 'not exercised'),
    ...warnOfRows(advisory.map(toRow), 'advisory finding', 'not part of the verdict'),
  ];
}

function warnOfRows(rows: readonly Row[], noun: string, what: string): readonly Annotation[] {
  if (rows.length === 0) return [];
  return [{ level: 'warning', title: `${formatCount(rows.length, noun)}: ${what}`, lines: [shortIds(rows)] }];
}

function warnOfInconclusive(report: Report): readonly Annotation[] {
  const groups = groupByReason(report, 'inconclusive');
  if (groups.length === 0) return [];
  const rows = groups.flatMap(({ requirements }) => requirements);
  const reasons = groups
    .slice(0, 3)
    .map(({ reason, requirements }) => `${requirements.length}: ${safeLine(reason, longestPart)}`);
  return [{ level: 'warning', title: `${formatGroupSize(rows)} inconclusive`, lines: reasons }];
}

type Row = Pick<ReportedRequirement, 'id'>;

function toRow({ requirement }: FailedRequirement): Row {
  return requirement;
}

function shortIds(rows: readonly Row[]): string {
  return shortList(
    rows.map(({ id }) => id),
    8,
  );
}

const escapes: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A' };
const propertyEscapes: Readonly<Record<string, string>> = { ...escapes, ':': '%3A', ',': '%2C' };

/** Renders an annotation as one workflow command, whatever its texts hold; it ends with a line end. */
function renderCommand({ level, title, lines, place = {} }: Annotation): string {
  const properties = { title: `plumbline: ${safeLine(title, longestPart)}`, ...place };
  const list = Object.entries(properties).map(
    ([key, value]) => `${key}=${escapeWith(String(value), propertyEscapes)}`,
  );
  const message = lines.map((line) => safeLine(line, longestPart)).join('\n');
  return `::${level} ${list.join(',')}::${escapeWith(message, escapes)}\n`;
}

function escapeWith(text: string, replacements: Readonly<Record<string, string>>): string {
  return text.replace(/[%\r\n:,]/g, (found) => replacements[found] ?? found);
}
