import { setTimeout as sleep } from 'node:timers/promises';
import type { Leftover, LeftoverNews, SecretLeftover, WorldLeftover } from '../spec/journal.js';
import type { Received } from './client.js';
import { type Exchange, retryAfterMs } from './exchange.js';
import type { LeftBehind, Removal } from './target.js';

const pauseMs = 200;
const longestPauseMs = 2_000;

/** Why something is left that was never asked to go. */
export const notAskedFor = 'no time or no request was left to delete it';

/**
 * Asks for a delete until what it names is gone, a few times at most.
 * @param send sends the delete; rejects where it may not be sent
 */
export async function deleteUntilGone(
  send: () => Promise<Received>,
  { tries, signal }: { readonly tries: number; readonly signal: AbortSignal },
): Promise<Removal> {
  let why = notAskedFor;
  for (let tried = 0; tried < tries && !signal.aborted; tried++) {
    const received = await send().catch(() => undefined);
    // Out of time, or out of requests.
    if (received === undefined) break;
    const status = received.answer?.status;
    if (status === 204) return 'deleted';
    if (status === 404) return 'not-there';
    why = `its delete got ${status ?? received.lost}`;
    if (tried + 1 === tries) break;
    const ms = Math.max(pauseMs * 2 ** tried, retryAfterMs(received.answer));
    await sleep(Math.min(ms, longestPauseMs), undefined, { signal }).catch(() => undefined);
  }
  return { why };
}

/** Describes a world that may be left, for reports. */
export function describeLeftWorld({ label, id }: WorldLeftover, why: string): LeftBehind {
  if (id === undefined) {
    const unknown = 'the answer with its id did not arrive; if it was made, wait until it expires';
    return { kind: 'world', scope: 'world', name: `opened for ${label}`, why: unknown };
  }
  const todo = 'delete it by the control protocol, or wait until it expires';
  return { kind: 'world', scope: 'world', name: id, why: `${why}; ${todo}`, id };
}

/** Describes a secret that may be left, for reports. */
export function describeLeftSecret({ scope, intern, name }: StoredByRun, why: string): LeftBehind {
  return { kind: 'secret', scope, name, why, ...(intern === undefined ? {} : { intern }) };
}

/** Describes something that a run which was killed may have left. */
export function describeKilledLeftover(leftover: Leftover): LeftBehind {
  const why = 'the run was killed before it could delete it';
  return leftover.kind === 'world'
    ? describeLeftWorld(leftover, why)
    : describeLeftSecret(leftover, `${why}; delete it with the member key`);
}

/** The worlds that a run opened and did not close yet. Each change is noted before the request that makes it is sent. */
export class OpenedWorlds {
  readonly #left = new Map<number, WorldLeftover>();
  #count = 0;

  constructor(private readonly note: (news: LeftoverNews) => void) {}

  /** Adds a world that is about to be asked for, and returns its number. */
  add(label: string): number {
    this.#count += 1;
    this.#set({ kind: 'world', number: this.#count, label, state: 'opening' });
    return this.#count;
  }

  /** Takes note of a change: its id is known, or it is about to be deleted. */
  change(number: number, change: Pick<WorldLeftover, 'state'> & Partial<WorldLeftover>): void {
    const known = this.#left.get(number);
    if (known !== undefined) this.#set({ ...known, ...change });
  }

  /** Forgets a world that is gone, or was never made. */
  remove(number: number): void {
    if (this.#left.delete(number)) this.note({ gone: { kind: 'world', number } });
  }

  /** Every world that may be there. */
  get left(): readonly WorldLeftover[] {
    return [...this.#left.values()];
  }

  #set(world: WorldLeftover): void {
    this.#left.set(world.number, world);
    this.note({ left: world });
  }
}

/** A secret that this run stored on a target which it shares with others. */
export type StoredByRun = Omit<SecretLeftover, 'kind'>;

/** What a run stored and nobody has deleted since: to be cleaned up when the run ends. */
export class StoredSecrets {
  readonly #left = new Map<string, StoredByRun>();

  /** @param note called with each secret before it is stored, and once it is gone */
  constructor(private readonly note: (news: LeftoverNews) => void = () => undefined) {}

  /** Adds a secret that is about to be stored: if its answer is lost, nobody knows. Returns whether it is new. */
  add(secret: StoredByRun): boolean {
    const key = leftoverKey(secret);
    const isNew = !this.#left.has(key);
    this.#left.set(key, secret);
    if (isNew) this.note({ left: { kind: 'secret', ...secret } });
    return isNew;
  }

  /** Removes a secret that is gone. Returns whether it was one of the run's. */
  remove({ intern, name }: Pick<StoredByRun, 'intern' | 'name'>): boolean {
    const wasLeft = this.#left.delete(leftoverKey({ intern, name }));
    if (wasLeft) this.note({ gone: { kind: 'secret', intern, name } });
    return wasLeft;
  }

  /** Removes the secret that an exchange deleted. Returns whether it was one of the run's. */
  removeDeleted({ request: { method, url }, answer }: Exchange): boolean {
    if (method !== 'DELETE' || answer?.status !== 204) return false;
    const [found, intern = '', name = ''] = /\/vault\/interns\/([^/?#]*)\/secrets\/([^/?#]*)/.exec(url) ?? [];
    return found !== undefined && this.remove({ intern: decode(intern).toLowerCase(), name: decode(name) });
  }

  /** Everything that is left. */
  get left(): readonly StoredByRun[] {
    return [...this.#left.values()];
  }
}

/** The key of a leftover, equal for what is left and what is gone. */
export function leftoverKey(
  leftover: Pick<WorldLeftover, 'number'> | Pick<StoredByRun, 'intern' | 'name'>,
): string {
  if ('number' in leftover) return String(leftover.number);
  const { intern = '', name } = leftover;
  return `${intern.toLowerCase()}/${name}`;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
