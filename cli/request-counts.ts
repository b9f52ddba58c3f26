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

/** A request, as far as it is counted. */
interface CountedRequest {
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

/** Counts the requests of a run by what they are. */
export class RequestCounts {
  readonly #addresses: RehearsalAddresses;
  readonly #counts = new Map<RequestKind, Map<string, number>>();

  constructor(addresses: RehearsalAddresses) {
    this.#addresses = addresses;
  }

  /** Counts a request. */
  add(request: CountedRequest): void {
    const [kind, detail] = this.#classify(request);
    const details = this.#counts.get(kind) ?? new Map<string, number>();
    this.#counts.set(kind, details.set(detail, (details.get(detail) ?? 0) + 1));
  }

  /**
   * Returns the numbers of requests of a kind: of writes by place (a scope, or `elsewhere`), of inference by `paid` and
   * `free`, of others by method.
   */
  details(kind: RequestKind): ReadonlyMap<string, number> {
    return this.#counts.get(kind) ?? new Map();
  }

  /** Returns the number of requests of a kind. */
  of(kind: RequestKind): number {
    return [...this.details(kind).values()].reduce((sum, count) => sum + count, 0);
  }

  #classify({ method, url, body = '' }: CountedRequest): readonly [kind: RequestKind, detail: string] {
    const { baseUrls, controlUrl, inferencePath, paidModel } = this.#addresses;
    if (url.startsWith(controlUrl)) {
      const [, scope] = /\/secrets\/([^/]*)\//.exec(url) ?? [];
      return scope === undefined || method !== 'PUT' ? ['control', method] : ['store', scope];
    }
    const base = baseUrls.find((candidate) => url.startsWith(candidate)) ?? '';
    const path = url.slice(base.length);
    if (path.startsWith('/vault'))
      return method === 'DELETE' ? ['delete', this.#findPlace(path)] : ['vault-other', method];
    if (path.startsWith(inferencePath))
      return ['inference', body.includes(JSON.stringify(paidModel)) ? 'paid' : 'free'];
    if (method === 'GET' && /^\/key(?:\?|$)/.test(path)) return ['key-read', method];
    return [method === 'GET' && path.startsWith('/guardrails/') ? 'guardrail-read' : 'other', method];
  }

  #findPlace(path: string): string {
    const [, id = ''] = /\/interns\/([^/?#]*)/.exec(path.toLowerCase()) ?? [];
    const [place = 'elsewhere'] =
      Object.entries(this.#addresses.interns).find(([, intern]) => intern === id) ?? [];
    return place;
  }
}
