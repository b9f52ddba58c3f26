import { countStatuses, type Report } from '../spec/report.js';
import type { Cause } from './causes.js';
import {
  explainMissingEvidence,
  type FailedRequirement,
  type NumberedFailure,
} from './failed-requirements.js';
import { codeSpan, fenceShell, fitSections, prose, type Section, table } from './markdown-text.js';
import {
  countGrouped,
  describeReport,
  embeddedServer,
  explainGroup,
  type ReasonGroup,
  type RenderOptions,
  type ReportView,
} from './report-view.js';
import {
  formatConfirmed,
  formatCount,
  formatCoverage,
  formatDuration,
  formatGroupSize,
  formatNumber,
  formatTotals,
  shortList,
  statusOrder,
  statusWords,
} from './wording.js';

/** What a job summary may take, in bytes. */
export const summaryBytes = 1_048_576;

/** Renders a report in GitHub's Markdown, below `mostBytes` of UTF-8 if these are at least 64 KiB. */
export function renderMarkdown(
  report: Report,
  { mostBytes = summaryBytes, directory }: RenderOptions & { readonly mostBytes?: number } = {},
): string {
  const { requirements, totals } = report;
  const view = describeReport(report, directory);
  const head = `${[renderHead(view), renderRun(view), renderAreas(view)].join('\n\n')}\n\n`;
  const foot = `${formatCount(requirements.length, 'requirement')}: ${formatTotals(totals)}.\n`;
  const { deciding, causes, advisory, inconclusive } = view;
  const sections = [
    {
      heading: `### Failed (${deciding.length})`,
      entries: causes.map((cause) => renderCause(cause, view)),
    },
    {
      heading: `### Advisory findings (${advisory.length}); not part of the verdict`,
      entries: advisory.map(renderAdvisory),
    },
    { heading: `### Inconclusive (${countGrouped(inconclusive)})`, entries: inconclusive.map(renderGroup) },
    notExercisedSection(view),
    leftBehindSection(view),
  ];
  const room = mostBytes - 1 - Buffer.byteLength(head + foot);
  return `${head}${fitSections(sections, room)}${foot}`;
}

const notesShown = 5;

function renderHead(view: ReportView): string {
  const { verdict, gate } = view.report;
  return [
    `## plumbline: ${verdict}`,
    `**${prose(view.explanation)}**`,
    `${[`Exit code ${gate.exit_code}`, ...view.exceptions].join(', ')}.`,
    ...view.warnings,
    ...view.waiverFaults.slice(0, notesShown).map(prose),
    ...view.notes.slice(0, notesShown).map((note) => `Note: ${prose(note)}`),
  ].join('\n\n');
}

function renderRun({ report, insecure: note }: ReportView): string {
  const { target, run, tool, checks } = report;
  const covered = formatCoverage(checks);
  const took = `${formatCount(run.requests, 'request')} and ${formatCount(run.cases, 'case')} in ${formatDuration(run.duration_ms)}`;
  const address = target.base_url === null ? 'unknown' : codeSpan(target.base_url, 'table');
  const url = `${address}${note === undefined ? '' : ` (${note})`}`;
  const shard = run.shard === '1/1' ? '' : `, shard ${codeSpan(run.shard, 'table')}`;
  return table([
    ['Target', target.embedded === true ? `${embeddedServer}, ${url}` : url],
    ['Run', `${codeSpan(run.started_at, 'table')}, ${took}`],
    ['Depth', `${run.depth}, seed \`${run.seed}\`${shard}`],
    ...(covered === undefined ? [] : [['Judged', covered] as const]),
    ['Suite', codeSpan(`${tool.name} ${tool.version}`, 'table')],
  ]);
}

/** How many requirements of each area have each status; zeros are left blank. */
function renderAreas({ report: { totals }, areas }: ReportView): string {
  return table(
    [
      ['area', ...statusOrder.map((status) => statusWords[status])],
      ...areas.map(({ area, rows }) => {
        const counts = countStatuses(rows);
        return [area, ...statusOrder.map((status) => formatNumber(counts[status]).replace(/^0$/, ''))];
      }),
      ['**all**', ...statusOrder.map((status) => `**${formatNumber(totals[status])}**`)],
    ],
    ['left', ...statusOrder.map(() => 'right' as const)],
  );
}

