const ascii = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, step) => String.fromCharCode(from + step));

// A slash and a backslash may be taken for a part of the path before the name is looked at.
const routing = ['/', '\\'];

/** Characters that no secret name may hold (§2.3), by kind; each alone breaks one rule. */
export const foreignSigns = {
  /** ASCII signs and the blank; slashes are left to routing. */
  punctuation: [
    ...ascii(0x20, 0x2f),
    ...ascii(0x3a, 0x40),
    ...ascii(0x5b, 0x60),
    ...ascii(0x7b, 0x7e),
  ].filter((sign) => sign !== '_' && !routing.includes(sign)),
  /** ASCII control characters, DEL included. */
  control: [...ascii(0x00, 0x1f), '\u007f'],
  /** Letters, digits, marks and blanks beyond ASCII that a careless rule takes for its own. */
  beyondAscii: [
    ...['é', 'ß', 'ø', 'а', 'ο', 'ａ', 'ｚ', 'ı', 'ſ', '\u212a', '中', 'ñ'],
    ...['٣', '१', '１', '²', 'Ⅷ'],
    ...['a\u0301', '\u200b', '\u00a0', '\u2028', '\ufeff', '‿', '＿', '😀', '\u{1d41a}'],
  ],
} as const;
