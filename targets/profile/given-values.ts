import { UsageError } from '../../spec/thrown.js';
import { roles } from '../../spec/vocabulary.js';
import type { MemberPath } from '../yaml-file.js';

/** Characters that a key or a token has at least: shorter ones could appear in a text by chance. */
export const shortestKey = 12;

/** A value that a command line or the environment gives for a place of a profile, such as `keys.member`. */
export interface GivenValue {
  readonly place: MemberPath;
  /** As a profile would write it: `${NAME}` is taken from the environment. */
  readonly text: string;
}

/** Overrides the content of a profile's file with given values. What is not a mapping is left for the schema to refuse. */
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

/** A text as a profile writes it where no variable is meant. */
export function writeLiteral(text: string): string {
  return text.replaceAll('${', '$${');
}

/** The variable that holds the key of a role. */
export function keyVariable(role: string): string {
  return `PLUMBLINE_KEY_${role.toUpperCase()}`;
}

/** The keys that the environment gives. Throws UsageError for an invalid one. */
export function readEnvironmentKeys(env: NodeJS.ProcessEnv): readonly GivenValue[] {
  return roles.flatMap((role) => {
    const name = keyVariable(role);
    const text = env[name];
    if (text === undefined) return [];
    assertKey(name, text);
    return [{ place: ['keys', role], text: `\${${name}}` }];
  });
}

/** Throws UsageError, which does not repeat the text, for what cannot be a key. */
export function assertKey(where: string, text: string): void {
  if (!/^[\x21-\x7e]*$/.test(text) || text.length < shortestKey)
    throw new UsageError(
      `${where}: invalid key. A key has at least ${shortestKey} characters and no blanks; a shorter one could appear in a report by chance.`,
    );
}

/**
 * Refuses variables that are set but empty: an empty one is a mistake, and ignoring it could let a gate pass.
 * @param needsToken whether the token of a control protocol is to come from the environment
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
