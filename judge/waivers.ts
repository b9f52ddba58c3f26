import { ledger, type RequirementId, requirement } from '../spec/ledger.js';
import {
  type Failure,
  isLeftOut,
  type Report,
  type ReportedRequirement,
  type ReportedWaiver,
} from '../spec/report.js';
import { isOfDrawnCases, isSameViolation } from '../spec/situation.js';
import { UsageError } from '../spec/thrown.js';
import { findSchemaFaults, nearestWord } from '../targets/schema-errors.js';
import {
  type FileFault,
  faultLines,
  type MemberPath,
  nameText,
  readYamlFile,
  type YamlValue,
} from '../targets/yaml-file.js';
import { depths } from './plan.js';

/** A known violation that is let through for a time. */
export interface Waiver extends ReportedWaiver {
  readonly id: RequirementId;
  readonly reason: string;
  readonly owner: string;
  /** The last day on which it is good: `2030-01-31`, in UTC. */
  readonly expires: string;
}

/** A waivers file cannot be used: told in one line for each fault, exit code 2. */
export class WaiversError extends UsageError {
  override readonly name = 'WaiversError';

  /** Takes all faults, one line each: `waivers.yaml:12: waivers[1].id: …`. */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** What waivers are read for. */
export interface WaiverReading {
  /** The requirements that the run is to decide: a waiver for another counts for nothing, be it expired. */
  readonly selects: (id: RequirementId) => boolean;
  /** The day, in UTC. */
  readonly today: string;
}

/**
 * Reads and checks the waivers of a file. Throws WaiversError with everything that is wrong with it, in the order of
 * the lines.
 */
export async function readWaivers(path: string, reading: WaiverReading): Promise<readonly Waiver[]> {
  const yaml = await readYamlFile(path, (lines) => new WaiversError(lines));
  const { value } = yaml;
  if (value == null)
    throw new WaiversError([`${path}: is empty; "run --propose-waivers FILE" writes one to begin with`]);
  const list: MemberPath = Array.isArray(value) ? [] : ['waivers'];
  const written = entriesOf(value);
  const found = [
    ...yaml.faults,
    ...findSchemaFaults('waivers', value),
    ...waiverFaults(
      written,
      (at, member) => [...list, String(at), ...(member === undefined ? [] : [member])],
      {
        ...reading,
        lineOf: (place) => yaml.lineOf(place),
      },
    ),
  ];
  if (found.length > 0) throw new WaiversError(faultLines(path, found, yaml));
  return addPlaces(written as readonly Omit<Waiver, 'at'>[], { path, list, yaml });
}

/** The entries of a list, or of the member that holds it; none where there is no list. */
function entriesOf(value: unknown): readonly WrittenWaiver[] {
  const holder = typeof value === 'object' && value !== null && 'waivers' in value ? value.waivers : value;
  const isMapping = (entry: unknown): entry is WrittenWaiver => typeof entry === 'object' && entry !== null;
  // What is no mapping is the schema's to tell; it keeps its place in the list.
  return Array.isArray(holder) ? holder.map((entry: unknown) => (isMapping(entry) ? entry : {})) : [];
}

function addPlaces(
  waivers: readonly Omit<Waiver, 'at'>[],
  { path, list, yaml }: { readonly path: string; readonly list: MemberPath; readonly yaml: YamlValue },
): readonly Waiver[] {
  return waivers.map((waiver, at) => ({ ...waiver, at: `${path}:${yaml.lineOf([...list, String(at)])}` }));
}

/** An entry before it is known to be good: any member may be missing or of any type. */
type WrittenWaiver = Readonly<Record<string, unknown>>;

/** What the rules are asked with. */
interface RuleMeans {
  readonly selects: (id: RequirementId) => boolean;
  /** The day, in UTC. */
  readonly today: string;
  readonly lineOf: (place: MemberPath) => number;
}

/** The place of an entry, or of one of its members. */
type Placing = (at: number, member?: string) => MemberPath;

/** What the schema cannot see: ids that the ledger has not, days that are over or do not exist, entries given twice. */
function waiverFaults(
  written: readonly WrittenWaiver[],
  place: Placing,
  means: RuleMeans,
): readonly FileFault[] {
  return written.flatMap((waiver, at) => [
    ...idFaults(waiver.id, place(at, 'id')),
    ...dayFaults(waiver, place(at, 'expires'), means),
    ...repetitionFaults(written, at, place, means),
  ]);
}

const ids: readonly RequirementId[] = ledger.map(({ id }) => id);

function isId(text: unknown): text is RequirementId {
  return ids.some((id) => id === text);
}

function idFaults(text: unknown, place: MemberPath): readonly FileFault[] {
  if (typeof text !== 'string' || text.trim() === '') return [];
  if (!isId(text)) return [{ place, message: `the ledger has no ${nameText(text)}; ${hint(text)}` }];
  const { level, unseen } = requirement(text);
  if (level !== 'silent' && unseen === undefined) return [];
  return [
    { place, message: `${text} is not observable, so nothing of it can be violated; remove the waiver` },
  ];
}

function hint(text: string): string {
  const near = nearestWord(text, ids);
  return near === undefined ? '"plumbline requirements" lists the ids' : `did you mean ${near}?`;
}

function dayFaults(
  { id, expires }: WrittenWaiver,
  place: MemberPath,
  { selects, today }: RuleMeans,
): readonly FileFault[] {
  // What is no date at all is the schema's to tell.
  if (typeof expires !== 'string' || !/^\d{4}-\d{2}-\d{2}$/.test(expires)) return [];
  if (!isDay(expires)) return [{ place, message: `there is no day ${expires}; give one that there is` }];
  if (expires >= today || (isId(id) && !selects(id))) return [];
  return [
    {
      place,
      message: `the waiver expired on ${expires}; remove it, or, where the violation is to be let through still, give it a later day`,
    },
  ];
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function repetitionFaults(
  written: readonly WrittenWaiver[],
  at: number,
  place: Placing,
  { lineOf }: RuleMeans,
): readonly FileFault[] {
  const named = makeKey(written[at] ?? {});
  if (named === undefined) return [];
  const first = written.findIndex((other) => makeKey(other) === named);
  if (first === at) return [];
  return [
    {
      place: place(at),
      message: `names the violation that line ${lineOf(place(first))} names already; keep one`,
    },
  ];
}

/** What a waiver is matched by, as a key; undefined where that is not known. */
function makeKey({ id, case: code, situation }: WrittenWaiver): string | undefined {
  const isNamed = typeof id === 'string' && typeof (code ?? situation) === 'string';
  return isNamed ? JSON.stringify([id, code === undefined, code ?? situation]) : undefined;
}

/** What waivers are weighed against. */
export type WaivedRun = Pick<Report, 'requirements' | 'checks'> & {
  readonly depth: Report['run']['depth'];
  /** One shard of a run: another one may see the violation that a waiver is for. */
  readonly isShard?: boolean;
};

/** What became of waivers in a run. */
export interface WaiverResult {
  /** Violated requirements of which every violation is covered. */
  readonly waived: readonly RequirementId[];
  /** Waivers that must go or be put right, a line each: `waivers.yaml:3: …`. */
  readonly faults: readonly string[];
  /** Waivers that the run says nothing about, a line each. */
  readonly notes: readonly string[];
}

/** Finds out which violations are waived, and which waivers are stale or name a violation that the run does not show. */
export function applyWaivers(waivers: readonly ReportedWaiver[], run: WaivedRun): WaiverResult {
  const failures = run.checks.flatMap(({ failure, further_failures: further }) =>
    failure === null ? further : [failure, ...further],
  );
  const seen = run.requirements.map((row) => ({
    row,
    failures: failures.filter(({ requirement }) => requirement === row.id),
  }));
  const tellings = seen.flatMap((one) =>
    waivers.filter(({ id }) => id === one.row.id).map((waiver) => judgeWaiver(waiver, one, run.depth)),
  );
  return {
    waived: seen.filter((one) => isWaived(one, waivers)).map(({ row }) => row.id),
    faults: run.isShard === true ? [] : tellings.flatMap(({ fault }) => fault ?? []),
    notes: tellings.flatMap(({ note }) => note ?? []),
  };
}

/** A requirement with its violations. */
interface WeighedRow {
  readonly row: ReportedRequirement;
  readonly failures: readonly Failure[];
}

/** Whether every violation of a violated requirement is covered: one that is not decides for all. */
function isWaived({ row, failures }: WeighedRow, waivers: readonly ReportedWaiver[]): boolean {
  if (row.status !== 'fail' || failures.length === 0) return false;
  return failures.every((failure) => waivers.some((waiver) => isCovered(waiver, failure)));
}

function isCovered({ id, ...named }: ReportedWaiver, failure: Failure): boolean {
  return isSameViolation({ requirement: id, ...named }, failure);
}

interface WaiverNote {
  readonly fault?: string;
  readonly note?: string;
}

function judgeWaiver(
  waiver: ReportedWaiver,
  { row, failures }: WeighedRow,
  depth: Report['run']['depth'],
): WaiverNote {
  const { id, at } = waiver;
  // Not every seed meets what only drawn cases show.
  const mayBeUnseen = isOfDrawnCases(waiver);
  const isPartial = !depths[depth].goesBeyondOpening;
  switch (row.status) {
    case 'pass': {
      if (mayBeUnseen)
        return {
          note: `${at}: ${id} holds in this run; its waiver is of a drawn case, which not every seed meets`,
        };
      const atDepth = isPartial ? ` at depth ${depth}` : '';
      return { fault: `${at}: the waiver is stale: ${id} holds now${atDepth}; remove it` };
    }
    case 'fail': {
      if (failures.some((failure) => isCovered(waiver, failure))) return {};
      const named = waiver.case === undefined ? 'situation' : 'case';
      const others = [...new Set(failures.map((failure) => `"${failure[named]}"`))].join(', ');
      const unmatched = `${id} is violated, but not in the ${named} "${waiver[named]}"`;
      // The opening holds some of the checks only.
      if (mayBeUnseen || isPartial) return { note: `${at}: ${unmatched} in this run` };
      return {
        fault: `${at}: ${unmatched}; it is in ${others}; remove the waiver, or name the ${named} that it is for`,
      };
    }
    case 'not-observable':
      return {};
    default:
      if (isLeftOut(row)) return {};
      return {
        note: `${at}: ${id} was not decided in this run (${row.reason ?? row.status}); its waiver is left as it is`,
      };
  }
}
