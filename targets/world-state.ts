import { setTimeout as sleep } from 'node:timers/promises';
import { type Intern, type Scope, safeMethods } from '../spec/vocabulary.js';
import type { StoredSecret } from './control-client.js';
import { isSuccessStatus, type NotedExchange } from './exchange.js';

/** A difference between the expected and the listed content of a world. */
export type Difference =
  /** A stored secret is missing, or a deleted one remains. */
  | { readonly kind: 'missing' | 'remaining'; readonly scope: Scope; readonly name: string }
  /** A secret that nobody stored, in the scope that the server names. */
  | { readonly kind: 'added'; readonly scope: string; readonly name: string };

interface WorldStateOptions {
  readonly interns: Readonly<Partial<Record<Intern, string>>>;
  /** Lists what the world holds; undefined where the target cannot say. */
  readonly list: () => Promise<readonly StoredSecret[] | undefined>;
}

/** Statuses by which a delete says that it deleted nothing (§7.1). */
export const keepingStatuses = [400, 401, 403, 404, 429, 500, 503] as const;
export type KeepingStatus = (typeof keepingStatuses)[number];

/** Milliseconds that a difference must last: a listing may lag behind the answers. */
export const differenceLastsMs = 2_000;
const pollMs = 100;

/** Looks at a listing until what it sees is as it should be, or the time is over, and returns what it saw last. */
export async function lookUntil<Seen>(
  look: () => Promise<Seen>,
  isDue: (seen: Seen) => boolean,
  { lastsMs, signal }: { readonly lastsMs: number; readonly signal?: AbortSignal },
): Promise<Seen> {
  const end = performance.now() + lastsMs;
  for (;;) {
    const seen = await look();
    if (isDue(seen) || performance.now() >= end) return seen;
    await sleep(pollMs, undefined, { signal });
  }
}

/**
 * What a world should hold, by what was stored in it and how its requests were answered. A secret whose fate an answer
 * leaves open stays open until the world is dropped.
 */
export class WorldState {
  readonly #ids: ReadonlyMap<string, Intern>;
  readonly #beginningsOfIds: readonly string[];
  readonly #secrets = new Map<string, 'present' | 'gone'>();
  readonly stored: (StoredSecret & { readonly scope: Scope })[] = [];
  #baseline = new Set<string>();
  /** Secrets whose fate is open, and names whose fate is open in every scope. */
  readonly #open = new Set<string>();
  /** Paths that name no secret and were not refused, each in all its forms. Such an answer is a finding of its own. */
  readonly #openPaths = new Set<string>();
  /** Methods and statuses of the vault requests that were sent: `DELETE 404`. */
  readonly outcomes = new Set<string>();

