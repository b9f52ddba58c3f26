import { expect, test } from 'vitest';
import { formatCount, formatDuration, formatNumber } from '../../reports/wording.js';

test.each([
  [0, '0.0 s'],
  [2_140, '2.1 s'],
  [9_949, '9.9 s'],
  [9_950, '10 s'],
  [59_400, '59 s'],
  [59_600, '1 min 0 s'],
  [200_000, '3 min 20 s'],
])('durationText of %d ms', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test('numbers and nouns', () => {
  expect(formatNumber(1_234_567)).toBe('1,234,567');
  expect([0, 1, 2].map((amount) => formatCount(amount, 'must'))).toEqual(['0 musts', '1 must', '2 musts']);
});
