import { randomBytes } from 'node:crypto';
import { getOrInsert } from '../spec/maps.js';
import type { Answer, Answered } from './exchange.js';
import { Redactor } from './redaction.js';
import { SecretIndex } from './secret-index.js';

/** Where a response contains the value of a stored secret; trailers count as header fields. */
export type Leak = 'header' | 'body' | 'reason-phrase';

/** Shorter values could appear in a response by chance, which would be a false accusation. */
export const shortestCanary = 8;

/** What replaces a stored value in reports. */
export const storedValue = '<stored value>';

/** Values that no response may contain. Each answer is searched once, however many rules need the result. */
export abstract class SoughtValues {
  abstract readonly stored: boolean;
  readonly #redactor = new Redactor();
  readonly #leaks = new WeakMap<Answer, Leak | undefined>();

  constructor(readonly values: readonly string[]) {
    this.registerIn(this.#redactor);
  }

  registerIn(redactor: Redactor): void {
    for (const value of this.values) redactor.register(value, storedValue);
  }

  /** Returns where a response contains one of them, in any encoding. */
  leak(answer: Answer): Leak | undefined {
    return getOrInsert(this.#leaks, answer, () => this.#search(answer));
  }

  protected isIn(text: string): boolean {
    return this.#redactor.secretsIn(text).length > 0;
  }

  #search({ reasonPhrase = '', headers, trailers = [], text }: Answer): Leak | undefined {
    const fields = joinFields([...headers, ...trailers].flat());
    if (this.isIn(fields)) return 'header';
    if (this.isIn(text)) return 'body';
    return this.isIn(reasonPhrase) ? 'reason-phrase' : undefined;
  }
}

/**
 * The values that a run stores. All begin and end with one random mark, so that one search of a response finds any of them,
 * even if it was cut (§1: never secret values).
 */
export class Canaries extends SoughtValues {
  #count = 0;
  readonly #disguises = new SecretIndex();

  /** @param mark the part that all values of this run have in common, itself redacted like a value */
  constructor(readonly mark = randomBytes(9).toString('hex')) {
    super([mark]);
    for (const disguise of writeDisguises(mark)) this.#disguises.add(disguise);
  }

  /** Finds the mark in pieces too. It is so random that pieces of something else never add up to it. */
  protected override isIn(text: string): boolean {
    // This joins what was split, such as a list of characters or lines of base64.
    const joined = text.replace(/[^a-z\d]+/gi, '');
    return super.isIn(text) || this.#disguises.search(joined).some(({ isWhole }) => isWhole);
  }

  /** Returns a value that no other secret of any run has. */
  next(): string {
    this.#count += 1;
    return `${this.mark}-${this.#count}-${this.mark}`;
  }

  override get stored(): boolean {
    return this.#count > 0;
  }
}

const capitals = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
/**
 * Hex, base32 and base64: how many bits a digit stands for, the `step` between the bits of a digit at which a byte can begin,
 * and the digits. Base64 lacks its `+` and `/`, since they are removed from what is searched too.
 */
const bases = [
  { bits: 4, step: 4, digits: '0123456789abcdef' },
  { bits: 5, step: 1, digits: `${capitals}234567` },
  { bits: 6, step: 2, digits: `${capitals}${capitals.toLowerCase()}0123456789` },
];

/**
 * Yields the forms in which a text may appear: as it is, in octal, and with its UTF-8 or UTF-16 in each base. In a base, its
 * digits depend on where in a longer text it begins, so that each possible beginning has a form of its own.
 */
function* writeDisguises(text: string): Generator<string> {
  yield text;
  yield [...Buffer.from(text)].map((byte) => byte.toString(8).padStart(3, '0')).join('');
  for (const bytes of [Buffer.from(text), Buffer.from(text, 'utf16le')]) {
    const written = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    for (const { bits, step, digits } of bases) {
      for (let offset = 0; offset < bits; offset += step) {
        const inner = written.slice(offset).match(new RegExp(`.{${bits}}`, 'g')) ?? [];
        yield inner.map((digit) => digits[Number.parseInt(digit, 2)] ?? '').join('');
      }
    }
  }
}

/** Values that the user knows to be stored: no recorded response may contain one. */
export class KnownValues extends SoughtValues {
  override get stored(): boolean {
    return this.values.length > 0;
  }
}

/** Detects keys in answers. */
export type SoughtKeys = Pick<KnownKeys, 'ofSeveralWorlds' | 'isOtherKeyIn'>;

/** Detects nothing, since no key is known. */
export const noKeys: SoughtKeys = { ofSeveralWorlds: false, isOtherKeyIn: () => false };

const shared = Symbol('a key of several worlds');

/** The keys of a run, by the world that they belong to. */
export class KnownKeys {
  readonly #worlds = new Map<string, string | typeof shared>();
  #firstWorld: string | undefined;
  /** Whether keys of several worlds are known. */
  ofSeveralWorlds = false;

  /** @param redactor finds the keys in texts, so they must be registered in it too */
  constructor(private readonly redactor: Redactor) {}

  /** Adds a key of a world. A key that several worlds share belongs to none of them. */
  add(key: string, world: string): void {
    this.#firstWorld ??= world;
    this.ofSeveralWorlds ||= world !== this.#firstWorld;
    const known = this.#worlds.get(key);
    this.#worlds.set(key, known === undefined || known === world ? world : shared);
  }

  isShared(key: string): boolean {
    return this.#worlds.get(key) === shared;
  }

  has(key: string): boolean {
    return this.#worlds.has(key);
  }

  /** Whether an answer contains a key of another world than the request. */
  isOtherKeyIn({ request, answer }: Answered): boolean {
    const { text, headers, reasonPhrase = '', trailers = [] } = answer;
    const fields = joinFields([reasonPhrase, ...headers.flat(), ...trailers.flat()]);
    const held = [...this.#ownedIn(text), ...this.#ownedIn(fields)];
    if (held.length === 0) return false;
    const sent = this.#ownedIn(joinFields([request.url, request.body ?? '', ...request.headers.flat()]));
    const asking = new Set(sent.map((key) => this.#worlds.get(key)));
    return held.some((key) => !asking.has(this.#worlds.get(key)));
  }

  /** Finds the keys in a text that belong to one world only. */
  #ownedIn(text: string): readonly string[] {
    return this.redactor.secretsIn(text).filter((secret) => typeof this.#worlds.get(secret) === 'string');
  }
}

/** Joins texts for one search, which is faster than many. The comma keeps them from being read as lines of one value. */
function joinFields(texts: readonly string[]): string {
  return texts.join(',\n');
}
