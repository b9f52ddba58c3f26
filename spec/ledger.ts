import { readFileSync } from 'node:fs';
import { type RequirementId, rows } from './generated/ledger.js';
import type { RequirementRow as Row } from './requirement.js';

export type { RequirementId } from './generated/ledger.js';
export type { Level } from './requirement.js';

/** A row of the ledger. */
export type RequirementRow = Row<RequirementId>;

/** The areas that reports group requirements by. */
export const areas = [
  'vault-delete',
  'secret-name',
  'guardrail-read',
  'key-info',
  'auth',
  'envelope',
  'inference',
  'stream-error',
  'credit-limit',
  'rate-limit',
  'secrecy',
] as const;
export type Area = (typeof areas)[number];

/** Every requirement, in the order of requirements.yaml. */
export const ledger: readonly RequirementRow[] = rows;

const byId = new Map<string, RequirementRow>(rows.map((row) => [row.id, row]));

/** Returns the row of an ID. Throws if there is none, which the type rules out for IDs written in code. */
export function requirement(id: RequirementId): RequirementRow {
  const row = byId.get(id);
  if (row === undefined) throw new Error(`The ledger has no row "${id}".`);
  return row;
}

/** Returns the area of a requirement: the beginning of its ID. */
export function areaOf(id: RequirementId): Area {
  const area = areas.find((candidate) => id.startsWith(`${candidate}.`));
  if (area === undefined) throw new Error(`The id "${id}" begins with no area.`);
  return area;
}

/** The first release with a ledger; rows without `since` came with it. */
export const firstRelease = '0.1.0';

/** Returns the release that introduced a row. */
export function sinceOf({ since }: Pick<RequirementRow, 'since'>): string {
  return since ?? firstRelease;
}

/** Whether a text is a version of three numbers, such as `0.1.0`. */
export function isVersion(text: string): boolean {
  return /^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(text);
}

/** Compares versions for sorting: negative if the first is older. A pre-release counts as its release. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [numbersOf(one), numbersOf(other)];
  return first.map((number, at) => number - (second[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Returns the IDs of the rows that were introduced after a release. */
export function newerThan(
  version: string,
  rows: readonly Pick<RequirementRow, 'id' | 'since'>[] = ledger,
): ReadonlySet<RequirementId> {
  return new Set(rows.filter((row) => compareVersions(sinceOf(row), version) > 0).map(({ id }) => id));
}

function numbersOf(version: string): readonly number[] {
  return version.split(/[.+-]/).slice(0, 3).map(Number);
}

// A row is a block mapping or a flow mapping; its ID is on a line of its own in both.
const idLine = /^(?:- | {4})id: ([a-z0-9._-]+),?$/;

let known: ReadonlyMap<string, number> | undefined;

/** Returns the line of requirements.yaml, counted from 1, on which the ID of each row stands. */
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