/** Renders one fault in a sentence, the requirements that it violates, and the simplest violation in full. */
function renderCause(cause: Cause, { report, worldNote }: ReportView): string {
  const { fault, requirements, lead, simplest, isMost } = cause;
  const { id, level, section, statement } = lead;
  const markWaived = (row: string) =>
    report.gate.waived.some((waived) => waived === row) ? ' (waived)' : '';
  const others = requirements
    .filter((row) => row !== lead)
    .map((row) => `\`${row.id}\`${markWaived(row.id)}`);
  return [
    `#### ${formatCount(requirements.length, 'requirement')}: ${prose(fault)}.${isMost ? ' Fix this first.' : ''}`,
    `**${level} \`${id}\` §${section}**${markWaived(id)}: ${prose(statement)}`,
    simplest === undefined ? prose(explainMissingEvidence(lead)) : renderFailure(simplest, worldNote),
    ...(others.length === 0 ? [] : [`The same cause fails ${shortList(others, 16)}.`]),
  ].join('\n\n');
}

function renderFailure({ failure, replay }: NumberedFailure, note: string | undefined) {
  const { message, expected, actual, confirmed, reproduce } = failure;
  const commands = [
    ...(replay === undefined || note === undefined ? [] : [`# ${note}`]),
    toCopy(reproduce.curl, 'curl line'),
    toCopy(reproduce.command, 'command'),
    ...(replay === undefined ? [] : [replay]),
  ];
  return [
    ...[codeSpan(message), ''],
    ...[`- expected ${codeSpan(expected)}`, `- got ${codeSpan(actual)}`],
    ...[`- confirmed ${prose(formatConfirmed(confirmed))}`, '', fenceShell(commands)],
  ].join('\n');
}

// No shell takes a longer line; the report has it.
const longestCommand = 8_000;

function toCopy(line: string, what: string): string {
  return line.length <= longestCommand
    ? line
    : `# The ${what} has ${formatNumber(line.length)} characters; see report.json.`;
}

function renderAdvisory({ requirement: { id, section, statement, reason }, failures }: FailedRequirement) {
  const got = failures[0]?.failure.actual ?? reason;
  const line = `- \`${id}\` §${section}: ${prose(statement)}`;
  return got === null ? line : `${line} Got: ${codeSpan(got)}`;
}

/** Requirements that could not be exercised, by what they need; those not selected only as a number. */
function notExercisedSection({ notExercised: groups, leftOut }: ReportView): Section {
  const entries = groups.map(renderGroup);
  return {
    heading: `### Not exercised (${countGrouped(groups)}), most valuable first`,
    entries: leftOut === 0 ? entries : [...entries, `${formatCount(leftOut, 'requirement')} not selected.`],
  };
}

function renderGroup(group: ReasonGroup): string {
  const { need, reason, requirements, isExplainedByNotes } = group;
  const size = `- **${formatGroupSize(requirements)}**`;
  if (isExplainedByNotes) return `${size}${explainGroup(group)}`;
  const ids = requirements.map(({ id }) => `\`${id}\``);
  const why = explainGroup({ ...group, reason: prose(reason), need: need && prose(need) });
  return `${size}${why}\n  ${shortList(ids, 16)}`;
}

/** What the run created and could not delete, so that the user has to. */
function leftBehindSection({ report, cleanCommand }: ReportView): Section {
  const { left_behind: left } = report.run;
  return {
    heading: `### Left behind on the server (${left.length})`,
    entries: [
      ...left.map(({ scope, name, why }) => `- ${codeSpan(`${scope}/${name}`)}: ${prose(why)}`),
      ...(left.length === 0 ? [] : [`- To remove it: ${codeSpan(cleanCommand)}`]),
    ],
  };
}
