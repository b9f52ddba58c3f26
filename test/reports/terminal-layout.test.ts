import { expect, test } from 'vitest';
import { countColumns, wrapText } from '../../reports/terminal-layout.js';

test('wrapText breaks at blanks and loses no word', () => {
  expect(wrapText('one two three four', 9)).toEqual(['one two', 'three', 'four']);
});

test('wrapText fills a line to its last column', () => {
  expect(wrapText('abc defg', 8)).toEqual(['abc defg']);
  expect(wrapText('abc defg', 7)).toEqual(['abc', 'defg']);
});

test('wrapText breaks a word that is longer than a line', () => {
  expect(wrapText('x abcdefgh', 4)).toEqual(['x', 'abcd', 'efgh']);
});

test('wrapText keeps blanks within a line, since a message may be about them', () => {
  expect(wrapText('got "a  b"', 20)).toEqual(['got "a  b"']);
});

test('wrapText counts wide characters as two columns', () => {
  expect(wrapText('秘密秘密', 5)).toEqual(['秘密', '秘密']);
});

test('wrapText returns one empty line for an empty text', () => {
  expect(wrapText('', 10)).toEqual(['']);
});

test.each([
  ['plain', 5],
  ['２秘', 4],
  ['e\u0301', 1],
  ['😀', 2],
])('countColumns of %s is %d', (text, columns) => {
  expect(countColumns(text)).toBe(columns);
});
