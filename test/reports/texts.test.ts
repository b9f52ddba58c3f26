import { expect, test } from 'vitest';
import { safeLine, sanitizeLine, sanitizePieces } from '../../reports/sanitize.js';
import { countColumns, wrapText } from '../../reports/terminal-layout.js';
import { formatDuration } from '../../reports/wording.js';
import { everyHostileText } from './hostile-report.js';

const readable = 'foo_bar é Привет ２ 秘密 😀 "$PLUMBLINE_KEY_MEMBER" \\ §7.1';

test.each([
  ['an escape sequence', '\u001b[2Jgone', '\\u001b[2Jgone'],
  ['a bell and a backspace', 'a\u0007b\u0008', 'a\\u0007b\\u0008'],
  ['NUL and DEL', '\u0000\u007f', '\\u0000\\u007f'],
  ['an eight-bit control sequence', '\u009b31m', '\\u009b31m'],
  ['marks that turn the direction', 'a\u202eb\u2066c\u200f', 'a\\u202eb\\u2066c\\u200f'],
  ['characters of no width', 'a\u200bb\ufeff\u00ad', 'a\\u200bb\\ufeff\\u00ad'],
  ['a tag beyond the first plane', 'a\u{e0041}', 'a\\u{e0041}'],
  ['half a surrogate pair', 'a\ud800b', 'a\\ud800b'],
  ['a lone carriage return', 'safe\rover', 'safe\\u000dover'],
  ['every kind of line end', 'a\nb\r\nc\u2028d\u2029e\u0085f', 'a⏎b⏎c⏎d⏎e⏎f'],
  ['a tab', 'a\tb', 'a\\tb'],
  ['readable text, as it is', readable, readable],
])('sanitizeLine shows %s', (_name, hostile, shown) => {
  expect(sanitizeLine(hostile)).toBe(shown);
});

test('sanitizePieces keeps lines and tabs, and marks codes but not text that looks like one', () => {
  expect(sanitizePieces('plain\ntext')).toEqual([{ text: 'plain\ntext', code: false }]);
  expect(sanitizePieces('a\r\n\tb\u001b\\u001b\r')).toEqual([
    { text: 'a\n\tb', code: false },
    { text: '\\u001b', code: true },
    { text: '\\u001b', code: false },
    { text: '\\u000d', code: true },
  ]);
});

test.each<readonly [string, string, number, string]>([
  ['leaves a short text alone', 'as it is', 8, 'as it is'],
  ['counts what it cuts off', 'a'.repeat(2_005), 5, 'aaaaa … and 2,000 more characters'],
  ['never cuts within a surrogate pair', 'aa😀a', 3, 'aa … and 3 more characters'],
  ['cuts after a whole pair', 'aa😀a', 4, 'aa😀 … and 1 more characters'],
  ['cuts before it sanitizes', '\u0000\u0000b', 2, '\\u0000\\u0000 … and 1 more characters'],
])('safeLine %s', (_what, text, length, shown) => {
  expect(safeLine(text, length)).toBe(shown);
});

test('safeLine is safe wherever it cuts', () => {
  for (let length = 1; length <= everyHostileText.length; length++)
    expect(safeLine(everyHostileText, length)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
});

test.each([
  [0, '0.0 s'],
  [2_140, '2.1 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min'],
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
