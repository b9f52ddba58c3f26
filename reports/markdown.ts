import { areaOf, areas } from '../spec/ledger.js';
import type { Report } from '../spec/report.js';
import { counted, coverageText, durationText, numberText } from './amount-text.js';
import { cleanCommand } from './clean-command.js';
import { bytesOf, fittedSections } from './fitted-sections.js';
import { embeddedServer, insecureNote } from './judged-server.js';
import { codeSpan, inertProse, table } from './markdown-text.js';
import { notExercisedSection, undecidedSection } from './markdown-unproven.js';
import { adviceSection, violatedSection } from './markdown-violations.js';
import { statusWords, totalsText } from './status-words.js';
import { verdictReason } from './verdict-reason.js';
import { violationsOf } from './violations.js';
import { waiverFaults } from './waiver-faults.js';

/** What a job summary may take, in bytes. */
export const summaryBytes = 1_048_576;

/**
 * A report as a page for a job summary, in GitHub's Markdown: the verdict and why, the run, the areas, the violations,
 * what stayed unproven and what would unlock it, the sums. Always below `mostBytes` of UTF-8, 1 MiB where not said, if
 * these are at least 64 KiB: entries are left out whole, with their number. Text that came from a server is made inert.
 */
export function markdownSummary(report: Report, mostBytes: number = summaryBytes): string {
  const violations = violationsOf(report);
  const head = `${[headText(report), runTable(report), areaTable(report)].join('\n\n')}\n\n`;
  const foot = `${sumText(report)}\n`;
  const sections = [
    violatedSection(violations, report.gate.waived),
    adviceSection(violations),
    undecidedSection(report),
    notExercisedSection(report),
    leftBehindSection(report),
  ];
  const room = mostBytes - 1 - bytesOf(head) - bytesOf(foot);
  return `${head}${fittedSections(sections, room, leftOutLine)}${foot}`;
}

function leftOutLine(count: number): string {
  const entries = count === 1 ? '1 more entry' : `${numberText(count)} more entries`;
  return `*${entries} left out for want of room; report.json has everything.*`;
}

const suiteFailed = 5;
const notesShown = 5;

function headText(report: Report): string {
  const { verdict, run, gate } = report;
  const reason = verdictReason(report);
  const notes = run.notes.filter((note) => note !== reason);
  return [
    `## plumbline: ${verdict}`,
    `**${inertProse(reason)}**`,
    `The gate ends with exit code ${gate.exit_code}: ${gate.waived.length} waived, ${gate.excused.length} excused by the policy.`,
    ...(run.complete ? [] : ['The run did not reach its end; this is what it found out until then.']),
    ...(gate.exit_code === suiteFailed
      ? ['The suite itself failed, so do not rely on this verdict; please report it.']
      : []),
    ...waiverFaults(report).slice(0, notesShown).map(inertProse),
    ...notes.slice(0, notesShown).map((note) => `Note: ${inertProse(note)}`),
  ].join('\n\n');
}

function runTable({ target, run, tool, checks }: Report): string {
  const covered = coverageText(checks);
  const took = `${counted(run.requests, 'request')} and ${counted(run.cases, 'case')} in ${durationText(run.duration_ms)}`;
  const note = insecureNote(target);
  const url = `${target.base_url === null ? 'never known' : codeSpan(target.base_url, 'table')}${note === undefined ? '' : ` (${note})`}`;
  return table(
    [
      ['Target', target.embedded === true ? `${embeddedServer}, ${url}` : url],
      ['Run', `${codeSpan(run.started_at, 'table')}, ${took}`],
      [
        'Depth',
        `${run.depth}, seed \`${run.seed}\`${run.shard === '1/1' ? '' : `, shard ${codeSpan(run.shard, 'table')}`}`,
      ],
      ...(covered === undefined ? [] : [['Judged', covered] as const]),
      ['Suite', codeSpan(`${tool.name} ${tool.version}`, 'table')],
    ],
    ['left', 'left'],
  );
}

/** How many requirements of each area ended with each status; zeros are left blank. */
function areaTable({ requirements }: Report): string {
  const counts = (rows: Report['requirements'], show: (count: number) => string) =>
    statusWords.map(([status]) => show(rows.filter((row) => row.status === status).length));
  return table(
    [
      ['area', ...statusWords.map(([, word]) => word)],
      ...areas.map((area) => [
        area,
        ...counts(
          requirements.filter(({ id }) => areaOf(id) === area),
          (count) => (count === 0 ? '' : numberText(count)),
        ),
      ]),
      ['**all**', ...counts(requirements, (count) => `**${numberText(count)}**`)],
    ],
    ['left', ...statusWords.map(() => 'right' as const)],
  );
}

/** What the run made and could not delete: somebody has to. */
function leftBehindSection(report: Report) {
  const { left_behind: left } = report.run;
  return {
    heading: `### Left behind on the server (${left.length})`,
    entries: [
      ...left.map(({ scope, name, why }) => `- ${codeSpan(`${scope}/${name}`)}: ${inertProse(why)}`),
      ...(left.length === 0 ? [] : [`- To remove it: ${codeSpan(cleanCommand(report))}`]),
    ],
  };
}

function sumText({ requirements, totals }: Report): string {
  return `${counted(requirements.length, 'requirement')}: ${totalsText(totals)}.`;
}
