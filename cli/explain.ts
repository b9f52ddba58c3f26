import { PassiveJudge } from '../judge/passive.js';
import { mutants } from '../reference/mutants.js';
import { wrapText } from '../reports/terminal-layout.js';
import { quotesOf, repairOf } from '../spec/explanation.js';
import { type Level, ledger, type RequirementRow, sinceOf } from '../spec/ledger.js';
import { unlocks } from '../spec/need.js';
import { UsageError } from '../spec/thrown.js';
import { allChecks } from '../suites/all-checks.js';

const levelMeanings: Readonly<Record<Level, string>> = {
  must: 'must: the document says it',
  derived: 'derived: it follows from what the document says, or from HTTP',
  advisory: 'advisory: good practice that the document does not state; never part of the verdict',
  silent: 'silent: the document does not show it; nothing is asserted',
};

const examplesAtMost = 3;
const checksAtMost = 4;

/** Prints what one requirement asks, how it is checked, how servers fail it and how to repair them. Returns the exit code; throws UsageError. */
export function explain(id: string): number {
  const row = ledger.find((each) => each.id === id);
  if (row === undefined) throw new UsageError(`There is no requirement "${id}". ${suggest(id)}`);
  const width = Math.max(40, Math.min(process.stdout.columns ?? 100, 100));
  const sections = [
    [`${row.id}  §${row.section}  since ${sinceOf(row)}`, row.statement, levelMeanings[row.level]],
    ['The document', ...quoteLines(row)],
    ['What it takes', ...needLines(row)],
    ['How it is checked', ...checkLines(row)],
    ['How servers get it wrong', ...mutantLines(row)],
    ['How to fix it', repairOf(row) ?? 'Nothing to fix: no run can find it violated.'],
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

function quoteLines(row: RequirementRow): readonly string[] {
  const quotes = quotesOf(row);
  if (quotes.length > 0) return quotes.map(({ section, text }) => `${placeOf(section)}: “${text}”`);
  return [`does not say this in so many words; see ${placeOf(row.section)}.`];
}

function placeOf(section: string): string {
  return section === 'preface' ? 'preface' : `§${section}`;
}

function needLines({ needs = [], unseen }: RequirementRow): readonly string[] {
  if (unseen !== undefined) return [`It is not observable: ${unseen}.`];
  return needs.length === 0 ? ['nothing beyond an answer that it concerns'] : needs.map(unlocks);
}

/** The checks that decide a requirement, those that are there for it first. */
function checkLines({ id, level, unseen }: RequirementRow): readonly string[] {
  if (unseen !== undefined) return ['It is not checked.'];
  if (level === 'silent') return ['Nothing is asserted; what is seen is listed in the report.'];
  const deciding = allChecks.filter(({ decides }) => decides.includes(id));
  const own = deciding.filter(({ requirement }) => requirement === id);
  const shown = [...own, ...deciding.filter((check) => !own.includes(check))].slice(0, checksAtMost);
  const lines = shown.map((check) =>
    check.kind === 'written' ? `${check.id}: ${check.title}` : `${check.id}, generated cases: ${check.title}`,
  );
  const more = deciding.length - shown.length;
  return [
    ...(PassiveJudge.requirements.includes(id)
      ? ['Every response of a run that it concerns is held to it.']
      : []),
    ...lines,
    ...(more > 0
      ? [`and ${more} more ${more === 1 ? 'check that decides' : 'checks that decide'} it beside others`]
      : []),
    `To judge it alone: plumbline run --only ${id}`,
  ];
}

/** What some of the deliberately faulty servers do that fail a requirement: first those that fail nothing else. */
function mutantLines({ id }: RequirementRow): readonly string[] {
  const failing = mutants
    .filter(({ violates }) => violates.includes(id))
    .sort((one, other) => one.violates.length - other.violates.length);
  if (failing.length === 0) return ['None of the faulty servers of the catalogue fails it.'];
  const examples = spread(failing, examplesAtMost);
  return [
    `${failing.length} of the ${mutants.length} faulty servers of the catalogue ${failing.length === 1 ? 'fails' : 'fail'} it${examples.length < failing.length ? '; for example:' : ':'}`,
    ...examples.map(({ id: mutant, description }) => `${mutant}: ${description}.`),
    `To see one: plumbline serve --mutant ${examples[0]?.id ?? ''}`,
  ];
}

/** So many of a list, evenly spread, so that they differ. */
function spread<Item>(items: readonly Item[], count: number): readonly Item[] {
  const picked = new Set(Array.from({ length: count }, (_, at) => Math.floor((at * items.length) / count)));
  return items.filter((_, at) => picked.has(at));
}

function suggest(id: string): string {
  const [nearest] = ledger
    .map((row) => ({ id: row.id, distance: editDistance(id.slice(0, 100), row.id) }))
    .sort((one, other) => one.distance - other.distance);
  const isNear = nearest !== undefined && nearest.distance <= Math.max(id.length, 6) / 2;
  return `${isNear ? `Did you mean ${nearest.id}? ` : ''}"plumbline requirements" lists the ids.`;
}

/** How many characters must be added, removed or replaced to make one text the other (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, sign] of [...one].entries()) {
    const next = [at + 1];
    for (const [place, wanted] of [...other].entries())
      next.push(
        Math.min(
          (next[place] ?? 0) + 1,
          (row[place + 1] ?? 0) + 1,
          (row[place] ?? 0) + (sign === wanted ? 0 : 1),
        ),
      );
    row = next;
  }
  return row.at(-1) ?? 0;
}
