import { Redactor } from '../../targets/redaction.js';

/** A part of a text: literal, or taken from a named value. */
export type Piece = string | NamedPiece;

interface NamedPiece {
  readonly name: string;
  /** The range of its characters; all if absent. */
  readonly from?: number;
  readonly to?: number;
  /** The letter case to convert it to. */
  readonly as?: 'upper' | 'lower';
}

// The number of characters that a word must share with a value to count as derived from it.
const sharedAtLeast = 8;

/** Replaces values in texts by their names, to be filled in elsewhere. */
export class NamedValues {
  /** Longest first, since one value may be part of another. */
  readonly #values: readonly (readonly [value: string, name: string])[];
  readonly #isSecret: (text: string) => boolean;

  /** @param secrets whether the value of a name must not be shown */
  constructor(values: ReadonlyMap<string, string>, secrets: (name: string) => boolean) {
    this.#values = [...values]
      .filter(([value]) => value !== '')
      .sort(([one], [other]) => other.length - one.length);
    const redactor = new Redactor();
    for (const [value, name] of values) if (secrets(name)) redactor.register(value, name);
    this.#isSecret = (text) => redactor.redact(text) !== text;
  }

  /** Splits a text into literal parts and named values, those included that differ in a few characters. */
  split(text: string): readonly Piece[] {
    for (const [value, name] of this.#values) {
      const at = text.indexOf(value);
      if (at >= 0)
        return [...this.split(text.slice(0, at)), { name }, ...this.split(text.slice(at + value.length))];
    }
    return text
      .split(/([\w.~-]{8,})/)
      .flatMap((word, at) => (at % 2 === 1 ? this.#derive(word) : word || []));
  }

  #derive(word: string): readonly Piece[] {
    for (const [value, name] of this.#values) {
      if (word === value.toUpperCase()) return [{ name, as: 'upper' }];
      if (word === value.toLowerCase()) return [{ name, as: 'lower' }];
    }
    const [best] = this.#values
      .map(([value, name]) => ({ value, name, ...compareEnds(word, value) }))
      .sort((one, other) => other.start + other.end - one.start - one.end);
    if (best === undefined || best.start + best.end < sharedAtLeast) return [this.#hide(word)];
    const { value, name, start, end } = best;
    const [first, last] = [start > 3 ? start : 0, end > 3 ? end : 0];
    return [
      ...(first > 0 ? [{ name, from: 0, to: first }] : []),
      ...(first < word.length - last ? [this.#hide(word.slice(first, word.length - last))] : []),
      ...(last > 0 ? [{ name, from: value.length - last, to: value.length }] : []),
    ];
  }

  #hide(text: string): string {
    return this.#isSecret(text) ? '<redacted>' : text;
  }
}

/** Counts the characters that two texts share at their beginning and at their end, none twice. */
function compareEnds(one: string, other: string): { readonly start: number; readonly end: number } {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return { start, end };
}

/** Writes pieces as a word of a shell (bash, zsh), with variables for names. */
export function writeShellWord(pieces: readonly Piece[]): string {
  const inside = pieces.map((piece) =>
    typeof piece === 'string' ? escapeForShell(piece) : writeVariable(piece),
  );
  return `"${inside.join('')}"`;
}

function escapeForShell(text: string): string {
  // In double quotes, an interactive shell expands ! from its history.
  return text.replace(/[\\"`$]/g, '\\$&').replaceAll('!', '"\'!\'"');
}

function writeVariable({ name, from, to, as }: NamedPiece): string {
  if (as !== undefined) return `$(printf %s "$${name}" | tr ${as === 'upper' ? 'a-z A-Z' : 'A-Z a-z'})`;
  return from === undefined || to === undefined ? `\${${name}}` : `\${${name}:${from}:${to - from}}`;
}
