import { numberText } from './amount-text.js';

/** A text cut after some UTF-16 units, never within a character; says how many were left out. */
export function cutText(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = isHighSurrogate(text.charCodeAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)} … and ${numberText(text.length - end)} more characters`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
