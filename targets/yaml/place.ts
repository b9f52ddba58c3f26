import { roles } from '../../spec/vocabulary.js';

/** The members that lead to a value of a file; an index of a list is written as a number's text. */
export type Place = readonly string[];

/** Something that is wrong with a file. Its message never holds a value that may be a secret. */
export interface YamlFault {
  readonly place: Place;
  readonly message: string;
  /** Its line, where that is another than the one on which the place first stands. */
  readonly line?: number;
}

/** The JSON pointer of a place. */
export function pointerOf(place: Place): string {
  return place.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The place that a JSON pointer leads to. */
export function placeOf(pointer: string): Place {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A place as a user reads it: `policy.excused[0].reason`. */
export function placeText(place: Place): string {
  // What stands where a role is due may well be the key itself.
  const shown = place[0] === 'keys' && !isRole(place[1]) ? place.slice(0, 1) : place;
  return shown.map(stepText).join('').replace(/^\./, '');
}

/** A member's name as a message may show it: short, and without characters that move a terminal. */
export function nameText(name: string): string {
  if (/^[\w-]{1,40}$/.test(name)) return name;
  const plain = name.replace(/[^\x20-\x7e]/g, '?');
  return JSON.stringify(plain.length > 40 ? `${plain.slice(0, 39)}…` : plain);
}

function stepText(step: string): string {
  return /^\d+$/.test(step) ? `[${step}]` : `.${nameText(step)}`;
}

function isRole(word: string | undefined): boolean {
  return roles.some((role) => role === word);
}
