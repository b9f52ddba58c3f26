import { isDeepStrictEqual } from 'node:util';
import type { Fields } from '../generators/field-values.js';
import type { Call } from '../judge/call.js';
import { parseUtcTimestamp } from '../spec/contract.js';
import type { RequirementId } from '../spec/ledger.js';
import { type Answered, asText, dataOf } from '../targets/exchange.js';

const dayMs = 86_400_000;
// What a float loses on its way through other formats.
const tolerance = 1e-9;
const secondMs = 1_000;

/**
 * Whether a member that was set is read as it was set (§2.1, §2.2). A timestamp may come back in another form of ISO
 * 8601, with fewer digits, or with another offset of the same moment, a number within a float's tolerance. A change may
 * have stamped the guardrail as updated now.
 */
export function isAsSet(name: string, set: unknown, read: unknown): boolean {
  if (name === 'updated_at' && Math.abs(secondOf(read) * secondMs - Date.now()) < dayMs) return true;
  if (name.endsWith('_at')) return secondOf(set) === secondOf(read);
  if (typeof set === 'number' && typeof read === 'number')
    return Math.abs(set - read) <= tolerance * Math.max(1, Math.abs(set));
  return isDeepStrictEqual(set, read);
}

function secondOf(timestamp: unknown): number {
  const text = asText(timestamp);
  // An offset other than UTC is for the rule of the field to judge.
  return Math.floor((parseUtcTimestamp(text) ?? Date.parse(text)) / secondMs);
}

/** Asserts that no field which an answer has is wrong; one is, where nothing else is said, that is not as it was set. */
export function judgeFields(
  call: Call,
  exchange: Answered,
  requirement: RequirementId,
  fields: Fields,
  isWrong = (name: string, read: unknown): boolean => !isAsSet(name, fields[name], read),
): void {
  const data = dataOf(exchange);
  const wrong = Object.keys(fields).filter((name) => name in data && isWrong(name, data[name]));
  const render = (of: Fields) => wrong.map((name) => `${name} ${JSON.stringify(of[name])}`).join(', ');
  call.expect(exchange, requirement, {
    ok: wrong.length === 0,
    expected: render(fields),
    actual: render(data),
  });
}
