import type { InvalidNameClass } from '../../generators/secret-name.js';

/** Every rule of §2.3 that a text breaks, each looked at by itself; a foreign character is no first or last one. */
export function brokenRules(text: string): readonly RefusedClass[] {
  return ruleWords.filter((rule) => breaks[rule](text));
}

/** Whether a text is a secret name: the pattern of §2.3 as the document prints it, and its length. */
export function isLegal(text: string): boolean {
  return text.length >= 1 && text.length <= 255 && /^(?!.*__)[a-z]([a-z0-9_]*[a-z0-9])?$/su.test(text);
}

const breaks = {
  'too-long': (text) => text.length === 0 || text.length > 255,
  'upper-case': holds((code) => code >= 0x41 && code <= 0x5a),
  punctuation: holds(
    (code) => code >= 0x20 && code < 0x7f && !isLetter(code) && !isDigit(code) && code !== 0x5f,
  ),
  'control-character': holds((code) => code < 0x20 || code === 0x7f),
  'beyond-ascii': holds((code) => code > 0x7f),
  'leading-digit': (text) => isDigit(text.charCodeAt(0)),
  'leading-underscore': (text) => text.startsWith('_'),
  'trailing-underscore': (text) => text.endsWith('_'),
  'double-underscore': (text) => text.split('_').slice(1, -1).includes(''),
} as const satisfies Partial<Record<InvalidNameClass, (text: string) => boolean>>;

/** A class of names that break one rule of §2.3. */
type RefusedClass = keyof typeof breaks;
export const ruleWords = Object.keys(breaks) as readonly RefusedClass[];

function holds(isForeign: (code: number) => boolean): (text: string) => boolean {
  return (text) => [...text].some((sign) => isForeign(sign.codePointAt(0) ?? 0));
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}
