import { readFileSync } from 'node:fs';
import { quotes, repairs } from './generated/explanations.js';
import { matchIds } from './id-patterns.js';
import { ledger, type RequirementRow } from './ledger.js';

/** Finds the sentences of the document that a requirement answers for; none where it follows from the document without being stated. */
export function findQuotes({ covers = [] }: RequirementRow) {
  return Object.entries(quotes).flatMap(([section, texts]) =>
    Object.entries(texts)
      .filter(([, places]) => places.some((place) => covers.includes(`${section}/${place}`)))
      .map(([text]) => ({ section, text })),
  );
}

/** Formats the number of a section of the document: `§7.1`; the text before the first section is the `preface`. */
export function formatSection(section: string): string {
  return section === 'preface' ? section : `§${section}`;
}

/** Finds how to repair a server that fails a requirement; undefined where no client can see that. */
export function findRepair({ id, level, unseen }: RequirementRow): string | undefined {
  if (level === 'silent' || unseen !== undefined) return undefined;
  idsByPattern ??= [
    ...matchIds(
      Object.keys(repairs),
      ledger.map((row) => row.id),
    ),
  ];
  const [pattern = ''] = idsByPattern.find(([, ids]) => ids.includes(id)) ?? [];
  return repairs[pattern];
}

/** The patterns of `repairs`, each with the ids that it matches. The first pattern that matches an id applies. */
let idsByPattern: readonly (readonly [pattern: string, ids: readonly string[]])[] | undefined;

// The build counts them, since this folder must not import the reference; run from source, this reads the built file.
const countsFile = import.meta.url.endsWith('.ts')
  ? '../dist/spec/mutant-counts.json'
  : './mutant-counts.json';
let counts: Readonly<Record<string, number>> | undefined;

/** Counts the mutants of the catalogue that violate a requirement. */
export function countMutants(id: string): number {
  counts ??= JSON.parse(readFileSync(new URL(countsFile, import.meta.url), 'utf8')) as Record<string, number>;
  return counts[id] ?? 0;
}
