import { describe, expect, test } from 'vitest';
import { safeLine } from '../../reports/sanitize.js';
import { everyHostileText } from './hostile-report.js';

describe('a shown text', () => {
  test.each<readonly [string, string, number, string]>([
    ['is left alone where it is short', 'as it is', 8, 'as it is'],
    ['tells what is cut off', 'a'.repeat(2_005), 5, 'aaaaa … and 2,000 more characters'],
    ['is cut between characters', 'aa😀a', 3, 'aa … and 3 more characters'],
    ['is cut behind a whole pair', 'aa😀a', 4, 'aa😀 … and 1 more characters'],
    ['is cut before it is made inert', '\u0000\u0000b', 2, '\\u0000\\u0000 … and 1 more characters'],
  ])('%s', (_what, text, length, shown) => {
    expect(safeLine(text, length)).toBe(shown);
  });

  test('is inert wherever it is cut', () => {
    for (let length = 1; length <= everyHostileText.length; length++)
      expect(safeLine(everyHostileText, length)).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
  });
});
