import { ledger, type RequirementRow } from '../spec/ledger.js';
import { sinceOf } from '../spec/ledger-version.js';
import { unlocks } from '../spec/need.js';
import { selected } from './selected.js';

/** The flags of `plumbline requirements`, read and checked. */
export interface RequirementsFlags {
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly json: boolean;
}

/** Prints the ledger. Returns the exit code; throws UsageError. */
export function requirements(flags: RequirementsFlags): number {
  const selection = selected(flags);
  const rows = ledger.filter(({ id }) => selection.has(id));
  process.stdout.write(
    flags.json ? `${JSON.stringify(rows.map(plain), null, 2)}\n` : rows.map(told).join('\n'),
  );
  return 0;
}

function plain(row: RequirementRow) {
  const { id, section, level, statement, needs, unseen, optional = false } = row;
  return {
    ...{ id, section, level, statement, since: sinceOf(row) },
    needs: needs ?? [],
    not_observable: unseen ?? null,
    optional,
  };
}

function told(row: RequirementRow): string {
  return `${row.id}  §${row.section}  ${row.level}  since ${sinceOf(row)}\n  ${row.statement}\n  ${seenBy(row)}\n`;
}

/** What it takes to see a requirement, or why it cannot be seen. */
function seenBy({ level, needs, unseen, optional }: RequirementRow): string {
  if (unseen !== undefined) return `not observable: ${unseen}`;
  if (level === 'silent') return 'nothing is asserted; what is seen is reported';
  if (needs === undefined) return 'seen on any answer it concerns';
  return `takes ${needs.map(unlocks).join('; ')}${optional === true ? ' (optional)' : ''}`;
}
