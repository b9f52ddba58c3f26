import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { matchIds } from './id-patterns.js';
import { ledger, type RequirementRow } from './ledger.js';

/** Finds the sentences of the document that a requirement answers for; none where it follows from the document without being stated. */
export function findQuotes({ covers = [] }: RequirementRow) {
  const quotes =
    readYaml<Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>('quotes.yaml');
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
  const texts = readYaml<Readonly<Record<string, string>>>('repairs.yaml');
  const ids = ledger.map((row) => row.id);
  repairs ??= [...matchIds(Object.keys(texts), ids)];
  const [pattern = ''] = repairs.find(([, own]) => own.includes(id)) ?? [];
  return texts[pattern];
}

/** The patterns of repairs.yaml, each with the IDs that it matches; the first that matches counts. */
let repairs: readonly (readonly [pattern: string, ids: readonly string[]])[] | undefined;

const contents = new Map<string, unknown>();

/** A report asks for many rows: each file is parsed once. */
function readYaml<Content>(name: string): Content {
  if (!contents.has(name)) contents.set(name, parse(readFileSync(new URL(name, import.meta.url), 'utf8')));
  return contents.get(name) as Content;
}

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
