import { removal } from '../requests.js';
import type { Script } from '../script.js';
import { script, sent, stored, storedAndDeleted } from '../steps.js';

const WORDS = [
  ...['constructor', 'prototype', 'valueof', 'nan', 'infinity', 'no', 'y', 'con', 'nul'],
  ...['a2147483647', 'a2147483648', 'a_9007199254740993', 'x_y'],
];

const x = 'x';
const ILLEGAL = [
  ...['2147483647', '42', '__proto__', 'toString', 'valueOf', 'NULL', 'None', 'a%0Ab%40', 'a-b', 'a.b'],
  `${x.repeat(70)}__x`,
  `${x.repeat(130)}Xx`,
  `${x.repeat(254)}_`,
  `${x.repeat(110)}.x`,
];

/** Names that mean something to a language or a database, and rules that hold at some positions only. */
export const meaningScripts: readonly Script[] = [
  script(
    'names that mean something',
    WORDS.flatMap(storedAndDeleted),
    sent(ILLEGAL.map((name) => removal(name))),
  ),
  script(
    'names that end with like numbers',
    stored('own', 'n9007199254740992'),
    stored('own', 'v1'),
    sent([removal('n9007199254740993'), removal('v01')]),
  ),
];
