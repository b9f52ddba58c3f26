import { ledger, type RequirementId, requirement } from '../../spec/ledger.js';
import { nearestWord } from '../../targets/schema-errors.js';
import { nameText, type Place, type YamlFault } from '../../targets/yaml-file.js';

/** An entry before it is known to be good: any member may be missing or of any type. */
export type WrittenWaiver = Readonly<Record<string, unknown>>;

/** What the rules are asked with. */
interface RuleMeans {
  readonly selects: (id: RequirementId) => boolean;
  /** The day, in UTC. */
  readonly today: string;
  readonly lineOf: (place: Place) => number;
}

/** The place of an entry, or of one of its members. */
type Placing = (at: number, member?: string) => Place;

/** What the schema cannot see: ids that the ledger has not, days that are over or do not exist, entries given twice. */
export function waiverFaults(
  written: readonly WrittenWaiver[],
  place: Placing,
  means: RuleMeans,
): readonly YamlFault[] {
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

function idFaults(text: unknown, place: Place): readonly YamlFault[] {
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
  place: Place,
  { selects, today }: RuleMeans,
): readonly YamlFault[] {
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
): readonly YamlFault[] {
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
