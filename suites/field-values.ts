import { isDeepStrictEqual } from 'node:util';
import {
  anyGuardrail,
  anyKeyInfo,
  type Fields,
  guardrailBorders,
  keyBorders,
  unusualValues,
} from '../generators/field-values.js';
import { dayMs } from '../judge/answer-rules.js';
import type { Call } from '../judge/call.js';
import type { GeneratedCheck } from '../judge/check.js';
import { property } from '../judge/property-check.js';
import { parseUtcTimestamp } from '../spec/contract.js';
import { isObject } from '../spec/json.js';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import type { Mismatch } from '../spec/report.js';
import { ControlRefusal } from '../targets/control-client.js';
import { type Answered, asText, readData } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';

// §2.1 and §2.2: fields are read as they were set.

const secondMs = 1_000;
// The rounding error of other number formats.
const tolerance = 1e-9;

/**
 * Whether a field is read as it was set (§2.1, §2.2). A timestamp may come back in another form of ISO 8601, rounded to
 * seconds, or with another offset, a number within a float's tolerance. `updated_at` may instead be the time of the change,
 * and `created_at` the time at which the world was opened.
 */
export function isAsSet(name: string, set: unknown, read: unknown): boolean {
  if (['created_at', 'updated_at'].includes(name) && Math.abs(readInstant(read) - Date.now()) < dayMs)
    return true;
  if (name.endsWith('_at')) return Math.abs(readInstant(set) - readInstant(read)) < secondMs;
  if (typeof set === 'number' && typeof read === 'number')
    return Math.abs(set - read) <= tolerance * Math.max(1, Math.abs(set));
  return isSameList(name, set, read) || isMadeOf(set, read);
}

/**
 * Whether two values are lists of the same elements, in any order: §2.1 gives none to what is allowed, ignored or filtered.
 * A target may keep them as sets, so that one that was set twice comes back once.
 */
export function isSameList(name: string, set: unknown, read: unknown): boolean {
  const isUnordered = /^(?:allowed_|ignored_|content_filter_builtins$)/.test(name);
  if (!isUnordered || !Array.isArray(set) || !Array.isArray(read)) return false;
  return haveSameElements(set, read) || haveSameElements(dropRepeated(set), read);
}

function dropRepeated(list: readonly unknown[]): readonly unknown[] {
  return list.filter((one, at) => list.findIndex((other) => isDeepStrictEqual(one, other)) === at);
}

function haveSameElements(set: readonly unknown[], read: readonly unknown[]): boolean {
  const left = [...read];
  const isFound = set.every((element) => {
    const at = left.findIndex((one) => isMadeOf(element, one));
    return at >= 0 && left.splice(at, 1).length > 0;
  });
  return isFound && left.length === 0;
}

/** Whether a value is read as it was set, apart from members that the server adds to objects. */
function isMadeOf(set: unknown, read: unknown): boolean {
  if (Array.isArray(set) && Array.isArray(read))
    return set.length === read.length && set.every((element, at) => isMadeOf(element, read[at]));
  if (isObject(set) && isObject(read))
    return Object.entries(set).every(([name, value]) => isMadeOf(value, read[name]));
  return set === read;
}

function readInstant(timestamp: unknown): number {
  const text = asText(timestamp);
  // Another offset than UTC is judged by the rule of the field.
  return parseUtcTimestamp(text) ?? Date.parse(text);
}

/**
 * Asserts that none of the given fields is wrong in an answer; those that it lacks are not judged. By default one is wrong if
 * it differs from what was set; `of` says whose value it then has, if known.
 */
export function judgeFields(
  call: Call,
  exchange: Answered,
  requirement: RequirementId,
  fields: Fields,
  {
    isWrong = (name: string, read: unknown) => !isAsSet(name, fields[name], read),
    conclusive = false,
    ...whose
  }: {
    readonly isWrong?: (name: string, read: unknown) => boolean;
    readonly conclusive?: boolean;
  } & Pick<Mismatch, 'of'> = {},
): void {
  const data = readData(exchange);
  const wrong = Object.keys(fields).filter((name) => name in data && isWrong(name, data[name]));
  const render = (of: Fields, other: Fields) =>
    wrong.map((name) => `${name} ${renderBeside(of[name], other[name])}`).join(', ');
  call.expect(exchange, requirement, {
    ok: wrong.length === 0,
    expected: render(fields, data),
    actual: render(data, fields),
    mismatch: { wrong: 'value', fields: wrong, ...whose },
    conclusive,
  });
}

