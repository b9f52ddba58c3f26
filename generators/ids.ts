import { createHash } from 'node:crypto';
import { type Intern, interns } from '../spec/vocabulary.js';

// What stands in a path for the id of an intern or a guardrail (§4.1, §4.2).

/**
 * The intern that a vault path names, in groups of words that are alike to the oracle, the plain one first. The id of a
 * spelled one is written in the other case. The one elsewhere is of another world, whose workspace other keys select.
 */
export const internGroups = [
  ['own'],
  ['sibling'],
  ['own-spelled', 'sibling-spelled'],
  ['foreign', 'foreign-spelled'],
  ['elsewhere', 'elsewhere-spelled'],
  ['unknown'],
  ['malformed'],
] as const;
export type NamedIntern = (typeof internGroups)[number][number];
export const namedInterns: readonly NamedIntern[] = internGroups.flat();

/** The guardrail that a path names, in the same way. */
export const guardrailGroups = [
  ['own'],
  ['own-spelled'],
  ['unknown'],
  ['malformed'],
  ['elsewhere', 'elsewhere-spelled'],
] as const;
export type NamedGuardrail = (typeof guardrailGroups)[number][number];
export const namedGuardrails: readonly NamedGuardrail[] = guardrailGroups.flat();

/** The intern of the world that a word names; undefined where it names none. */
export function resolveIntern(word: NamedIntern): Intern | undefined {
  return interns.find((intern) => word.startsWith(intern));
}

/** Whether the id is that of another world. */
export function isElsewhere(word: NamedIntern | NamedGuardrail): boolean {
  return word.startsWith('elsewhere');
}

/** Whether the id is written in the other case. */
export function isInOtherCase(word: NamedIntern | NamedGuardrail): boolean {
  return word.endsWith('-spelled');
}

/** What stands where the id of an intern or a guardrail should, made from a real one. */
export interface OddId {
  /** A real id in the other case, a UUID that names nothing, no UUID, or malformed percent-encoding. */
  readonly class: 'spelled' | 'unknown' | 'malformed' | 'ill-encoded';
  readonly label: string;
  readonly of: (id: string) => string;
}

const makeOddId =
  (word: OddId['class']) =>
  (label: string, of: OddId['of']): OddId => ({ class: word, label, of });
const malform = makeOddId('malformed');
const misencode = makeOddId('ill-encoded');

/** An id that names nothing, always the same for a text. A version 4 UUID: other versions may be refused as malformed. */
function makeUnknownId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const makeUnknown = (what: 'intern' | 'guardrail'): OddId =>
  makeOddId('unknown')(`an unknown ${what}`, makeUnknownId);

/** An id with another hex digit at one place; those of version and variant stay, or it may be refused as malformed. */
export function changeDigit(place: number): OddId {
  const of = (id: string) => replaceDigit(id, place, '7', '8');
  return makeOddId('unknown')(`the id with another digit at place ${place + 1}`, of);
}

/** UUIDs that name nothing, made from a real one; a server that knows one version only may refuse them as malformed. */
export const otherVersionIds: readonly OddId[] = [
  makeOddId('unknown')('the nil UUID', () => '00000000-0000-0000-0000-000000000000'),
  makeOddId('unknown')('the UUID of ones', () => 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  makeOddId('unknown')('the id with another version', (id) => replaceDigit(id, 14, '1', '7')),
  makeOddId('unknown')('the id with another variant', (id) => replaceDigit(id, 19, 'c', '0')),
];

/** The id with another digit at a place: the first that is given, or the second where that is there. */
function replaceDigit(id: string, place: number, digit: string, other: string): string {
  return `${id.slice(0, place)}${id[place]?.toLowerCase() === digit ? other : digit}${id.slice(place + 1)}`;
}

/** Returns the word by which a situation calls an odd id. */
export const nameOddId = ({ class: word }: OddId) => (word === 'unknown' ? 'unknown' : 'malformed');

const spell = (what: string): OddId =>
  makeOddId('spelled')(`${what}, its id in the other case`, (id) =>
    id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase(),
  );

/** Finds the odd id that a word asks for; undefined for a word that means a real id. */
export function findOddId(
  word: NamedIntern | NamedGuardrail,
  what: 'intern' | 'guardrail',
  situation: object,
): OddId | undefined {
  if (isInOtherCase(word)) return spell(what === 'intern' ? word.replace('-spelled', '') : 'own guardrail');
  if (word === 'unknown') return { ...makeUnknown(what), of: () => makeUnknownId(JSON.stringify(situation)) };
  if (word === 'malformed')
    return { ...cutId, label: what === 'intern' ? 'a malformed internId' : 'a malformed id' };
  return undefined;
}

/** The id of another world, in the place of one's own. */
export function makeForeignId(what: 'intern' | 'guardrail', id: string, isInOtherCase = false): OddId {
  const label = `another workspace's ${what}`;
  const { of, ...odd } = isInOtherCase ? spell(label) : makeOddId('unknown')(label, (own) => own);
  return { ...odd, of: () => of(id) };
}

export const cutId = malform('the id without its last digit', (id) => id.slice(0, -1));
export const aWord = malform('a word', () => 'not-a-uuid');

/** Malformed ids, in most of which a lenient parser would still find a real one. */
export const malformedIds: readonly OddId[] = [
  malform('the id with a letter that is no digit', (id) => `${id.slice(0, -1)}g`),
  malform('the id without dashes', (id) => id.replaceAll('-', '')),
  malform('the id as a URN', (id) => `urn:uuid:${id}`),
  malform('the id after a blank', (id) => `%20${id}`),
  malform('a number', () => '12345'),
  malform('null', () => 'null'),
  malform('a word for the only one', () => 'default'),
  malform('the id in braces', (id) => `%7B${id}%7D`),
  malform('the id with one digit more', (id) => `${id}0`),
  malform('the id with underscores', (id) => id.replaceAll('-', '_')),
  malform('the id with a dash moved', (id) => `${id.slice(0, 7)}-${id.slice(7, 8)}${id.slice(9)}`),
  malform('the id before a blank', (id) => `${id}%20`),
  malform('the id before a line feed', (id) => `${id}%0A`),
  malform('the id before a NUL', (id) => `${id}%00`),
  malform('the id as the name of a file', (id) => `${id}.json`),
  malform('the id with a wildcard', (id) => `${id.slice(0, -1)}*`),
  malform('the id twice', (id) => `${id},${id}`),
  malform('a blank', () => '%20'),
  malform('the id eight times over', (id) => id.repeat(8)),
  malform('a nil UUID and a letter', () => '00000000-0000-0000-0000-00000000000g'),
  malform('the id before a full stop', (id) => `${id}.`),
  malform('a star', () => '*'),
  malform('me', () => 'me'),
  malform('the id after the word for an intern', (id) => `intern_${id}`),
  malform('the id with hyphens of another kind', (id) => id.replaceAll('-', '%E2%80%90')),
  // What takes the digits of any script for digits still reads the same number.
  malform('the id with a full-width digit', (id) => id.replace(/\d/, (digit) => `%EF%BC%9${digit}`)),
];

export const illEncodedIds: readonly OddId[] = [
  misencode('the id and a percent sign', (id) => `${id}%`),
  misencode('the id and half an escape', (id) => `${id}%2`),
  misencode('the id after a malformed escape', (id) => `%zz${id}`),
];
