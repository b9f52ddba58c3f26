import { UsageError } from '../../spec/thrown.js';
import { roles } from '../../spec/vocabulary.js';
import type { MemberPath } from '../yaml-file.js';

/** The minimum length of a key or token: a shorter one could appear in a text by chance. */
export const shortestKey = 12;

/** A value that a command line or the environment gives for a place of a profile, such as `keys.member`. */
export interface GivenValue {
  readonly place: MemberPath;
  /** As a profile would write it: `${NAME}` is taken from the environment. */
  readonly text: string;
}

/** Returns the place of a value as a text in which the case of a header name does not matter. */
export function normalizePlace({ place }: GivenValue): string {
  return place.join('.').toLowerCase();
}

/** Overrides the content of a profile with given values. The schema refuses what is not a mapping. */
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

/** Names a place of a profile as the command line does: `--key member` for `keys.member`. */
export function flagOf(place: string): string {
  return place
    .replace(/^target\.base_url/, 'the URL')
    .replace(/^guardrail\.id/, '--guardrail')
    .replace(/^(key|intern|header)s\./, '--$1 ');
}

/** Escapes a text for a profile, so that no variable is resolved in it. */
export function writeLiteral(text: string): string {
  return text.replaceAll('${', '$${');
}

/** Names the environment variable for the key of a role, which also stands for the key in all output. */
export function keyVariable(role: string): string {
  return `PLUMBLINE_KEY_${role.toUpperCase()}`;
}

/** Reads the keys in the environment. Throws UsageError for an invalid one. */
export function readEnvironmentKeys(env: NodeJS.ProcessEnv): readonly GivenValue[] {
  return roles.flatMap((role) => {
    const name = keyVariable(role);
    const text = env[name];
    if (text === undefined) return [];
    assertKey(name, text);
    return [{ place: ['keys', role], text: `\${${name}}` }];
  });
}

/** Throws UsageError, without repeating the text, for an invalid key. */
export function assertKey(where: string, text: string): void {
  if (!/^[\x21-\x7e]*$/.test(text) || text.length < shortestKey)
    throw new UsageError(
      `${where}: invalid key. A key has at least ${shortestKey} characters and no blanks; a shorter one could appear in a report by chance.`,
    );
}

/**
 * Throws UsageError for variables that are set but empty: ignoring such a mistake could let a gate pass.
 * @param needsToken whether the token of a control protocol comes from the environment
 */
export function assertNoEmptyVariable(env: NodeJS.ProcessEnv, needsToken: boolean): void {
  const empty = Object.keys(env).filter(
    (name) =>
      env[name]?.trim() === '' &&
      (name.startsWith('PLUMBLINE_KEY_') || (name === 'PLUMBLINE_CONTROL_TOKEN' && needsToken)),
  );
  if (empty.length === 0) return;
  const [are, them] = empty.length === 1 ? ['is', 'it'] : ['are', 'them'];
  throw new UsageError(
    `${empty.join(', ')} ${are} set but empty, probably because the secret behind ${them} is missing. Set or unset ${them}.`,
  );
}
