import { readFileSync } from 'node:fs';
import { type RequirementId, rows } from './generated/ledger.js';
import type { RequirementRow as Row } from './requirement.js';
import { compareVersions, firstRelease } from './version.js';
import type { Operation } from './vocabulary.js';

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

/** Returns the area of a requirement, or of a check named after one: the beginning of its ID. */
export function areaOf(id: string): Area {
  const area = areas.find((candidate) => id.startsWith(`${candidate}.`));
  if (area === undefined) throw new Error(`The id "${id}" begins with no area.`);
  return area;
}

/** The operations that areas are about; an area without one is about several. */
export const operationOfArea: Readonly<Partial<Record<Area, Operation>>> = {
  'vault-delete': 'vault-delete',
  'secret-name': 'vault-delete',
  'guardrail-read': 'guardrail-read',
  'key-info': 'key-info',
  inference: 'inference',
  'stream-error': 'inference',
  'credit-limit': 'inference',
  'rate-limit': 'inference',
};

/** Finds the release that introduced a row. */
export function findRelease({ since }: Pick<RequirementRow, 'since'>): string {
  return since ?? firstRelease;
}

/** Finds the IDs of the rows that were introduced after a release. */
export function findNewerIds(version: string): ReadonlySet<RequirementId> {
  return new Set(ledger.filter((row) => compareVersions(findRelease(row), version) > 0).map(({ id }) => id));
}

// A row is a block mapping or a flow mapping; its ID is on a line of its own in both.
const idLine = /^(?:- | {4})id: ([a-z0-9._-]+),?$/;

let known: ReadonlyMap<string, number> | undefined;

/** Returns the line of requirements.yaml, counted from 1, on which the ID of each row stands. */
export function requirementLines(): ReadonlyMap<string, number> {
  if (known !== undefined) return known;
  const yaml = readFileSync(new URL('./requirements.yaml', import.meta.url), 'utf8');
  const lines = yaml.split(/\r?\n/).map((line, at) => [idLine.exec(line)?.[1] ?? '', at + 1] as const);
  known = new Map(lines.filter(([id]) => id !== ''));
  return known;
}
