import { expect, test } from 'vitest';
import { countColumns, wrapText } from '../../reports/terminal-layout.js';
import { formatDuration } from '../../reports/wording.js';

test.each([
  [0, '0.0 s'],
  [2_140, '2.1 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [200_000, '3 min 20 s'],
])('formatDuration of %d ms is "%s"', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each<readonly [string, string, number, readonly string[]]>([
  ['breaks at blanks and loses no word', 'one two three four', 9, ['one two', 'three', 'four']],
  ['fills a line to its last column', 'abc defg', 8, ['abc defg']],
  ['breaks a line that is one column too long', 'abc defg', 7, ['abc', 'defg']],
  ['breaks a word that is longer than a line', 'x abcdefgh', 4, ['x', 'abcd', 'efgh']],
  ['keeps blanks within a line, since a message may be about them', 'got "a  b"', 20, ['got "a  b"']],
  ['counts wide characters as two columns', '秘密秘密', 5, ['秘密', '秘密']],
  ['returns one empty line for an empty text', '', 10, ['']],
])('wrapText %s', (_what, text, width, lines) => {
  expect(wrapText(text, width)).toEqual(lines);
});

test('countColumns counts wide characters as two, and marks as none', () => {
  expect(['plain', '２秘', 'e\u0301', '😀'].map(countColumns)).toEqual([5, 4, 1, 2]);
});
