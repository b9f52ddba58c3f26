import { decodePart, documentedOperations, isUuid, type Operation, routes } from '../spec/vocabulary.js';
import { trimSlashes } from '../targets/agents.js';
import { type Exchange, header, type SentRequest } from '../targets/exchange.js';
import { decodeUnreserved } from '../targets/world-state.js';
import type { RecordedExchange } from './recorded-exchange.js';

/** What is known of the target of recorded requests. */
export interface ObservedTarget {
  /** If absent, the only recorded one that ends in /v1. */
  readonly baseUrl?: string | undefined;
  /** The path of inference requests below it, which is the target's own; without it they are not judged. */
  readonly inferencePath?: string | undefined;
  /** POST if absent. */
  readonly inferenceMethod?: string | undefined;
}

/** The operation of a recorded request. */
export interface ObservedRoute extends Pick<Exchange, 'operation' | 'reaches' | 'label'> {
  /** The path parameters as they were sent. */
  readonly parameters: readonly string[];
}

/** The recording has exchanges of several servers, and no flag says which one to judge. */
export class AmbiguousTarget extends Error {
  override readonly name = 'AmbiguousTarget';
}

/** The parts of a URL, not decoded. */
interface Address {
  readonly origin: string;
  readonly host: string;
  readonly path: string;
}

interface Route {
  readonly operation: Operation;
  readonly method: string;
  readonly label: string;
  /** The path, its parameters null. */
  readonly path: readonly (string | null)[];
}

const documented = documentedOperations.map((operation) =>
  makeRoute(operation, routes[operation].method, routes[operation].path),
);

/** Matches recorded requests to operations (§4). A base URL not given is inferred from its version segment (§9). */
export class ObservedRoutes {
  readonly #routes: readonly Route[];
  #base: Address | undefined;
  readonly #isGiven: boolean;

  constructor({ baseUrl, inferencePath, inferenceMethod = 'POST' }: ObservedTarget) {
    const base = baseUrl === undefined ? undefined : parseAddress(new URL(baseUrl).href);
    this.#base = base && { ...base, path: trimSlashes(base.path) };
    this.#isGiven = base !== undefined;
    this.#routes =
      inferencePath === undefined
        ? documented
        : [...documented, makeRoute('inference', inferenceMethod.toUpperCase(), inferencePath)];
  }

  get knowsInference(): boolean {
    return this.#routes.length > documented.length;
  }

  /** Returns the path of a URL below the base URL, or undefined. */
  below(url: string): string | undefined {
    const address = parseAddress(url);
    return address && this.#below(address);
  }

  /** The base URL that is judged, if it is known yet. */
  get baseUrl(): string | undefined {
    return this.#base === undefined ? undefined : formatUrl(this.#base);
  }

  /** Returns the operation of a request, or undefined if it has none. */
  match({ method, url, headers }: SentRequest): ObservedRoute | undefined {
    const address = parseAddress(url);
    if (address === undefined) return undefined;
    const sentTo = header({ headers }, 'host')?.toLowerCase();
    // A request for another host name may be routed elsewhere.
    const isMisdirected = sentTo !== undefined && dropPort(sentTo) !== dropPort(address.host);
    const below = this.#below(address);
    const matched = below === undefined ? undefined : this.#matchPath(below, method);
    return matched !== undefined && isMisdirected ? { ...matched, reaches: 'perhaps' } : matched;
  }

