import { describe, expect, test } from 'vitest';
import { sanitizeLine, sanitizePieces, sanitizeTexts } from '../../reports/sanitize.js';

describe('inertText', () => {
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
  ])('shows %s', (_name, hostile, shown) => {
    expect(sanitizeLine(hostile)).toBe(shown);
  });

  test('leaves what can be read as it is', () => {
    const text = 'foo_bar é Привет ２ 秘密 😀 "$PLUMBLINE_KEY_MEMBER" \\ §7.1';
    expect(sanitizeLine(text)).toBe(text);
  });
});

test('withInertTexts reaches every text, members’ names included, and nothing else', () => {
  const value = { 'a\u001b': ['\n', { deep: ['\u0000', 1, null, true] }] };
  expect(sanitizeTexts(value)).toEqual({ 'a\\u001b': ['⏎', { deep: ['\\u0000', 1, null, true] }] });
});

describe('inertPieces', () => {
  test('keeps lines and tabs, and tells codes from what was written like them', () => {
    expect(sanitizePieces('a\r\n\tb\u001b\\u001b\r')).toEqual([
      { text: 'a\n\tb', code: false },
      { text: '\\u001b', code: true },
      { text: '\\u001b', code: false },
      { text: '\\u000d', code: true },
    ]);
  });

  test('gives plain text back whole', () => {
    expect(sanitizePieces('plain\ntext')).toEqual([{ text: 'plain\ntext', code: false }]);
  });
});