/** Renders a value as JSON, with escapes where another one looks the same: Unicode can compose a text in two ways. */
function renderBeside(value: unknown, other: unknown): string {
  const [text = 'nothing', beside = ''] = [value, other].map((one) => JSON.stringify(one));
  if (text.normalize() !== beside.normalize()) return text;
  return text.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Sets something that the target may refuse. Returns whether it took it. */
export async function isAccepted(set: () => Promise<unknown>): Promise<boolean> {
  try {
    await set();
    return true;
  } catch (error) {
    if (!(error instanceof ControlRefusal)) throw error;
    return false;
  }
}

/** Sets something that the target may refuse. Throws NotShown if it does. */
export async function setIfAccepted(
  set: () => Promise<unknown>,
  lacking = 'a control that accepts unusual values',
): Promise<void> {
  if (!(await isAccepted(set))) throw new NotShown(makeReason('lacking', lacking));
}

/** Sets fields row by row, and yields each row once it is set. The target may refuse any but the first, which is plain. */
export async function* setEach(
  rows: readonly Fields[],
  set: (fields: Fields) => Promise<unknown>,
): AsyncGenerator<readonly [at: number, fields: Fields]> {
  for (const [at, fields] of rows.entries()) {
    if (at === 0) await set(fields);
    else if (!(await isAccepted(() => set(fields)))) continue;
    yield [at, fields];
  }
}

/** Asserts that a record can be read after its fields were set. With values that the document does not show, that may fail. */
export function expectReadable(call: Call, fields: Fields): Promise<Answered> {
  const { guardrail, key } = unusualValues;
  const isUnusual = [...guardrail, ...key].some((unusual) => isDeepStrictEqual(unusual, fields));
  return isUnusual
    ? call.expectControl(200)
    : call.expectStatus(200, { because: 'the document allows the values that were set' });
}

/** Reads a key. Throws NotShown if it has no credit left and is refused, which is allowed. */
async function readSpentKey(call: Call, fields: Fields): Promise<Answered> {
  const { limit_remaining: left } = fields;
  if (typeof left !== 'number' || left > 0) return expectReadable(call, fields);
  const exchange = await call.expectStatus([200, 402], { requirement: 'key-info.200.values' });
  if (exchange.answer.status === 402) throw new NotShown('the target refuses an exhausted key, as it may');
  return exchange;
}

/** Converts generated fields to plain objects: without a prototype, they would not equal parsed ones. */
const serialize = (fields: Fields) => JSON.parse(JSON.stringify(fields)) as Fields;

const count = { quick: 0, standard: 30, deep: 500 };

/** The properties of §2.1 and §2.2 over values. */
export const valueProperties: readonly GeneratedCheck[] = [
  property<Fields>({
    name: 'guardrail-values',
    title: 'Whatever fields of a guardrail are set, they are read back as they were set.',
    decides: ['guardrail-read.200.values'],
    needs: ['guardrail', 'role:management', 'feature:guardrail'],
    control: 'guardrail-read',
    count,
    vaultRequests: 0,
    cases: () => ({ walk: [...guardrailBorders, ...unusualValues.guardrail], arbitrary: anyGuardrail }),
    classOf: (fields) => (Object.keys(fields).length === 0 ? 'no field' : 'some fields'),
    run: async (drawn, { world, api }) => {
      const fields = serialize(drawn);
      await setIfAccepted(() => world.setGuardrail(fields));
      const call = api.readGuardrail();
      judgeFields(call, await expectReadable(call, fields), 'guardrail-read.200.values', fields);
    },
  }),
  property<Fields>({
    name: 'key-values',
    title: 'Whatever figures of a key are set, they are read back as they were set.',
    decides: ['key-info.200.values'],
    needs: ['role:member', 'feature:key_info'],
    control: 'key-info',
    count,
    vaultRequests: 0,
    cases: () => ({ walk: [...keyBorders, ...unusualValues.key], arbitrary: anyKeyInfo }),
    classOf: ({ limit }) => (limit === null ? 'unlimited' : 'limited'),
    run: async (drawn, { world, api }) => {
      const fields = serialize(drawn);
      await setIfAccepted(() => world.setKeyInfo('member', fields));
      const call = api.readKey();
      judgeFields(call, await readSpentKey(call, fields), 'key-info.200.values', fields);
      // Other cases use this key too, and a limit may be enforced.
      if (fields.limit !== null) await world.setKeyInfo('member', { limit: null, limit_remaining: null });
    },
  }),
];
