import { isObject } from '../spec/json.js';
import { ledger, type RequirementId, requirement } from '../spec/ledger.js';
import {
  type Failure,
  isLeftOut,
  listFailures,
  type Report,
  type ReportedRequirement,
  type ReportedWaiver,
} from '../spec/report.js';
import { isOfDrawnCases, isSameViolation } from '../spec/situation.js';
import { findNearestWord, findSchemaFaults } from '../targets/schema-errors.js';
import {
  type FileFault,
  InvalidInput,
  type MemberPath,
  readYamlFile,
  renderFaults,
  renderName,
} from '../targets/yaml-file.js';
import { goesBeyondOpening } from './plan.js';

/** A known violation to allow until an expiry date. */
export interface Waiver extends ReportedWaiver {
  readonly id: RequirementId;
  readonly reason: string;
  readonly owner: string;
  /** The last day of it, in UTC: `2030-01-31`. */
  readonly expires: string;
}

export interface WaiverContext {
  /** The requirements that the run decides: a waiver for another counts for nothing, even where it has expired. */
  readonly selects: (id: RequirementId) => boolean;
  /** The day, in UTC. */
  readonly today: string;
}

/** An entry before it is known to be valid: any member may be missing or of any type. */
type UncheckedWaiver = Readonly<Record<string, unknown>>;

/** Reads and checks the waivers of a file. Throws InvalidInput with every fault in it, in the order of the lines. */
export async function readWaivers(path: string, reading: WaiverContext): Promise<readonly Waiver[]> {
  const yaml = await readYamlFile(path);
  const { value } = yaml;
  if (value == null)
    throw new InvalidInput([
      `${path}: the file is empty; "run --propose-waivers FILE" writes one to begin with`,
    ]);
  const list: MemberPath = Array.isArray(value) ? [] : ['waivers'];
  const entries = listEntries(value);
  const faults = [
    ...findSchemaFaults('waivers', value),
    ...entries.flatMap((waiver, at): readonly FileFault[] => {
      const key = makeKey(waiver);
      const first = key === undefined ? at : entries.findIndex((other) => makeKey(other) === key);
      const line = yaml.lineOf([...list, String(first)]);
      const found = [
        [['id'], findIdFault(waiver)],
        [['expires'], findDayFault(waiver, reading)],
        [[], first < at ? `is a duplicate of line ${line}; keep one` : undefined],
      ] as const;
      return found.flatMap(([member, message]) =>
        message === undefined ? [] : [{ place: [...list, String(at), ...member], message }],
      );
    }),
  ];
  if (faults.length > 0) throw new InvalidInput(renderFaults(path, faults, yaml));
  return (entries as readonly Omit<Waiver, 'at'>[]).map((waiver, at) => ({
    ...waiver,
    at: `${path}:${yaml.lineOf([...list, String(at)])}`,
  }));
}

/** Lists the entries, if there is a list. One that is not a mapping keeps its place; the schema reports it. */
function listEntries(value: unknown): readonly UncheckedWaiver[] {
  const holder = isObject(value) && 'waivers' in value ? value.waivers : value;
  return Array.isArray(holder) ? holder.map((entry: unknown) => (isObject(entry) ? entry : {})) : [];
}

const ledgerIds: readonly RequirementId[] = ledger.map(({ id }) => id);

function isId(text: unknown): text is RequirementId {
  return ledgerIds.some((id) => id === text);
}

function findIdFault({ id }: UncheckedWaiver): string | undefined {
  if (typeof id !== 'string' || id.trim() === '') return undefined;
  if (!isId(id)) {
    const near = findNearestWord(id, ledgerIds);
    const hint = near === undefined ? '"plumbline requirements" lists the ids' : `did you mean ${near}?`;
    return `unknown requirement ${renderName(id)}; ${hint}`;
  }
  const { level, unseen } = requirement(id);
  const isObservable = level !== 'silent' && unseen === undefined;
  return isObservable ? undefined : `${id} is not observable and can never fail; remove the waiver`;
}

