import { type RequirementId, rows } from './generated/ledger.js';
import type { RequirementRow as Row } from './requirement.js';

export type { RequirementId } from './generated/ledger.js';
export type { Level } from './requirement.js';

/** A row of the ledger. */
export type RequirementRow = Row<RequirementId>;

/** The parts of the document that a run is told by. */
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

/** The row of an id. Throws where there is none, which the type rules out for ids written in code. */
export function requirement(id: RequirementId): RequirementRow {
  const row = byId.get(id);
  if (row === undefined) throw new Error(`The ledger has no row "${id}".`);
  return row;
}

/** The area that a requirement's id begins with. */
export function areaOf(id: RequirementId): Area {
  const area = areas.find((candidate) => id.startsWith(`${candidate}.`));
  if (area === undefined) throw new Error(`The id "${id}" begins with no area.`);
  return area;
}