  /** Infers the base URL from a request that can only be one of the document's. Throws AmbiguousTarget. */
  infer({ url, method }: SentRequest): void {
    const [found, rest = ''] = this.#isGiven ? [] : splitVersion(url);
    if (found === undefined || this.#matchPath(rest, method)?.reaches !== 'operation') return;
    if (this.#base === undefined) this.#base = found;
    else if (formatUrl(this.#base) !== formatUrl(found))
      throw new AmbiguousTarget(
        `the recording holds exchanges under ${formatUrl(this.#base)} and under ${formatUrl(found)}`,
      );
  }

  /** Infers the base URL from other requests, if those for secrets of an intern all have the same. */
  inferFromVault(urls: readonly string[]): void {
    const bases = urls.flatMap((url) => {
      const [found, rest = ''] = splitVersion(url);
      const [, id = ''] = /^\/vault\/interns\/([^/]+)\/secrets(?:\/|$)/.exec(rest) ?? [];
      return found !== undefined && isUuid(id) ? [found] : [];
    });
    if (this.#base === undefined && new Set(bases.map(formatUrl)).size === 1) this.#base = bases[0];
  }

  /** Whether a request may be below a base URL that is not known yet. */
  mayBeBelow({ url }: SentRequest): boolean {
    return this.#base === undefined && splitVersion(url).length > 0;
  }

  #below({ origin, path }: Address): string | undefined {
    const base = this.#base;
    if (base === undefined || base.origin !== origin || !path.startsWith(`${base.path}/`)) return undefined;
    return path.slice(base.path.length);
  }

  #matchPath(path: string, method: string): ObservedRoute | undefined {
    const shownMethod = /^[A-Z]{1,16}$/.test(method) ? method : 'another method';
    for (const { operation, method: due, label, path: wanted } of this.#routes) {
      const exact = matchSegments(path, wanted);
      const parameters = exact ?? matchSegments(tidyPath(path), wanted);
      if (parameters === undefined) continue;
      const isRouted = exact !== undefined && method === due && !parameters.some(isAmbiguous);
      // The guardrails have other routes, which are not shown (§4.1).
      const isOther = operation === 'guardrail-read' && !parameters.every(resemblesUuid);
      const reaches = isRouted && !isOther ? 'operation' : 'perhaps';
      return { operation, reaches, label: `${shownMethod} ${label}`, parameters };
    }
    // What else the vault serves is its own, but no response may hold a stored value (§1).
    if (!/^\/vault(?:\/|$)/.test(path)) return undefined;
    const label = `${shownMethod} another route of the vault`;
    return { operation: 'vault-delete', reaches: 'perhaps', label, parameters: [] };
  }
}

/** Requests below the base URL that match no operation; some may be inference. */
export class UnmatchedRequests {
  #count = 0;
  #hasPost = false;
  #inference: string | undefined;

  note({ request }: RecordedExchange, routes: ObservedRoutes): void {
    const path = routes.knowsInference ? undefined : routes.below(request.url);
    if (path === undefined) return;
    this.#count += 1;
    if (request.method !== 'POST') return;
    this.#hasPost = true;
    const isInference = /"model"\s*:\s*"/.test(request.body ?? '') && /^[\w./~-]{1,100}$/.test(path);
    if (isInference) this.#inference ??= path;
  }

  hints({ baseUrl }: ObservedRoutes): readonly string[] {
    if (!this.#hasPost) return [];
    const requests = this.#count === 1 ? 'One request' : `${this.#count} requests`;
    const flag =
      this.#inference === undefined
        ? 'if some are inference, give their path with --inference-path'
        : `POST ${this.#inference} looks like inference: give --inference-path ${this.#inference} to have it judged`;
    return [`${requests} below ${baseUrl} matched no operation of the document; ${flag}`];
  }
}

function makeRoute(operation: Operation, method: string, path: string): Route {
  const segments = path.split('/').slice(1);
  return {
    operation,
    method,
    label: path,
    path: segments.map((segment) => (/^\{\w+\}$/.test(segment) ? null : segment)),
  };
}

function matchSegments(path: string, wanted: readonly (string | null)[]): readonly string[] | undefined {
  const segments = path.split('/').slice(1);
  if (segments.length !== wanted.length) return undefined;
  const fits = wanted.every((segment, at) => segment === null || segment === segments[at]);
  return fits ? segments.filter((_, at) => wanted[at] === null) : undefined;
}

/** Removes from a path what routers read differently: doubled and trailing slashes, encoded letters. */
function tidyPath(path: string): string {
  return decodeUnreserved(path)
    .replace(/\/{2,}/g, '/')
    .replace(/(?<=.)\/$/, '');
}

/** Whether a router may split a parameter, or drop it. */
function isAmbiguous(raw: string): boolean {
  return /^(?:\.|%2e){0,2}$/i.test(raw) || /%2f|%5c|\\/i.test(raw);
}

/** Whether a parameter is a UUID, or so nearly one that it is no name of a route. */
function resemblesUuid(raw: string): boolean {
  const text = (decodePart(raw) ?? raw).toLowerCase().replace(/^urn:uuid:/, '');
  const digits = text.replace(/[^\da-f]/g, '');
  const others = text.replace(/[\da-f-]/g, '');
  return digits.length >= 20 && /\d/.test(digits) && others.length <= 2;
}

function parseAddress(url: string): Address | undefined {
  // The path as it was sent: URL would normalize it.
  const [, path] = /^https?:\/\/[^/?#]+([^?#]*)/i.exec(url) ?? [];
  if (path === undefined || !URL.canParse(url)) return undefined;
  const { origin, host } = new URL(url);
  return { origin, host, path };
}

/** Splits a URL after its version segment (§9). */
function splitVersion(url: string): readonly [base?: Address, path?: string] {
  const address = parseAddress(url);
  const [, prefix, path = ''] = /^(.*?\/v1)(\/.*)$/.exec(address?.path ?? '') ?? [];
  return address === undefined || prefix === undefined ? [] : [{ ...address, path: prefix }, path];
}

function formatUrl({ origin, path }: Address): string {
  return `${origin}${path}`;
}

function dropPort(host: string): string {
  return host.replace(/:\d*$/, '');
}
