import { numberText } from './amount-text.js';
import { inertText } from './inert-text.js';

// What a list of results shows in one row; readers of XML refuse a text of 10 MB.
const usualLength = 4_000;

/**
 * A text from anywhere as one inert line of bounded length; what is cut off is told by its number of characters, and
 * stands in report.json. `length` counts UTF-16 units before anything is shown by its code.
 */
export function shownText(text: string, length = usualLength): string {
  if (text.length <= length) return inertText(text);
  const end = isHighSurrogate(text.charCodeAt(length - 1)) ? length - 1 : length;
  return `${inertText(text.slice(0, end))} … and ${numberText(text.length - end)} more characters`;
}

/** Where a text is cut, a pair stays whole. */
function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
