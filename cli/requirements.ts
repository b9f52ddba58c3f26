import { findRelease, ledger, type RequirementRow } from '../spec/ledger.js';
import { describeNeed } from '../spec/need.js';
import type { RequirementsFlags } from './flags.js';
import { selectRequirements } from './run-flags.js';

/** Prints the requirements. Returns the exit code; throws UsageError. */
export function requirements(flags: RequirementsFlags): number {
  const selection = selectRequirements(flags);
  const rows = ledger.filter(({ id }) => selection.has(id));
  const text = flags.json
    ? `${JSON.stringify(rows.map(convertToJson), null, 2)}\n`
    : rows.map(describeRow).join('\n');
  process.stdout.write(text);
  return 0;
}

function convertToJson(row: RequirementRow) {
  const { id, section, level, statement, needs = [], unseen = null, optional = false } = row;
  return { id, section, level, statement, since: findRelease(row), needs, not_observable: unseen, optional };
}

function describeRow(row: RequirementRow): string {
  return `${row.id}  §${row.section}  ${row.level}  since ${findRelease(row)}\n  ${row.statement}\n  ${describeNeeds(row)}\n`;
}

/** What it takes to test a requirement, or why no client can. */
function describeNeeds({ level, needs, unseen, optional }: RequirementRow): string {
  if (unseen !== undefined) return `not observable: ${unseen}`;
  if (level === 'silent') return 'nothing is asserted; the report lists what was observed';
  if (needs === undefined) return 'tested on every response it applies to';
  return `needs ${needs.map(describeNeed).join('; ')}${optional === true ? ' (optional)' : ''}`;
}
