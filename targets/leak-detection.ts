import { randomBytes } from 'node:crypto';
import type { Answer, Answered } from './exchange.js';
import { Redactor } from './redaction.js';

/** Where a response holds the value of a stored secret; trailers are header fields too. */
export type Leak = 'header' | 'body' | 'reason-phrase';

/** Values that no response may hold. */
export interface SoughtValues {
  /** Whether there are any yet. */
  readonly stored: boolean;
  /** Where a response holds one of them, in whatever writing. */
  leak(answer: Answer): Leak | undefined;
}

/** A shorter value could appear in a response by chance, which would be a false accusation. */
export const shortestCanary = 8;

/** What replaces a stored value in reports. */
export const storedValue = '<stored value>';

/** Searches answers for values, in whatever writing; each answer once, however many rules ask. */
class AnswerSearch {
  readonly #redactor = new Redactor();
  readonly #leaks = new WeakMap<Answer, { readonly leak: Leak | undefined }>();

  constructor(readonly values: readonly string[]) {
    this.registerIn(this.#redactor);
  }

  /** Registers the values in a redactor. */
  registerIn(redactor: Redactor): void {
    for (const value of this.values) redactor.register(value, storedValue);
  }

  leak(answer: Answer): Leak | undefined {
    const known = this.#leaks.get(answer) ?? { leak: this.#search(answer) };
    this.#leaks.set(answer, known);
    return known.leak;
  }

  #search({ reasonPhrase = '', headers, trailers = [], text }: Answer): Leak | undefined {
    const isIn = (searched: string): boolean => this.#redactor.secretsIn(searched).length > 0;
    const fields = [...headers, ...trailers].map(([name, value]) => `${name}: ${value}`).join('\n');
    if (isIn(fields)) return 'header';
    if (isIn(text)) return 'body';
    return isIn(reasonPhrase) ? 'reason-phrase' : undefined;
  }
}

/**
 * The values that a run stores. All carry one random mark, at their beginning and at their end, so that a
 * response is searched once for all of them, and a value that was cut short is still found (§1: never secret values).
 */
export class Canaries extends AnswerSearch implements SoughtValues {
  #count = 0;

  /** @param mark the part that every value of this run carries; to be redacted like a value */
  constructor(readonly mark = randomBytes(9).toString('hex')) {
    super([mark]);
  }

  /** A value that no other secret of any run has. */
  next(): string {
    this.#count += 1;
    return `${this.mark}-${this.#count}-${this.mark}`;
  }

  /** Whether anything was stored yet. */
  get stored(): boolean {
    return this.#count > 0;
  }
}

/** Values that somebody else stored, named by the user: no recorded response may hold one. */
export class KnownValues extends AnswerSearch implements SoughtValues {
  get stored(): boolean {
    return this.values.length > 0;
  }
}

/** Tells whose key an answer holds. */
export interface SoughtKeys {
  /** Whether keys of several worlds are known. */
  readonly ofSeveralWorlds: boolean;
  /** Whether an answer holds a key of another world than the one whose key the request carries. */
  isOtherKeyIn(exchange: Answered): boolean;
}

/** Where no key is known. */
export const noKeys: SoughtKeys = { ofSeveralWorlds: false, isOtherKeyIn: () => false };

const shared = Symbol('a key of several worlds');

/** The keys that a run was given, by the world that they belong to. */
export class KnownKeys implements SoughtKeys {
  readonly #worlds = new Map<string, string | typeof shared>();
  readonly #redactor: Redactor;
  #firstWorld: string | undefined;
  ofSeveralWorlds = false;

  /** @param redactor finds the keys in texts, and so must know them too */
  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** Takes note of a key. One that several worlds share is nobody's own. */
  add(key: string, world: string): void {
    this.#firstWorld ??= world;
    this.ofSeveralWorlds ||= world !== this.#firstWorld;
    const known = this.#worlds.get(key);
    this.#worlds.set(key, known === undefined || known === world ? world : shared);
  }

  /** Whether several worlds share a key. */
  isShared(key: string): boolean {
    return this.#worlds.get(key) === shared;
  }

  /** Whether a text is a key of any world. */
  has(key: string): boolean {
    return this.#worlds.has(key);
  }

  isOtherKeyIn({ request, answer }: Answered): boolean {
    const { text, headers, reasonPhrase = '', trailers = [] } = answer;
    const held = [
      ...this.#ownedIn(text),
      ...this.#ownedIn(lines([reasonPhrase, ...headers.flat(), ...trailers.flat()])),
    ];
    if (held.length === 0) return false;
    const sent = this.#ownedIn(lines([request.url, request.body ?? '', ...request.headers.flat()]));
    const asking = new Set(sent.map((key) => this.#worlds.get(key)));
    return held.some((key) => !asking.has(this.#worlds.get(key)));
  }

  /** The keys in a text that belong to one world alone. */
  #ownedIn(text: string): readonly string[] {
    return this.#redactor.secretsIn(text).filter((secret) => typeof this.#worlds.get(secret) === 'string');
  }
}

/** Many short texts as one: a search costs more to begin than to go on. */
function lines(texts: readonly string[]): string {
  return texts.join('\n');
}
