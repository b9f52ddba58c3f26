import type { Outcome } from './judge-hostile.js';

/** A section of the page: rows of a kind, and how each ended. */
export type Section = 'One operation' | 'Every operation' | 'The connection' | 'The control protocol';

/** A row of the page. */
export interface PageRow {
  readonly section: Section;
  readonly name: string;
  readonly outcome: Outcome;
}

const sections: Readonly<Record<Section, string>> = {
  'One operation':
    'One operation is answered with hostility, everything else by the reference: the positive controls of the others hold.',
  'Every operation': 'Every operation is answered so; the control protocol is the reference’s.',
  'The connection': 'There is nobody to talk to, or nobody to trust.',
  'The control protocol': 'The operations are the reference’s; what arranges worlds is hostile.',
};

/** The page of hostile servers, as Markdown. */
export function hostilePage(rows: readonly PageRow[]): string {
  const most = (pick: (outcome: Outcome) => number) =>
    Math.ceil(Math.max(...rows.map(({ outcome }) => pick(outcome))));
  const of = (section: Section) => rows.filter((row) => row.section === section);
  const names = Object.keys(sections) as readonly Section[];
  return [
    '# Hostile servers',
    '',
    `**${rows.length} runs against servers that lie, stall, flood or break off: each ended with the exit code that is due, within`,
    `${most(({ seconds }) => seconds)} s and ${most(({ megabytes }) => megabytes)} MB.**`,
    '',
    'Whatever a server does, it must not crash the suite, hang it, fill its memory or have it write outside its reports.',
    'The command judges each of these servers in a process of its own, with little time for a request (3 s,',
    'or 0.5 s where none is answered) and 10 s for the run. Asserted of every run: the exit code and the words; under 300 MB; no',
    'stack trace and nothing that moves a terminal is printed; the reports are valid; nothing is written beside them; nobody else',
    'is talked to. `npm run hostile` renews this page.',
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
      '| Behaviour | Exit | Verdict | What the report says | s | MB |',
      '|---|---|---|---|---|---|',
      ...of(section)
        .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
        .map(line),
    ]),
    '',
  ].join('\n');
}

function countVerdicts(rows: readonly PageRow[]): string {
  const verdicts = [...new Set(rows.map(({ outcome }) => outcome.verdict))].toSorted();
  return verdicts
    .map((verdict) => `${rows.filter(({ outcome }) => outcome.verdict === verdict).length} ${verdict}`)
    .join(', ');
}

function line({ name, outcome }: PageRow): string {
  const { exit, verdict, told, seconds, megabytes } = outcome;
  return `| ${cell(name)} | ${exit} | ${verdict} | ${cell(told)} | ${seconds.toFixed(1)} | ${megabytes.toFixed(0)} |`;
}

const toldAtMost = 160;

function cell(told: string): string {
  const cut = told.length <= toldAtMost ? told : `${told.slice(0, toldAtMost)}…`;
  const steady = cut
    .replace(/127\.0\.0\.1:\d{2,}/g, '127.0.0.1:…')
    .replace(/\/worlds\/[0-9a-f-]{8,}/g, '/worlds/…');
  const inert = steady.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '·').replace(/[\\|`*_<>[\]]/g, '\\$&');
  return inert === '' ? '–' : inert;
}
