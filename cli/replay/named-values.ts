import { Redactor } from '../../targets/redaction.js';

/** A part of a text: as it is, or taken from a value that has a name. */
export type Piece = string | NamedPiece;

interface NamedPiece {
  readonly name: string;
  /** Which characters of it; all of them where absent. */
  readonly from?: number;
  readonly to?: number;
  /** In the other letter case. */
  readonly as?: 'upper' | 'lower';
}

// So much of a value must a word have in common with it to be taken for one that was made from it.
const sharedAtLeast = 8;

/** Values that stand under names in what is handed on, so that they can be filled in elsewhere. */
export class NamedValues {
  /** The longest first: one value may be part of another. */
  readonly #values: readonly (readonly [value: string, name: string])[];
  readonly #isSecret: (text: string) => boolean;

  /** @param secrets the names of those values that must not be shown themselves */
  constructor(values: ReadonlyMap<string, string>, secrets: (name: string) => boolean) {
    this.#values = [...values]
      .filter(([value]) => value !== '')
      .sort(([one], [other]) => other.length - one.length);
    const redactor = new Redactor();
    for (const [value, name] of values) if (secrets(name)) redactor.register(value, name);
    this.#isSecret = (text) => redactor.redact(text) !== text;
  }

  /** A text with the names in place of the values, and of what was made from one by changing a few characters. */
  split(text: string): readonly Piece[] {
    for (const [value, name] of this.#values) {
      const at = text.indexOf(value);
      if (at >= 0)
        return [...this.split(text.slice(0, at)), { name }, ...this.split(text.slice(at + value.length))];
    }
    // A word that was made from a value by changing a few of its characters.
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

/** How many characters two texts have in common at their beginning and at their end, none counted twice. */
function compareEnds(one: string, other: string): { readonly start: number; readonly end: number } {
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return { start, end };
}

/** Pieces as a word of the shell (bash, zsh) in which names are variables. */
export function writeShellWord(pieces: readonly Piece[]): string {
  const inside = pieces.map((piece) =>
    typeof piece === 'string' ? escapeForShell(piece) : writeVariable(piece),
  );
  return `"${inside.join('')}"`;
}

function escapeForShell(text: string): string {
  // In double quotes an interactive shell takes ! for its history.
  return text.replace(/[\\"`$]/g, '\\$&').replaceAll('!', '"\'!\'"');
}

function writeVariable({ name, from, to, as }: NamedPiece): string {
  if (as !== undefined) return `$(printf %s "$${name}" | tr ${as === 'upper' ? 'a-z A-Z' : 'A-Z a-z'})`;
  return from === undefined || to === undefined ? `\${${name}}` : `\${${name}:${from}:${to - from}}`;
}
