import { expect, test } from 'vitest';
import {
  formatConfirmed,
  formatCount,
  formatDuration,
  formatNumber,
  shortList,
} from '../../reports/wording.js';

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

test('numbers have separators, and nouns a plural', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567');
  expect([0, 1, 2].map((amount) => formatCount(amount, 'must'))).toEqual(['0 musts', '1 must', '2 musts']);
});

test('a short list counts what it leaves out', () => {
  expect(shortList(['a', 'b', 'c'], 2)).toBe('a, b, and 1 more');
  expect(shortList(['a', 'b'], 2)).toBe('a, b');
});

test('confirmations are in words', () => {
  expect(['3/3', '1/1', 'unusual'].map(formatConfirmed)).toEqual([
    'in 3 of 3 attempts',
    'in 1 of 1 attempt',
    'unusual',
  ]);
});
