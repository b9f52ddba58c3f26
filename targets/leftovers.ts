import { setTimeout as sleep } from 'node:timers/promises';
import type { Leftover, LeftoverNews, SecretLeftover, WorldLeftover } from '../spec/journal.js';
import { decodePart } from '../spec/vocabulary.js';
import type { Received } from './client.js';
import { type NotedExchange, retryAfterMs } from './exchange.js';
import type { LeftBehind, Removal } from './target.js';

const pauseMs = 200;
const longestPauseMs = 2_000;

/** Why something is left that no delete was sent for. */
export const notAskedFor = 'no time or no request was left to delete it';

/**
 * Sends a delete until its subject is gone, a few times at most.
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
    const unknown = 'no answer gave its id; if it was made, wait until it expires';
    return { kind: 'world', scope: 'world', name: `opened for ${label}`, why: unknown };
  }
  const todo = 'delete it by the control protocol, or wait until it expires';
  return { kind: 'world', scope: 'world', name: id, why: `${why}; ${todo}`, id };
}

/** Describes a secret that may be left, for reports. */
export function describeLeftSecret({ scope, intern, name }: SecretLeftover, why: string): LeftBehind {
  return { kind: 'secret', scope, name, why, ...(intern === undefined ? {} : { intern }) };
}

/** Describes something that a run which was killed may have left. */
export function describeKilledLeftover(leftover: Leftover): LeftBehind {
  const why = 'the run was killed before it could delete it';
  return leftover.kind === 'world'
    ? describeLeftWorld(leftover, why)
    : describeLeftSecret(leftover, `${why}; delete it with the member key`);
}

type LeftoverIdentity = Extract<LeftoverNews, { readonly gone: unknown }>['gone'];

/** What a run made and has not deleted yet. Note everything before the request that makes or deletes it. */
export class Leftovers<Kind extends Leftover = Leftover> {
  readonly #left = new Map<string, Kind>();

  /** @param onNews called with each change */
  constructor(private readonly onNews: (news: LeftoverNews) => void = () => undefined) {}

  get all(): readonly Kind[] {
    return [...this.#left.values()];
  }

  has(leftover: LeftoverIdentity): boolean {
    return this.#left.has(keyOf(leftover));
  }

  /** Notes that something may be there, in place of what was known of it. */
  set(leftover: Kind): void {
    this.#left.set(keyOf(leftover), leftover);
    this.onNews({ left: leftover });
  }

  /** Removes what is gone, or was never made. Returns whether it was known. */
  remove(leftover: LeftoverIdentity): boolean {
    const wasKnown = this.#left.delete(keyOf(leftover));
    if (wasKnown) this.onNews({ gone: identify(leftover) });
    return wasKnown;
  }
}

function identify(leftover: LeftoverIdentity): LeftoverIdentity {
  if (leftover.kind === 'world') return { kind: 'world', number: leftover.number };
  return { kind: 'secret', intern: leftover.intern, name: leftover.name };
}

function keyOf(leftover: LeftoverIdentity): string {
  if (leftover.kind === 'world') return String(leftover.number);
  const { intern = '', name } = leftover;
  return `${intern.toLowerCase()}/${name}`;
}

/** Returns the secret that an exchange deleted; undefined where it deleted none. */
export function findDeletedSecret({
  request: { method, url },
  answer,
}: NotedExchange): LeftoverIdentity | undefined {
  if (method !== 'DELETE' || answer?.status !== 204) return undefined;
  const [found, ...parts] = /\/vault\/interns\/([^/?#]*)\/secrets\/([^/?#]*)/.exec(url) ?? [];
  const [intern = '', name = ''] = parts.map((part) => decodePart(part) ?? part);
  return found === undefined ? undefined : { kind: 'secret', intern, name };
}
