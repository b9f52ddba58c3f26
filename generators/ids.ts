import { createHash } from 'node:crypto';
import { type Intern, interns } from '../spec/vocabulary.js';

// The IDs of interns and guardrails that a path can contain (§4.1, §4.2).

/**
 * The intern that a vault path names, in groups that the oracle treats alike, the plain one first. The ID of a `-spelled`
 * one is written in the other letter case; `elsewhere` belongs to another world, whose workspace other keys select.
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

/** The guardrail that a path names, in groups like those of interns. */
export const guardrailGroups = [
  ['own'],
  ['own-spelled'],
  ['unknown'],
  ['malformed'],
  ['elsewhere', 'elsewhere-spelled'],
] as const;
export type NamedGuardrail = (typeof guardrailGroups)[number][number];

/** Returns the intern of the world that a word names, or undefined if it names none. */
export function resolveIntern(word: NamedIntern): Intern | undefined {
  return interns.find((intern) => word.startsWith(intern));
}

/** Whether a word names the intern or the guardrail of another world. */
export function isElsewhere(word: NamedIntern | NamedGuardrail): boolean {
  return word.startsWith('elsewhere');
}

/** Whether a word means an ID in the other letter case. */
export function isInOtherCase(word: NamedIntern | NamedGuardrail): boolean {
  return word.endsWith('-spelled');
}

/** An ID made from a real one, to be sent in its place. */
export interface DerivedId {
  /** A real ID in the other letter case, a UUID that names nothing, not a UUID, or malformed percent-encoding. */
  readonly class: 'spelled' | 'unknown' | 'malformed' | 'ill-encoded';
  readonly label: string;
  readonly of: (id: string) => string;
}

const defineId =
  (word: DerivedId['class']) =>
  (label: string, of: DerivedId['of']): DerivedId => ({ class: word, label, of });
const malform = defineId('malformed');
const misencode = defineId('ill-encoded');

/** Makes an ID that names nothing from a text: a version 4 UUID, since others may be refused as malformed. */
function makeUnknownId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** An ID that names nothing, made from a real one. */
export const makeUnknown = (what: 'intern' | 'guardrail'): DerivedId =>
  defineId('unknown')(`an unknown ${what}`, makeUnknownId);

/** The real ID with one hex digit changed. Not at the places of version and variant: it might be refused as malformed. */
export function changeDigit(place: number): DerivedId {
  const of = (id: string) => replaceDigit(id, place, '7', '8');
  return defineId('unknown')(`the id with another digit at place ${place + 1}`, of);
}

/** UUIDs that name nothing. Together they have every hex digit at every place but those of version and variant. */
export const idsOfEveryDigit: readonly DerivedId[] = [...'0123456789abcdef'].map((first, from, digits) =>
  defineId('unknown')(`an unknown id that counts from ${first}`, () =>
    'xxxxxxxx-xxxx-4xxx-axxx-xxxxxxxxxxxx'.replace(
      /x/g,
      (_, place: number) => digits[(place + from) % 16] ?? '',
    ),
  ),
);

/** UUIDs of other versions, which name nothing; a server that knows only one version may refuse them as malformed. */
export const otherVersionIds: readonly DerivedId[] = [
  defineId('unknown')('the nil UUID', () => '00000000-0000-0000-0000-000000000000'),
  defineId('unknown')('the UUID of ones', () => 'ffffffff-ffff-ffff-ffff-ffffffffffff'),
  defineId('unknown')('the id with another version', (id) => replaceDigit(id, 14, '1', '7')),
  defineId('unknown')('the id with another variant', (id) => replaceDigit(id, 19, 'c', '0')),
  defineId('unknown')('an unknown id in upper case', (id) => makeUnknownId(id).toUpperCase()),
];

/** Puts a digit at a place of an ID, or another digit if it is there already. */
function replaceDigit(id: string, place: number, digit: string, other: string): string {
  return `${id.slice(0, place)}${id[place]?.toLowerCase() === digit ? other : digit}${id.slice(place + 1)}`;
}

/** Returns the word that a situation has for a derived ID. */
export const classifyId = ({ class: word }: DerivedId) => (word === 'unknown' ? 'unknown' : 'malformed');

const spell = (what: string): DerivedId =>
  defineId('spelled')(`${what}, its id in the other case`, (id) =>
    id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase(),
  );

/** Returns the ID that a word stands for, or undefined if the word means a real one. */
export function deriveId(
  word: NamedIntern | NamedGuardrail,
  what: 'intern' | 'guardrail',
  situation: object,
): DerivedId | undefined {
  if (isInOtherCase(word)) return spell(what === 'intern' ? word.replace('-spelled', '') : 'own guardrail');
  if (word === 'unknown') return { ...makeUnknown(what), of: () => makeUnknownId(JSON.stringify(situation)) };
  if (word === 'malformed')
    return { ...cutId, label: what === 'intern' ? 'a malformed internId' : 'a malformed id' };
  return undefined;
}

/** The ID of another world's intern or guardrail, to be sent in place of the own one. */
export function makeElsewhereId(what: 'intern' | 'guardrail', id: string, isInOtherCase: boolean): DerivedId {
  const label = `another workspace's ${what}`;
  const { of, ...derived } = isInOtherCase ? spell(label) : defineId('unknown')(label, (own) => own);
  return { ...derived, of: () => of(id) };
}

/** Percent-encodes the hyphens of an ID; decoded, it is the same ID. */
export const encodeHyphens = (id: string): string => id.replaceAll('-', '%2d');

export const cutId = malform('the id without its last digit', (id) => id.slice(0, -1));
export const aWord = malform('a word', () => 'not-a-uuid');

/** Malformed IDs. In most of them, a lenient parser still finds a real one. */
export const malformedIds: readonly DerivedId[] = [
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
  malform('the id, a digit of it encoded twice', (id) => `%25${id.charCodeAt(0).toString(16)}${id.slice(1)}`),
  malform('the id with a byte that is not UTF-8', (id) => `${id.slice(0, -1)}%FF`),
  // A parser that accepts the digits of any script still reads the same number.
  malform('the id with a full-width digit', (id) => id.replace(/\d/, (digit) => `%EF%BC%9${digit}`)),
];

/** IDs that are malformed in one of their groups: a pattern may be wrong in a single place. */
export const misgroupedIds: readonly DerivedId[] = [1, 2, 3, 4, 5].flatMap((group) => {
  // A part is a group with the dash after it.
  const malformGroup = (what: string, edit: (part: string) => string): DerivedId =>
    malform(`the id with ${what} group ${group}`, (id) => {
      const parts = id.split(/(?<=-)/);
      return parts.map((part, at) => (at === group - 1 ? edit(part) : part)).join('');
    });
  const putFirst = (what: string, sign: string) =>
    malformGroup(`${what} in`, (part) => `${sign}${part.slice(1)}`);
  const inEveryGroup = [
    putFirst('a letter that is no digit', 'g'),
    putFirst('a full stop', '.'),
    putFirst('a line feed', '%0A'),
    putFirst('a letter beyond ASCII', '%C3%A9'),
  ];
  if (group === 5) return inEveryGroup;
  return [
    malformGroup('a digit less in', (part) => part.slice(1)),
    malformGroup('a digit more in', (part) => `0${part}`),
    malformGroup('no dash after', (part) => part.slice(0, -1)),
    ...inEveryGroup,
  ];
});

export const misencodedIds: readonly DerivedId[] = [
  misencode('the id and a percent sign', (id) => `${id}%`),
  misencode('the id and half an escape', (id) => `${id}%2`),
  misencode('the id after a malformed escape', (id) => `%zz${id}`),
];
