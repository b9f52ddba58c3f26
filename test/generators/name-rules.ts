import type { InvalidNameClass } from '../../generators/secret-name.js';

/** Every rule of §2.3 that a text breaks, each looked at by itself; a foreign character is no first or last one. */
export function brokenRules(text: string): readonly RefusedClass[] {
  return ruleWords.filter((rule) => breaks[rule](text));
}

/** Whether a text is a secret name: the pattern of §2.3 as the document prints it, and its length. */
export function isLegal(text: string): boolean {
  return text.length >= 1 && text.length <= 255 && /^(?!.*__)[a-z]([a-z0-9_]*[a-z0-9])?$/su.test(text);
}

const matches = (pattern: RegExp) => (text: string) => pattern.test(text);
const breaks = {
  'too-long': (text) => text.length === 0 || text.length > 255,
  'upper-case': matches(/[A-Z]/),
  punctuation: matches(/(?=\p{ASCII})[^\p{Cc}\w]/u),
  'control-character': matches(/(?=\p{ASCII})\p{Cc}/u),
  'beyond-ascii': matches(/\P{ASCII}/u),
  'leading-digit': matches(/^[0-9]/),
  'leading-underscore': matches(/^_/),
  'trailing-underscore': matches(/_$/),
  'double-underscore': matches(/__/),
} as const satisfies Partial<Record<InvalidNameClass, (text: string) => boolean>>;

type RefusedClass = keyof typeof breaks;
export const ruleWords = Object.keys(breaks) as readonly RefusedClass[];
