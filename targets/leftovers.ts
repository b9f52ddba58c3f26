import { setTimeout as sleep } from 'node:timers/promises';
import type { Leftover, LeftoverNews, SecretLeftover, WorldLeftover } from '../spec/journal.js';
import type { Received } from './client.js';
import { type Exchange, retryAfterMs } from './exchange.js';
import type { LeftBehind } from './target.js';

/** What became of something that was to be deleted; where it may still be there, what its delete got last, if anything. */
export type Deletion = 'deleted' | 'not-there' | { readonly got: string | undefined };

const pauseMs = 200;
const longestPauseMs = 2_000;

/**
 * Asks for a delete until what it names is gone, a few times at most.
 * @param send sends the delete; rejects where it may not be sent
 */
export async function deleteUntilGone(
  send: () => Promise<Received>,
  { tries, signal }: { readonly tries: number; readonly signal: AbortSignal },
): Promise<Deletion> {
  let got: string | undefined;
  for (let tried = 0; tried < tries && !signal.aborted; tried++) {
    const received = await send().catch(() => undefined);
    // Out of time, or out of requests.
    if (received === undefined) break;
    const status = received.answer?.status;
    if (status === 204) return 'deleted';
    if (status === 404) return 'not-there';
    got = String(status ?? received.lost);
    if (tried + 1 === tries) break;
    const ms = Math.max(pauseMs * 2 ** tried, retryAfterMs(received.answer));
    await sleep(Math.min(ms, longestPauseMs), undefined, { signal }).catch(() => undefined);
  }
  return { got };
}

/** Why something is left, in words. */
export function whyLeft(got: string | undefined): string {
  return got === undefined ? 'no time or no request was left to delete it' : `its delete got ${got}`;
}

/** A world that may be left, as reports show it. */
export function leftWorld({ label, id }: WorldLeftover, why: string): LeftBehind {
  const toDo = 'delete it by the control protocol, or wait until it expires';
  return id === undefined
    ? {
        ...{ kind: 'world', scope: 'world', name: `opened for ${label}` },
        why: 'the answer with its id did not come; if it was made, wait until it expires',
      }
    : { kind: 'world', scope: 'world', name: id, why: `${why}; ${toDo}`, id };
}

/** A secret that may be left, as reports show it. */
export function leftSecret({ scope, intern, name }: Omit<SecretLeftover, 'kind'>, why: string): LeftBehind {
  return { kind: 'secret', scope, name, why, ...(intern === undefined ? {} : { intern }) };
}

/** Something that a run which was killed may have left. */
export function leftByKilledRun(leftover: Leftover): LeftBehind {
  const why = 'the run was killed before it could delete it';
  return leftover.kind === 'world'
    ? leftWorld(leftover, why)
    : leftSecret(leftover, `${why}; delete it with the member key`);
}

/** The worlds that a run opened and did not close yet. Each change is noted before the request that makes it is sent. */
export class OpenedWorlds {
  readonly #left = new Map<number, WorldLeftover>();
  readonly #note: (news: LeftoverNews) => void;
  #count = 0;

  constructor(note: (news: LeftoverNews) => void) {
    this.#note = note;
  }

  /** A world is about to be asked for; returns its number. */
  opening(label: string): number {
    this.#count += 1;
    this.#set({ kind: 'world', number: this.#count, label, state: 'opening' });
    return this.#count;
  }

  /** The id of a world is known. */
  opened(number: number, id: string): void {
    this.#change(number, { id, state: 'open' });
  }

  /** A world is about to be deleted. */
  closing(number: number): void {
    this.#change(number, { state: 'closing' });
  }

  /** A world is gone, or was never made. */
  gone(number: number): void {
    if (this.#left.delete(number)) this.#note({ gone: { kind: 'world', number } });
  }

  /** Every world that may be there. */
  get left(): readonly WorldLeftover[] {
    return [...this.#left.values()];
  }

  #change(number: number, change: Partial<WorldLeftover>): void {
    const known = this.#left.get(number);
    if (known !== undefined) this.#set({ ...known, ...change });
  }

  #set(world: WorldLeftover): void {
    this.#left.set(world.number, world);
    this.#note({ left: world });
  }
}

/** A secret that this run stored on a target which it shares with others. */
export interface StoredByRun {
  /** What the profile calls the place: `own`, `sibling`, `workspace`, `foreign`. */
  readonly scope: string;
  /** The id of the intern; the workspace has none. */
  readonly intern: string | undefined;
  readonly name: string;
}

/** What a run stored and nobody has deleted since: to be cleaned up when the run ends. */
export class StoredSecrets {
  readonly #left = new Map<string, StoredByRun>();
  readonly #note: (news: LeftoverNews) => void;

  /** @param note told of each secret before it is stored, and once it is gone */
  constructor(note: (news: LeftoverNews) => void = () => undefined) {
    this.#note = note;
  }

  /**
   * Takes note of a secret that is about to be stored: whether it was is not known when its answer is lost. Says
   * whether it is news.
   */
  add(secret: StoredByRun): boolean {
    const key = keyOf(secret.intern, secret.name);
    const isNew = !this.#left.has(key);
    this.#left.set(key, secret);
    if (isNew) this.#note({ left: { kind: 'secret', ...secret } });
    return isNew;
  }

  /** Takes note that a secret is gone. Says whether it was one of the run's. */
  remove({ intern, name }: Pick<StoredByRun, 'intern' | 'name'>): boolean {
    const wasLeft = this.#left.delete(keyOf(intern, name));
    if (wasLeft) this.#note({ gone: { kind: 'secret', intern, name } });
    return wasLeft;
  }

  /** Looks at an exchange of the run: a delete that succeeded took its secret. Says whether it took one of the run's. */
  see({ request: { method, url }, answer }: Exchange): boolean {
    if (method !== 'DELETE' || answer?.status !== 204) return false;
    const match = /\/vault\/interns\/([^/?#]*)\/secrets\/([^/?#]*)/.exec(url);
    if (match === null) return false;
    const [, intern = '', name = ''] = match;
    return this.remove({ intern: decoded(intern).toLowerCase(), name: decoded(name) });
  }

  /** Everything that is left. */
  get left(): readonly StoredByRun[] {
    return [...this.#left.values()];
  }
}

function keyOf(intern: string | undefined, name: string): string {
  return `${(intern ?? '').toLowerCase()}/${name}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
