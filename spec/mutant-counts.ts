import { readFileSync } from 'node:fs';

// The build counts them, since nothing here knows a server; the sources take what the build made.
const file = new URL(
  import.meta.url.endsWith('.ts') ? '../dist/spec/mutant-counts.json' : './mutant-counts.json',
  import.meta.url,
);
let counts: Readonly<Record<string, number>> | undefined;

/** Counts the mutants of the catalogue that violate a requirement. */
export function countMutants(id: string): number {
  counts ??= JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  return counts[id] ?? 0;
}
