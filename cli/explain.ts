import { PassiveJudge } from '../judge/passive.js';
import type { Mutant } from '../reference/mutant.js';
import { mutants } from '../reference/mutants.js';
import { prose } from '../reports/markdown-text.js';
import { wrapText } from '../reports/terminal-layout.js';
import { formatCount } from '../reports/wording.js';
import { quotesOf, repairOf } from '../spec/explanation.js';
import { areaOf, areas, type Level, ledger, type RequirementRow, sinceOf } from '../spec/ledger.js';
import { unlocks } from '../spec/need.js';
import { UsageError } from '../spec/thrown.js';
import { typedCommand } from '../spec/version.js';
import { allChecks } from '../suites/all-checks.js';
import { nearestWord } from '../targets/schema-errors.js';

const levelMeanings: Readonly<Record<Level, string>> = {
  must: 'must: the document says it',
  derived: 'derived: it follows from what the document says, or from HTTP',
  advisory: 'advisory: good practice that the document does not state; never part of the verdict',
  silent: 'silent: the document does not show it; nothing is asserted',
};

const examplesAtMost = 3;
const checksAtMost = 4;

/** Prints one requirement: how it is checked, how servers fail it, how to fix them. Returns the exit code; throws UsageError. */
export function explain(id: string): number {
  const row = ledger.find((each) => each.id === id);
  if (row === undefined) throw new UsageError(`unknown requirement "${id}". ${suggest(id)}`);
  const width = Math.max(40, Math.min(process.stdout.columns ?? 100, 100));
  const sections = [
    [`${row.id}  §${row.section}  since ${sinceOf(row)}`, row.statement, levelMeanings[row.level]],
    ...listSections(row),
    ['How it is checked', ...describeChecks(row)],
  ];
  const lines = sections.flatMap(([title = '', ...texts]) => [
    title,
    ...texts.flatMap((text) =>
      wrapText(text, width - 4).map((line, at) => `  ${at === 0 ? '' : '  '}${line}`),
    ),
    '',
  ]);
  process.stdout.write(`${lines.join('\n')}`);
  return 0;
}

/** Renders docs/requirements.md, which explains every requirement. */
export function renderRequirements(): string {
  const lines = areas.flatMap((area) => [
    `## ${area}`,
    '',
    ...ledger.filter(({ id }) => areaOf(id) === area).flatMap(renderRow),
  ]);
  return [...pageHead, ...areas.map((area) => `- [${area}](#${area})`), '', ...lines].join('\n');
}

const pageHead = [
  '# The requirements',
  '',
  'What the document says of each requirement, what it takes to test it, how servers get it wrong, and how to fix them.',
  '`plumbline explain ID` prints the same with the checks; `plumbline run --only ID` judges one. `npm run requirements` writes',
  'this page.',
  '',
];

function renderRow(row: RequirementRow): readonly string[] {
  return [
    `### ${row.id}`,
    '',
    `§${row.section}, ${row.level}. ${prose(row.statement)}`,
    '',
    ...listSections(row).flatMap(([title, ...texts]) => [
      `- ${title}`,
      ...texts.map((text) => `  - ${prose(text)}`),
    ]),
    '',
  ];
}

/** Lists what there is to say of a requirement, each part after its title. */
function listSections(row: RequirementRow): readonly (readonly string[])[] {
  const { head, examples } = findExamples(row);
  const [example] = examples;
  const repair = repairOf(row);
  const toSeeOne = example === undefined ? [] : [`To see one: ${typedCommand} serve --mutant ${example.id}`];
  return [
    ['The document', ...quoteDocument(row)],
    ['What it needs', ...describeNeeds(row)],
    ...(repair === undefined
      ? []
      : [
          ['How servers get it wrong', head, ...examples.map(describeMutant), ...toSeeOne],
          ['How to fix it', repair],
        ]),
  ];
}

function quoteDocument(row: RequirementRow): readonly string[] {
  const quotes = quotesOf(row);
  if (quotes.length > 0) return quotes.map(({ section, text }) => `${formatPlace(section)}: “${text}”`);
  return [`does not say this literally; see ${formatPlace(row.section)}.`];
}

function formatPlace(section: string): string {
  return section === 'preface' ? 'preface' : `§${section}`;
}

function describeNeeds({ needs = [], unseen }: RequirementRow): readonly string[] {
  if (unseen !== undefined) return [`It is not observable: ${unseen}.`];
  return needs.length === 0 ? ['nothing but a response that it applies to'] : needs.map(unlocks);
}

/** Describes the checks that decide a requirement, its own first. */
function describeChecks({ id, level, unseen }: RequirementRow): readonly string[] {
  if (unseen !== undefined) return ['It is not checked.'];
  if (level === 'silent') return ['Nothing is asserted; what is seen is listed in the report.'];
  const deciding = allChecks.filter(({ decides }) => decides.includes(id));
  const isOwn = ({ requirement }: (typeof allChecks)[number]) => Number(requirement === id);
  const shown = deciding.toSorted((one, other) => isOwn(other) - isOwn(one)).slice(0, checksAtMost);
  const lines = shown.map((check) =>
    check.kind === 'written' ? `${check.id}: ${check.title}` : `${check.id}, generated cases: ${check.title}`,
  );
  const more = deciding.length - shown.length;
  return [
    ...(PassiveJudge.requirements.includes(id)
      ? ['Every response of a run that it applies to is checked.']
      : []),
    ...lines,
    ...(more > 0 ? [`and ${formatCount(more, 'more check')}`] : []),
    `To judge only this: ${typedCommand} run --only ${id}`,
  ];
}

/** Counts the mutants that fail a requirement and picks some; those that fail nothing else come first. */
function findExamples({ id }: RequirementRow): {
  readonly head: string;
  readonly examples: readonly Mutant[];
} {
  const failing = mutants
    .filter(({ violates }) => violates.includes(id))
    .sort((one, other) => one.violates.length - other.violates.length);
  const examples = pickSpread(failing, examplesAtMost);
  if (failing.length === 0) return { head: 'No faulty server of the catalogue fails it.', examples };
  const servers = formatCount(failing.length, 'faulty server');
  const fail = failing.length === 1 ? 'fails' : 'fail';
  const colon = examples.length < failing.length ? '; for example:' : ':';
  return { head: `${servers} of the catalogue ${fail} it${colon}`, examples };
}

function describeMutant({ id, description }: Mutant): string {
  return `${id}: ${description}.`;
}

function pickSpread<Item>(items: readonly Item[], count: number): readonly Item[] {
  const picked = new Set(Array.from({ length: count }, (_, at) => Math.floor((at * items.length) / count)));
  return items.filter((_, at) => picked.has(at));
}

function suggest(id: string): string {
  const near = nearestWord(
    id.slice(0, 100),
    ledger.map((row) => row.id),
  );
  return `${near === undefined ? '' : `Did you mean ${near}? `}"plumbline requirements" lists the IDs.`;
}
