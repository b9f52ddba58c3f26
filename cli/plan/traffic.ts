import { runPrefix } from '../../targets/world.js';

/** What a request is to whoever owns the target. */
export type RequestKind =
  | 'key-read'
  | 'guardrail-read'
  | 'delete'
  | 'store'
  | 'inference'
  | 'vault-other'
  | 'control'
  | 'other';

/** Where a write goes: a scope of the profile, or an intern that it does not name. */
export type WritePlace = 'own' | 'sibling' | 'foreign' | 'workspace' | 'elsewhere';

/** A request as far as it is counted. */
export interface CountedRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
}

/** The places of a rehearsal that tell its requests apart. */
export interface TrafficPlaces {
  /** Base URLs of the target, without a slash at the end. */
  readonly baseUrls: readonly string[];
  readonly controlUrl: string;
  readonly interns: Readonly<Record<string, string>>;
  readonly inferencePath: string;
  readonly paidModel: string;
}

// §2.3.
const legalName = /^(?!.*__)[a-z](?:[a-z0-9_]*[a-z0-9])?$/;

/** The requests of a run, counted by what they are. */
export class Traffic {
  readonly #places: TrafficPlaces;
  readonly #kinds = new Map<RequestKind, number>();
  readonly #deletes = new Map<WritePlace, number>();
  readonly #stores = new Map<WritePlace, number>();
  readonly #methods = new Map<string, number>();
  readonly #controlMethods = new Map<string, number>();
  // By method and URL: what the client sent, and no check has spoken of yet.
  readonly #unspoken = new Map<string, number>();
  #paid = 0;
  #legalNamesOfOthers = 0;
  #malformedNames = 0;

  constructor(places: TrafficPlaces) {
    this.#places = places;
  }

  /** Counts a request that the client is about to send. */
  sent(request: CountedRequest): void {
    const kind = this.#count(request);
    // No check speaks of what arranges a world.
    if (kind !== 'store' && kind !== 'control') add(this.#unspoken, keyOf(request), 1);
  }

  /** Counts a request of a check where the client did not send it: over a socket of its own. */
  seen(request: CountedRequest): void {
    const key = keyOf(request);
    const unspoken = this.#unspoken.get(key) ?? 0;
    if (unspoken === 0) this.#count(request);
    else if (unspoken === 1) this.#unspoken.delete(key);
    else this.#unspoken.set(key, unspoken - 1);
  }

  /** How many requests are of a kind. */
  of(kind: RequestKind): number {
    return this.#kinds.get(kind) ?? 0;
  }

  /** Deletes by where they go. */
  get deletes(): ReadonlyMap<WritePlace, number> {
    return this.#deletes;
  }

  /** Stored secrets by where they go. */
  get stores(): ReadonlyMap<WritePlace, number> {
    return this.#stores;
  }

  /** Requests to vault paths that neither delete nor store, by method. */
  get otherMethods(): ReadonlyMap<string, number> {
    return this.#methods;
  }

  /** Control calls by method, stores left out. */
  get controlMethods(): ReadonlyMap<string, number> {
    return this.#controlMethods;
  }

  /** Inference requests of a paid model. */
  get paid(): number {
    return this.#paid;
  }

  /** Deletes and stores under a name that somebody else's secret could have: it does not hold the run's own prefix. */
  get legalNamesOfOthers(): number {
    return this.#legalNamesOfOthers;
  }

  /** Deletes under a text without that prefix that is the name of no secret (§2.3), such as a lone `%`. */
  get malformedNames(): number {
    return this.#malformedNames;
  }

  #count(request: CountedRequest): RequestKind {
    const kind = this.#kindOf(request);
    add(this.#kinds, kind, 1);
    if (kind === 'delete' || kind === 'store') this.#countWrite(kind, request);
    if (kind === 'vault-other') add(this.#methods, request.method, 1);
    if (kind === 'control') add(this.#controlMethods, request.method, 1);
    if (kind === 'inference' && (request.body ?? '').includes(JSON.stringify(this.#places.paidModel)))
      this.#paid += 1;
    return kind;
  }

  #kindOf({ method, url }: CountedRequest): RequestKind {
    const { baseUrls, controlUrl, inferencePath } = this.#places;
    if (url.startsWith(controlUrl)) return method === 'PUT' && /\/secrets\//.test(url) ? 'store' : 'control';
    const base = baseUrls.find((candidate) => url.startsWith(candidate)) ?? '';
    const path = url.slice(base.length);
    if (path.startsWith('/vault')) return method === 'DELETE' ? 'delete' : 'vault-other';
    if (path.startsWith(inferencePath)) return 'inference';
    if (method === 'GET' && /^\/key(?:\?|$)/.test(path)) return 'key-read';
    return method === 'GET' && path.startsWith('/guardrails/') ? 'guardrail-read' : 'other';
  }

  #countWrite(kind: 'delete' | 'store', { url }: CountedRequest): void {
    const segments = url.split('/');
    const [place = '', name = ''] =
      kind === 'store' ? segments.slice(-2) : [segmentAfter(url, 'interns'), segmentAfter(url, 'secrets')];
    add(kind === 'store' ? this.#stores : this.#deletes, this.#placeOf(place), 1);
    this.#noteName(decoded(name));
  }

  #noteName(name: string): void {
    if (name.toLowerCase().includes(runPrefix)) return;
    if (legalName.test(name)) this.#legalNamesOfOthers += 1;
    else this.#malformedNames += 1;
  }

  /** Where a scope, or the id of an intern, lies. */
  #placeOf(word: string): WritePlace {
    if (word === 'workspace') return word;
    const { interns } = this.#places;
    const known = (['own', 'sibling', 'foreign'] as const).find(
      (place) => place === word || interns[place] === decoded(word).toLowerCase(),
    );
    return known ?? 'elsewhere';
  }
}

function add<Key>(counts: Map<Key, number>, key: Key, amount: number): void {
  counts.set(key, (counts.get(key) ?? 0) + amount);
}

function keyOf({ method, url }: CountedRequest): string {
  return `${method} ${url}`;
}

function segmentAfter(url: string, word: string): string {
  return new RegExp(`/${word}/([^/?#]*)`).exec(url)?.[1] ?? '';
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
