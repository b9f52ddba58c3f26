import { readFileSync } from 'node:fs';

// A row is written as a block or as a flow mapping; its id stands on a line of its own in both.
const idLine = /^(?:- | {4})id: ([a-z0-9._-]+),?$/;

let known: ReadonlyMap<string, number> | undefined;

/** The line of requirements.yaml, counted from 1, that the id of each row stands on; read from beside this file. */
export function requirementLines(): ReadonlyMap<string, number> {
  known ??= linesOfIds(readFileSync(new URL('./requirements.yaml', import.meta.url), 'utf8'));
  return known;
}

function linesOfIds(yaml: string): ReadonlyMap<string, number> {
  return new Map(
    yaml.split(/\r?\n/).flatMap((line, index) => {
      const id = idLine.exec(line)?.[1];
      return id === undefined ? [] : [[id, index + 1] as const];
    }),
  );
}
