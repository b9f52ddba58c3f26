import { runPrefix } from '../targets/world.js';

/** What a request means to the owner of the target. */
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

/** A request, as far as it is counted. */
export interface CountedRequest {
  readonly method: string;
  readonly url: string;
  readonly body?: string | undefined;
}

/** What the requests of a rehearsal are told apart by. */
export interface RehearsalAddresses {
  /** Base URLs of the target, without a slash at the end. */
  readonly baseUrls: readonly string[];
  readonly controlUrl: string;
  readonly interns: Readonly<Record<string, string>>;
  readonly inferencePath: string;
  readonly paidModel: string;
}

// §2.3.
const legalName = /^(?!.*__)[a-z](?:[a-z0-9_]*[a-z0-9])?$/;

/** Counts the requests of a run by what they are. */
export class RequestCounts {
  readonly #addresses: RehearsalAddresses;
  readonly #kinds = new Map<RequestKind, number>();
  // By method and URL: what the client sent and no check has reported yet.
  readonly #unreported = new Map<string, number>();
  readonly deletes = new Map<WritePlace, number>();
  readonly stores = new Map<WritePlace, number>();
  /** Requests to vault paths that neither delete nor store, by method. */
  readonly otherMethods = new Map<string, number>();
  /** Worlds opened through the control protocol. */
  worlds = 0;
  /** Inference requests for a paid model. */
  paid = 0;
  /** Deletes and stores whose name could be that of somebody else's secret: it lacks the run's own prefix. */
  foreignNames = 0;

  constructor(addresses: RehearsalAddresses) {
    this.#addresses = addresses;
  }

  /** Counts a request that the client is about to send. */
  countSent(request: CountedRequest): void {
    const kind = this.#count(request);
    // No check reports what arranges a world.
    if (kind !== 'store' && kind !== 'control') add(this.#unreported, keyOf(request), 1);
  }

  /** Counts a request that a check reports, unless the client sent it: some checks use sockets of their own. */
  countReported(request: CountedRequest): void {
    const key = keyOf(request);
    if ((this.#unreported.get(key) ?? 0) > 0) add(this.#unreported, key, -1);
    else this.#count(request);
  }

  /** Returns the number of requests of a kind. */
  of(kind: RequestKind): number {
    return this.#kinds.get(kind) ?? 0;
  }

  #count(request: CountedRequest): RequestKind {
    const { method, url, body = '' } = request;
    const kind = this.#kindOf(request);
    add(this.#kinds, kind, 1);
    if (kind === 'delete')
      this.#countWrite(this.deletes, segmentAfter(url, 'interns'), segmentAfter(url, 'secrets'));
    if (kind === 'store') this.#countWrite(this.stores, ...lastTwoSegments(url));
    if (kind === 'vault-other') add(this.otherMethods, method, 1);
    if (kind === 'control' && method === 'POST') this.worlds += 1;
    if (kind === 'inference' && body.includes(JSON.stringify(this.#addresses.paidModel))) this.paid += 1;
    return kind;
  }

  #kindOf({ method, url }: CountedRequest): RequestKind {
    const { baseUrls, controlUrl, inferencePath } = this.#addresses;
    if (url.startsWith(controlUrl)) return method === 'PUT' && /\/secrets\//.test(url) ? 'store' : 'control';
    const base = baseUrls.find((candidate) => url.startsWith(candidate)) ?? '';
    const path = url.slice(base.length);
    if (path.startsWith('/vault')) return method === 'DELETE' ? 'delete' : 'vault-other';
    if (path.startsWith(inferencePath)) return 'inference';
    if (method === 'GET' && /^\/key(?:\?|$)/.test(path)) return 'key-read';
    return method === 'GET' && path.startsWith('/guardrails/') ? 'guardrail-read' : 'other';
  }

  /** @param place a scope, or the ID of an intern */
  #countWrite(counts: Map<WritePlace, number>, place: string, name: string): void {
    add(counts, this.#placeOf(place), 1);
    const decoded = decode(name);
    if (legalName.test(decoded) && !decoded.includes(runPrefix)) this.foreignNames += 1;
  }

  #placeOf(place: string): WritePlace {
    if (place === 'workspace') return place;
    const { interns } = this.#addresses;
    const isPlaceOf = (scope: string) => scope === place || interns[scope] === decode(place).toLowerCase();
    return (['own', 'sibling', 'foreign'] as const).find(isPlaceOf) ?? 'elsewhere';
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

function lastTwoSegments(url: string): [string, string] {
  const [place = '', name = ''] = url.split('/').slice(-2);
  return [place, name];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
