import { exitCodes } from '../spec/exit-codes.js';
import { requirementLines } from '../spec/ledger.js';
import type { Report, ReportedRequirement } from '../spec/report.js';
import { type Cause, renderCause, renderEvidence } from './causes.js';
import { explainMissingEvidence, type FailedRequirement } from './failed-requirements.js';
import { describeReport, type RenderOptions, type ReportView } from './report-view.js';
import { findLine } from './result-location.js';
import { safeLine } from './sanitize.js';
import { formatCount, formatGroupSize, shortIds } from './wording.js';

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

/** Renders workflow commands that annotate a job of GitHub Actions, ten at most; empty where all is well. */
export function renderAnnotations(report: Report, options: RenderOptions = {}): string {
  const view = describeReport(report, options.directory);
  const causes = view.causes.flatMap((cause) => {
    const requirements = cause.requirements.filter(({ id }) => !report.gate.waived.includes(id));
    const lead = requirements.find((row) => row === cause.lead) ?? requirements[0];
    return lead === undefined ? [] : { ...cause, requirements, lead };
  });
  const alarms = listAlarms(view);
  const warnings = listAnnotatedWarnings(view);
  const room = annotationsAtMost - alarms.length - warnings.length;
  const shown = causes.length <= room ? causes : causes.slice(0, room - 1);
  const more = causes.slice(shown.length).flatMap(({ requirements }) => requirements);
  const rest = { level: 'error', title: `${more.length} more failed`, lines: [shortIds(more)] } as const;
  const failed = shown.map((cause) => annotateCause(cause, options));
  return [...alarms, ...failed, ...(more.length === 0 ? [] : [rest]), ...warnings]
    .map(renderCommand)
    .join('');
}

function listAlarms(view: ReportView): readonly Annotation[] {
  const { gate, run, verdict } = view.report;
  const alarm = (title: string, ...lines: readonly string[]): readonly Annotation[] => [
    { level: 'error', title, lines },
  ];
  if (gate.exit_code === exitCodes.suiteFault)
    return alarm('the suite itself failed', 'Do not rely on the verdict.', ...run.notes.slice(0, 3));
  if (view.waiverFaults.length > 0) return alarm('waivers out of date', ...view.waiverFaults);
  return verdict === 'unjudged' ? alarm('unjudged', view.explanation) : [];
}

function annotateCause(cause: Cause, { location }: RenderOptions): Annotation {
  const { requirements, lead, simplest } = cause;
  const { id, level, section, statement } = lead;
  const isAlone = requirements.length === 1;
  const line =
    location === undefined ? requirementLines().get(id) : findLine(location, id, simplest?.failure);
  return {
    level: 'error',
    title: isAlone ? `${id} (${level}, §${section})` : renderCause(cause),
    lines: [
      isAlone ? statement : shortIds(requirements),
      ...(simplest === undefined ? [explainMissingEvidence(lead)] : renderEvidence(simplest)),
    ],
    place: { file: location?.path ?? 'spec/requirements.yaml', ...(line === undefined ? {} : { line }) },
  };
}

/** Warns of what failed without deciding, and of what has no result, a line for each kind. */
function listAnnotatedWarnings({ report, deciding, advisory, unproven, inconclusive }: ReportView) {
  const toRows = (failed: readonly FailedRequirement[]) => failed.map(({ requirement }) => requirement);
  const waived = toRows(deciding).filter(({ id }) => report.gate.waived.includes(id));
  const notExercised = unproven.filter(({ status }) => status === 'not-exercised');
  const reasons = inconclusive
    .slice(0, 3)
    .map(({ reason, requirements }) => `${requirements.length}: ${safeLine(reason, longestPart)}`);
  const warn = (rows: readonly Row[], title: string, lines = [shortIds(rows)]): readonly Annotation[] =>
    rows.length === 0 ? [] : [{ level: 'warning', title, lines }];
  const rows = inconclusive.flatMap(({ requirements }) => requirements);
  return [
    ...warn(waived, `${formatCount(waived.length, 'requirement')}: failed, waived`),
    ...warn(rows, `${formatGroupSize(rows)} inconclusive`, reasons),
    ...warn(notExercised, `${formatCount(notExercised.length, 'must requirement')}: not exercised`),
    ...warn(toRows(advisory), `${formatCount(advisory.length, 'advisory finding')}: not part of the verdict`),
  ];
}

type Row = Pick<ReportedRequirement, 'id'>;

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
