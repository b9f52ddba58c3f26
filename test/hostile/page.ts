import type { Outcome } from './judge-hostile.js';
import type { ConnectionRow, ControlRow, HostileRow } from './row.js';

type Row = HostileRow | ControlRow | ConnectionRow;

const sections = {
  'One operation':
    'One operation is answered with hostility, everything else by the reference: the positive controls of the others hold.',
  'Every operation': 'Every operation is answered so; the control protocol is the reference’s.',
  'The connection': 'There is nobody to talk to.',
  'The control protocol': 'The operations are the reference’s; what arranges worlds is hostile.',
};

/** A section of the page: rows of a kind, and how each ended. */
export type Section = keyof typeof sections;

/** A row of the page. */
export interface JudgedRow {
  readonly section: Section;
  readonly row: Row;
  readonly outcome: Outcome;
}

/** The page of hostile servers, as Markdown. */
export function hostilePage(rows: readonly JudgedRow[]): string {
  const most = (pick: (outcome: Outcome) => number) =>
    Math.ceil(Math.max(...rows.map(({ outcome }) => pick(outcome))));
  const of = (section: Section) => rows.filter((row) => row.section === section);
  const names = Object.keys(sections) as readonly Section[];
  const behaviours = new Set(rows.flatMap(({ row }) => [row.name, ...behavioursOf(row)]));
  for (const { row } of rows) if (behavioursOf(row).length > 0) behaviours.delete(row.name);
  return [
    '# Hostile servers',
    '',
    `**${rows.length} runs against servers that lie, stall, flood or break off, in ${behaviours.size} ways: each ended with the exit code`,
    `that is due, within ${most(({ seconds }) => seconds)} s and ${most(({ megabytes }) => megabytes)} MB.**`,
    '',
    'Whatever a server does, it must not crash the suite, hang it, fill its memory or have it write outside its reports.',
    'The command judges each of these servers with little time for a request (3 s, or 0.5 s where none is answered) and 10 s for',
    'the run (30 s where much data comes). Where a row names several behaviours, they answer by turns. Asserted of every run:',
    'the exit code and the words; under 300 MB; no stack trace and nothing that moves a terminal is printed; the reports are valid;',
    'nothing is written beside them; nobody else is talked to. `npm run hostile` renews this page.',
    '',
    ...names.map((section) => `- ${section}, ${of(section).length} runs: ${countVerdicts(of(section))}.`),
    '',
    '## Appendix',
    ...names.flatMap((section) => [
      '',
      `### ${section}`,
      '',
      sections[section],
      '',
      '| Behaviour | Exit | Verdict | What the report says | s |',
      '|---|---|---|---|---|',
      ...of(section)
        .map(writeLine)
        .toSorted((one, other) => one.localeCompare(other, 'en')),
    ]),
    '',
  ].join('\n');
}

function behavioursOf(row: Row): readonly string[] {
  return 'does' in row && typeof row.does === 'object' ? Object.keys(row.does) : [];
}

function countVerdicts(rows: readonly JudgedRow[]): string {
  const verdicts = [...new Set(rows.map(({ outcome }) => outcome.verdict))].toSorted();
  return verdicts
    .map((verdict) => `${rows.filter(({ outcome }) => outcome.verdict === verdict).length} ${verdict}`)
    .join(', ');
}

function writeLine({ row, outcome }: JudgedRow): string {
  const { exit, verdict, summary, seconds } = outcome;
  return `| ${nameCell(row)} | ${exit} | ${verdict} | ${escapeCell(summary)} | ${seconds.toFixed(1)} |`;
}

/** The cell that names a row and its behaviours. */
export function nameCell(row: Row): string {
  const behaviours = behavioursOf(row);
  return escapeCell(row.name) + (behaviours.length === 0 ? '' : `: ${behaviours.map(escapeCell).join('; ')}`);
}

const longestCell = 160;

function escapeCell(text: string): string {
  const cut = text.length <= longestCell ? text : `${text.slice(0, longestCell)}…`;
  const steady = cut
    .replace(/127\.0\.0\.1:\d{2,}/g, '127.0.0.1:…')
    .replace(/\/worlds\/[0-9a-f-]{8,}/g, '/worlds/…');
  const inert = steady.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·').replace(/[\\|`*_<>[\]]/g, '\\$&');
  return inert === '' ? '–' : inert;
}