  constructor(private readonly means: WorldStateOptions) {
    this.#ids = new Map(
      Object.entries(means.interns).map(([intern, id]) => [id.toLowerCase(), intern as Intern]),
    );
    this.#beginningsOfIds = [...this.#ids.keys()].map((id) => id.slice(0, 8));
  }

  isPresent(scope: Scope, name: string): boolean {
    return this.#secrets.get(keyOf({ scope, name })) === 'present' && !this.#isOpen({ scope, name });
  }

  /**
   * Whether a request names an intern of this world, or something like it.
   * @param url in lower case
   */
  concerns(url: string): boolean {
    return this.#beginningsOfIds.some((beginning) => url.includes(beginning));
  }

  /** Takes what the world lists now as its initial content. Returns the number of secrets. */
  async takeBaseline(): Promise<number | undefined> {
    const listed = await this.means.list();
    this.#baseline = new Set(listed?.map(keyOf));
    return listed?.length;
  }

  /** Whether the world came with a secret. */
  wasThere(scope: Scope, name: string): boolean {
    return this.#baseline.has(keyOf({ scope, name }));
  }

  /** Notes that a secret was stored, or may have been. */
  noteStored(scope: Scope, name: string, { isConfirmed = true } = {}): void {
    this.stored.push({ scope, name });
    this.#secrets.set(keyOf({ scope, name }), 'present');
    if (!isConfirmed) this.#open.add(keyOf({ scope, name }));
  }

  noteAnswer({ operation, reaches, request, answer, isStalled }: NotedExchange): void {
    if (operation !== 'vault-delete') return;
    const { method, url, body } = request;
    const status = answer?.status ?? 0;
    this.outcomes.add(`${method} ${status}`);
    if (safeMethods.includes(method)) return;
    const [, sent = ''] = /\/vault\/interns\/([^?#]*)/.exec(url) ?? [];
    const path = decodeUnreserved(sent);
    const isSuccess = isSuccessStatus(status);
    // What stands in front may refuse a body that stops, although the service has ignored it and deleted.
    const isRefused =
      method === 'DELETE' && isStalled !== true && keepingStatuses.some((keeping) => keeping === status);
    const named = this.#findNamed(path);
    if (named === undefined) {
      if (isOdd(path)) for (const name of listReadings(path)) this.#open.add(name);
      else if (!isRefused) this.#openPaths.add(listForms(path).join('\n'));
    } else if (status === 204 && method === 'DELETE' && reaches === 'operation' && this.#mayDelete(named)) {
      this.#secrets.set(keyOf(named), 'gone');
    } else if (method !== 'DELETE') {
      // It may create or update the secret, and a body may rename it.
      const isRenamed = isSuccess && body !== undefined;
      if (isRenamed || this.#secrets.get(keyOf(named)) !== 'present') this.#open.add(keyOf(named));
      for (const [name] of isRenamed ? body.matchAll(/[a-z0-9_]+/g) : []) this.#open.add(name);
    } else if (!isRefused) {
      // An undue success may have deleted another secret of that name; it is a finding of its own.
      this.#open.add(isSuccess ? named.name : keyOf(named));
    }
  }

  /**
   * Lists how the world differs from what it should hold.
   * @param lastsMs milliseconds that a difference must last to count
   */
  differences(lastsMs: number, signal: AbortSignal): Promise<readonly Difference[]> {
    const look = async () => {
      const listed = await this.means.list();
      return listed === undefined ? [] : this.#compare(listed);
    };
    return lookUntil(look, ({ length }) => length === 0, { lastsMs, signal });
  }

  #compare(listed: readonly StoredSecret[]): readonly Difference[] {
    const held = new Set(listed.map(keyOf));
    const differences: Difference[] = [];
    const stored = new Map(this.stored.map((secret) => [keyOf(secret), secret]));
    for (const [key, { scope, name }] of stored) {
      const isDue = this.#secrets.get(key) === 'present';
      if (held.has(key) !== isDue) differences.push({ kind: isDue ? 'missing' : 'remaining', scope, name });
    }
    for (const { scope, name } of listed) {
      const key = keyOf({ scope, name });
      if (!this.#baseline.has(key) && !this.#secrets.has(key))
        differences.push({ kind: 'added', scope, name });
    }
    return differences.filter((difference) => !this.#isOpen(difference));
  }

  #isOpen(secret: StoredSecret): boolean {
    const isNamed = this.#open.has(secret.name) || this.#open.has(keyOf(secret));
    return isNamed || [...this.#openPaths].some((path) => path.includes(secret.name));
  }

  /** Whether a success may have deleted it: a key deletes only in its own workspace. Any other success is a finding. */
  #mayDelete({ scope, name }: StoredSecret): boolean {
    return scope !== 'foreign' && this.#secrets.get(keyOf({ scope, name })) === 'present';
  }

  #findNamed(path: string): StoredSecret | undefined {
    const [, id = '', name = ''] = /^([^/]+)\/secrets\/([a-z0-9_]+)$/.exec(path) ?? [];
    const scope = this.#ids.get(id.toLowerCase());
    return scope === undefined ? undefined : { scope, name };
  }
}

function keyOf({ scope, name }: StoredSecret): string {
  return `${scope}/${name}`;
}

/** Whether routers may read a path differently: it has `//`, an encoded slash, a dot segment or the like. */
function isOdd(path: string): boolean {
  const decoded = decode(path);
  return /%2f|%5c|%00|\\|;|\/\/|\/$/i.test(path) || /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(decoded);
}

/** Lists the names that an odd path may stand for: routers decode it, resolve dot segments, and drop slashes and parameters. */
function listReadings(path: string): readonly string[] {
  return listForms(path).flatMap((form) => {
    const [, rest = ''] = /.*\/secrets\/(.*)$/s.exec(form.replaceAll('\\', '/')) ?? [];
    const [text = ''] = rest.split('\0');
    const kept: string[] = [];
    for (const segment of text.replaceAll(/;[^/]*/g, '').split('/'))
      if (segment === '..') kept.pop();
      else if (segment !== '' && segment !== '.') kept.push(segment);
    return kept.length === 1 ? kept : [];
  });
}

/** Returns a path as it was sent, decoded once and decoded twice, each in lower case and in form NFKC. */
function listForms(path: string): readonly string[] {
  const once = decode(path);
  return [path, once, decode(once)].map((text) => text.normalize('NFKC').toLowerCase());
}

/** Decodes all unreserved characters but the dot: encoded or not, they are the same path (RFC 3986, §6.2.2.2). */
export function decodeUnreserved(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = decode(encoded);
    return /[\w~-]/.test(character) ? character : encoded;
  });
}

function decode(text: string): string {
  return text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
