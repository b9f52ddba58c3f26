import { UsageError } from '../../spec/thrown.js';
import { interns, isUuid, roles } from '../../spec/vocabulary.js';
import type { MemberPath } from '../yaml-file.js';

/** The minimum length of a key or token: a shorter one could appear in a text by chance. */
export const shortestKey = 12;

/** A value that a command line or the environment gives for a place of a profile, such as `keys.member`. */
export interface GivenValue {
  readonly place: MemberPath;
  /** As a profile would write it: `${NAME}` is taken from the environment. */
  readonly text: string;
}

/** Whether two values are for one place; the case of a header name does not matter. */
export function isSamePlace(one: GivenValue, other: GivenValue): boolean {
  return one.place.join('.').toLowerCase() === other.place.join('.').toLowerCase();
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

const keyPrefix = 'PLUMBLINE_KEY_';

/** Names the environment variable for the key of a role, which also stands for the key in all output. */
export function keyVariable(role: string): string {
  return `${keyPrefix}${role.toUpperCase()}`;
}

/** Lists the variables that look like the key of a role but name no role. */
export function listUnknownKeys(env: NodeJS.ProcessEnv): readonly string[] {
  const known = roles.map(keyVariable);
  return Object.keys(env).filter((name) => name.startsWith(keyPrefix) && !known.includes(name));
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
function assertKey(where: string, text: string): void {
  const mistake = findKeyMistake(text);
  if (mistake !== undefined) throw new UsageError(`${where}: invalid key: ${mistake}.`);
  if (!/^[\x21-\x7e]*$/.test(text) || text.length < shortestKey)
    throw new UsageError(
      `${where}: invalid key. A key has at least ${shortestKey} characters and no blanks; a shorter one could appear in a report by chance.`,
    );
}

/** Explains a common mistake in giving a key, such as a placeholder left in; undefined if the text shows none. */
export function findKeyMistake(text: string): string | undefined {
  if (/^bearer\s/i.test(text)) return 'it begins with "Bearer"; leave that word out';
  if (text.trim() !== text) return 'it begins or ends with a blank or a line break; remove it';
  if (/^(["'`]).*\1$/.test(text)) return 'it has quotes around it; leave them out';
  if (/^(?:\$\w+|\$\{.*\}|<.*>)$/.test(text)) return 'it looks like a placeholder; give the key itself';
  return undefined;
}

/**
 * Throws UsageError for variables that are set but empty: ignoring such a mistake could let a gate pass.
 * @param needsToken whether the token of a control protocol comes from the environment
 */
export function assertNoEmptyVariable(env: NodeJS.ProcessEnv, needsToken: boolean): void {
  const empty = Object.keys(env).filter(
    (name) =>
      env[name]?.trim() === '' &&
      (name.startsWith(keyPrefix) || (name === 'PLUMBLINE_CONTROL_TOKEN' && needsToken)),
  );
  if (empty.length === 0) return;
  const [are, them] = empty.length === 1 ? ['is', 'it'] : ['are', 'them'];
  throw new UsageError(
    `${empty.join(', ')} ${are} set but empty, probably because the secret behind ${them} is missing. Set or unset ${them}.`,
  );
}

// The values of flags. Commander's own message for an invalid value repeats the value, which may be a secret: these errors
// do not.

/** Parses one key, `member=sk-…`. Throws UsageError. */
export function parseKey(given: string, before: readonly GivenValue[] = []): readonly GivenValue[] {
  const [role, text] = split('--key', given, '=', 'ROLE=VALUE');
  if (!roles.some((one) => one === role))
    throw new UsageError(`--key: unknown role. Give one of ${roles.join(', ')}.`);
  assertKey(`--key ${role}`, text);
  return addOnce(before, { place: ['keys', role], text: writeLiteral(text) });
}

/** Parses one intern, `own=3f0c…`. Throws UsageError. */
export function parseIntern(given: string, before: readonly GivenValue[] = []): readonly GivenValue[] {
  const [name, text] = split('--intern', given, '=', 'NAME=UUID');
  if (!interns.some((intern) => intern === name))
    throw new UsageError(`--intern: unknown name. Give one of ${interns.join(', ')}.`);
  return addOnce(before, { place: ['interns', name], text: assertUuid(`--intern ${name}`, text) });
}

/** Parses the id of a guardrail. Throws UsageError. */
export function parseGuardrail(given: string): string {
  return assertUuid('--guardrail', given);
}

/** Parses one header, `X-Gate: …`. Throws UsageError. */
export function parseHeader(given: string, before: readonly GivenValue[] = []): readonly GivenValue[] {
  const [name, text] = split('--header', given, ':', "'NAME: VALUE'");
  return addOnce(before, { place: ['headers', name], text: writeLiteral(text.trim()) });
}

function split(flag: string, given: string, separator: string, form: string): readonly [string, string] {
  const at = given.indexOf(separator);
  const [name, text] = [given.slice(0, at).trim(), given.slice(at + 1)];
  if (at < 1 || name === '') throw new UsageError(`${flag}: must be ${form}.`);
  if (text.trim() === '')
    throw new UsageError(
      `${flag} ${name}: the value is empty, most often because a variable is not set. Set the variable, or leave this out.`,
    );
  return [name, text];
}

function addOnce(before: readonly GivenValue[], one: GivenValue): readonly GivenValue[] {
  if (before.some((other) => isSamePlace(one, other)))
    throw new UsageError(`${flagOf(one.place.join('.'))} is given twice.`);
  return [...before, one];
}

function assertUuid(where: string, id: string): string {
  if (!isUuid(id)) throw new UsageError(`${where}: not a UUID.`);
  return id;
}