function findDayFault(
  { id, expires }: UncheckedWaiver,
  { selects, today }: WaiverContext,
): string | undefined {
  // The schema reports what is not a date at all.
  if (typeof expires !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(expires)) return undefined;
  const day = new Date(`${expires}T00:00:00Z`);
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(expires))
    return `the day ${expires} does not exist; give an existing one`;
  if (expires >= today || (isId(id) && !selects(id))) return undefined;
  return `the waiver expired on ${expires}; remove it, or give it a later day to keep allowing the violation`;
}

/** Makes a key of what a waiver is matched by; undefined where that is not known. */
function makeKey({ id, case: code, situation }: UncheckedWaiver): string | undefined {
  const isNamed = typeof id === 'string' && typeof (code ?? situation) === 'string';
  return isNamed ? JSON.stringify([id, code === undefined, code ?? situation]) : undefined;
}

type WaivedRun = Pick<Report, 'requirements' | 'checks'> & {
  readonly depth: Report['run']['depth'];
  /** One shard of a run: another one may see the violation that a waiver is for. */
  readonly isShard?: boolean;
};

/**
 * Finds which violations are waived. `faults` are the waivers that must be removed or corrected, since they are stale or name
 * a violation that the run does not show, `notes` those that the run does not decide; a line each: `waivers.yaml:3: …`.
 */
export function applyWaivers(waivers: readonly ReportedWaiver[], run: WaivedRun) {
  const failures = run.checks.flatMap(listFailures);
  const rows = run.requirements.map((row) => ({
    row,
    failures: failures.filter(({ requirement: failed }) => failed === row.id),
  }));
  const notes = rows.flatMap((one) =>
    waivers.filter(({ id }) => id === one.row.id).map((waiver) => assessWaiver(waiver, one, run.depth)),
  );
  return {
    waived: rows.filter((one) => isWaived(one, waivers)).map(({ row }) => row.id),
    faults: run.isShard === true ? [] : notes.flatMap(({ fault }) => fault ?? []),
    notes: notes.flatMap(({ note }) => note ?? []),
  };
}

interface WaivedRow {
  readonly row: ReportedRequirement;
  readonly failures: readonly Failure[];
}

/** Whether every violation of a failed requirement is waived: a single other one decides. */
function isWaived({ row, failures }: WaivedRow, waivers: readonly ReportedWaiver[]): boolean {
  if (row.status !== 'fail' || failures.length === 0) return false;
  return failures.every((failure) => waivers.some((waiver) => covers(waiver, failure)));
}

function covers({ id, ...named }: ReportedWaiver, failure: Failure): boolean {
  return isSameViolation({ requirement: id, ...named }, failure);
}

function assessWaiver(
  waiver: ReportedWaiver,
  { row, failures }: WaivedRow,
  depth: Report['run']['depth'],
): { readonly fault?: string; readonly note?: string } {
  const { id, at } = waiver;
  // Not every seed draws the case.
  const mayBeUnseen = isOfDrawnCases(waiver);
  // The opening holds only some of the checks.
  const isPartial = !goesBeyondOpening(depth);
  if (row.status === 'not-observable' || isLeftOut(row)) return {};
  if (row.status === 'pass') {
    if (mayBeUnseen)
      return { note: `${at}: ${id} passed; its waiver is for a drawn case, which not every seed draws` };
    return {
      fault: `${at}: the waiver is stale: ${id} passed${isPartial ? ` at depth ${depth}` : ''}; remove it`,
    };
  }
  if (row.status === 'fail') {
    if (failures.some((failure) => covers(waiver, failure))) return {};
    const named = waiver.case === undefined ? 'situation' : 'case';
    const unmatched = `${id} failed, but not in the ${named} "${waiver[named]}"`;
    if (mayBeUnseen || isPartial) return { note: `${at}: ${unmatched}` };
    const others = [...new Set(failures.map((failure) => `"${failure[named]}"`))].join(', ');
    return {
      fault: `${at}: ${unmatched}; it failed in ${others}; remove the waiver or correct its ${named}`,
    };
  }
  return { note: `${at}: ${id} was not decided (${row.reason ?? row.status}); keep its waiver` };
}
