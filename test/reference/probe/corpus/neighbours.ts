import { removal } from '../requests.js';
import type { Script } from '../script.js';
import { look, script, sent, stored } from '../steps.js';

// Names that a careless comparison takes for one another; each in turn is deleted from among the others.
const FAMILIES: readonly (readonly string[])[] = [
  ['a_b', 'a1b', 'axb', 'ab', 'a_b_c', 'abc', 'a_bc', 'b', 'b_a'],
  ['key', 'key1', 'key2', 'key12', 'key_1', 'key_2', 'keys', 'akey', 'ley', 'kez'],
  ['my_key', 'my_key_old', 'my_key_2', 'your_key', 'my', 'my_secret_key', 'my_token'],
  [64, 65, 66, 128].map((length) => 'x'.repeat(length)),
  ['1', '2', '3'].map((end) => 'l'.repeat(63) + end),
  ['1', '2', '3'].map((end) => 'l'.repeat(64) + end),
  ['1', '2', '3'].map((end) => 'l'.repeat(127) + end),
  ['1', '2', '3'].map((end) => 'l'.repeat(128) + end),
  ['1', '2', '3'].map((end) => 'l'.repeat(254) + end),
  ['a', 'b'].map((first) => first + 'l'.repeat(254)),
  ['l'.repeat(254), 'l'.repeat(255), 'l'.repeat(253)],
];

/** Names that are nearly alike, and which of them go. */
export const neighbourScripts: readonly Script[] = [
  script(
    'nearly alike names',
    FAMILIES.flatMap((family) =>
      family.flatMap((name) => [
        ...family.map((other) => stored('own', other)),
        ...sent([removal(name)]),
        look,
        ...sent([removal(name)]),
        look,
      ]),
    ),
  ),
  script(
    'nearly alike names that are not stored',
    FAMILIES.flatMap((family) =>
      family.flatMap((name, at) => [
        stored('workspace', name),
        stored('own', name),
        ...sent(family.filter((_, other) => other !== at).map((other) => removal(other))),
        look,
        ...sent([removal(name)]),
      ]),
    ),
  ),
  script(
    'the last of an intern',
    stored('own', 'one'),
    stored('sibling', 'one'),
    stored('sibling', 'two'),
    stored('workspace', 'one'),
    stored('foreign', 'one'),
    sent([removal('one')]),
    look,
    stored('own', 'one'),
    sent([removal('two', { intern: ({ here }) => here.interns.sibling })]),
    sent([removal('one', { intern: ({ here }) => here.interns.sibling })]),
    look,
    sent([removal('one')]),
    look,
  ),
];
