import type { Outcome } from './judged.js';

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
  return [
    '# Hostile servers',
    '',
    'How a run against each of them ended. Made by `npm run hostile`; each is judged by the command in a process of its',
    'own, with little time for a request (3 s, or 0.5 s where none is answered) and 10 s for the run. Asserted of every',
    'row: the exit code and the words; under 300 MB; no stack trace and nothing that moves a terminal is printed; the',
    'reports are valid; nothing is written beside them; nobody else is talked to.',
    '',
    `${rows.length} runs; the longest took ${most(({ seconds }) => seconds)} s, the largest ${most(({ megabytes }) => megabytes)} MB.`,
    ...(Object.keys(sections) as readonly Section[]).flatMap((section) => [
      '',
      `## ${section}`,
      '',
      sections[section],
      '',
      '| Behaviour | Exit | Verdict | What the report says | s | MB |',
      '|---|---|---|---|---|---|',
      ...rows
        .filter((row) => row.section === section)
        .sort((one, other) => one.name.localeCompare(other.name, 'en'))
        .map(line),
    ]),
    '',
  ].join('\n');
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
