import type { MemberPath } from '../yaml-file.js';

/** Characters that a key or a token has at least: shorter ones could stand in a text by chance. */
export const shortestKey = 12;

/** A value that a command line or the environment gives for a place of a profile, such as `keys.member`. */
export interface GivenValue {
  readonly place: MemberPath;
  /** As a profile would write it: `${NAME}` is taken from the environment. */
  readonly text: string;
}

/**
 * Puts given values into what a profile's file holds, in place of what it says there. What is no mapping is left for
 * the schema to refuse.
 */
export function addGivenValues(value: unknown, given: readonly GivenValue[]): unknown {
  return given.reduce<unknown>((members, { place, text }) => setValue(members, place, text), value);
}

function setValue(holder: unknown, [name, ...rest]: MemberPath, text: string): unknown {
  if (name === undefined) return text;
  const members = holder ?? {};
  if (typeof members !== 'object' || Array.isArray(members)) return holder;
  const before = Object.entries(members);
  const inner = setValue(before.find(([known]) => known === name)?.[1], rest, text);
  return Object.fromEntries([...before.filter(([known]) => known !== name), [name, inner]]);
}

/** What a place of a profile is called on a command line: `--key member` for `keys.member`. */
export function flagOf(place: string): string {
  return place
    .replace(/^target\.base_url/, 'the URL')
    .replace(/^guardrail\.id/, '--guardrail')
    .replace(/^(key|intern|header)s\./, '--$1 ');
}
