/** How a secret may be written when a server repeats it. */
const writings: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => encodeURIComponent(value),
  (value) => JSON.stringify(value).slice(1, -1),
  (value) => Buffer.from(value).toString('hex'),
  (value) => Buffer.from(value).toString('hex').toUpperCase(),
  ...[0, 1, 2].map((offset) => (value: string) => base64Core(value, offset)),
  ...[0, 1, 2].map((offset) => (value: string) => urlSafe(base64Core(value, offset))),
];

/** The characters of a base64 text that `value` alone decides where it begins `offset` bytes into a group of three. */
export function base64Core(value: string, offset: number): string {
  const encoded = Buffer.from('\0'.repeat(offset) + value).toString('base64');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + Buffer.byteLength(value)) * 8) / 6);
  return encoded.slice(first, last);
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}

// Long secrets are looked up by their first characters; a constant beginning (`sk-`) must leave enough to tell them apart.
const prefixLength = 12;
// Shorter secrets could stand in a text by chance.
const shortestSecret = 6;

const forgottenAtMost = 5_000;

interface Known {
  readonly written: string;
  readonly name: string;
}

interface Index {
  /** Long writings by their first characters, the longest first. */
  readonly long: ReadonlyMap<string, readonly Known[]>;
  readonly short: readonly Known[];
}

/**
 * Replaces secrets by their names. Every text that leaves the process passes here: terminal, reports,
 * evidence, error messages, `curl` lines.
 */
export class Redactor {
  readonly #names = new Map<string, string>();
  readonly #forgotten = new Map<string, string>();
  #shortest = Number.POSITIVE_INFINITY;
  // Worlds come and go by the hundred and little is redacted: the index is made when it is needed.
  #index: Index | undefined;

  /** Makes a value known under the name that takes its place, such as `$PLUMBLINE_KEY_MEMBER`. */
  register(value: string, name: string): void {
    if (value.length < shortestSecret || this.#names.has(value)) return;
    this.#names.set(value, name);
    this.#shortest = Math.min(this.#shortest, value.length);
    this.#index = undefined;
  }

  /** Stops looking for a value, once nothing is left unredacted that could hold it; the last look still does. */
  forget(value: string): void {
    const name = this.#names.get(value);
    if (name === undefined) return;
    this.#names.delete(value);
    this.#forgotten.set(value, name);
    // A run of a million cases makes worlds without end; the keys of the oldest are long dead.
    const [oldest] = this.#forgotten.size > forgottenAtMost ? this.#forgotten.keys() : [];
    if (oldest !== undefined) this.#forgotten.delete(oldest);
    this.#index = undefined;
  }

  /** The text with every secret that is or was known replaced by its name: the last look at what is written. */
  scrub(text: string): string {
    return replaced(text, indexed(new Map([...this.#forgotten, ...this.#names])));
  }

  /** The text with every known secret replaced by its name, in whatever form it is written. */
  redact(text: string): string {
    // No writing of a value is shorter than the value itself, but base64 leaves its edges out.
    if (text.length < this.#shortest - 1) return text;
    this.#index ??= indexed(this.#names);
    return replaced(text, this.#index);
  }
}

/** One pass, so that a name that was put in is never taken for a secret. */
function replaced(text: string, { long, short }: Index): string {
  let redacted = '';
  let copied = 0;
  for (let at = 0; at + shortestSecret <= text.length; at++) {
    const isHere = ({ written }: Known): boolean => text.startsWith(written, at);
    const known = long.get(text.slice(at, at + prefixLength))?.find(isHere) ?? short.find(isHere);
    if (known === undefined) continue;
    redacted += text.slice(copied, at) + known.name;
    copied = at + known.written.length;
    at = copied - 1;
  }
  return redacted + text.slice(copied);
}

function indexed(names: ReadonlyMap<string, string>): Index {
  const all = [...names].flatMap(([value, name]) => writingsOf(value).map((written) => ({ written, name })));
  all.sort((one, other) => other.written.length - one.written.length);
  const long = new Map<string, Known[]>();
  for (const known of all.filter(({ written }) => written.length >= prefixLength)) {
    const prefix = known.written.slice(0, prefixLength);
    const alike = long.get(prefix);
    if (alike === undefined) long.set(prefix, [known]);
    else alike.push(known);
  }
  return { long, short: all.filter(({ written }) => written.length < prefixLength) };
}

function writingsOf(value: string): readonly string[] {
  return [...new Set(writings.map((write) => write(value)))].filter(({ length }) => length >= shortestSecret);
}
