import { createHash } from 'node:crypto';
import { findErrorChunkOnce } from '../judge/answer-rules.js';
import { type Answered, isObject } from '../targets/exchange.js';
import { describePlace, type RecordedExchange, type RecordedPlace } from './recorded-exchange.js';
import { findKey, isMasked } from './recorded-secrets.js';

// Twenty are allowed in a minute, and a window of a minute can touch two of the server's (§8.2).
const surelyTooMany = 41;
const minuteMs = 60_000;
// What is remembered of a recording however long it is.
const accountsKept = 500;
const successesKept = 500;

interface Success {
  readonly start: number;
  readonly end: number;
  readonly place: RecordedPlace;
}

/** Too many successes of one key on one free model within a minute. */
export interface TooMany {
  readonly model: string;
  readonly first: RecordedPlace;
  readonly count: number;
}

interface Account {
  successes: readonly Success[];
  isReported: boolean;
}

/** Counts what free models served, where a recording shows that it was one key, one model and one minute. */
export class FreeLimit {
  readonly #accounts = new Map<string, Account>();

  /** Takes note of an answer; says where it is one too many. Said once for each key and model of a file. */
  take({ answer }: Answered, recorded: RecordedExchange): TooMany | undefined {
    const { startedAt, durationMs, request, place } = recorded;
    // A success is counted by the server at some time between its start and its end.
    if (answer.status !== 200 || startedAt === undefined || durationMs === undefined) return undefined;
    const model = readFreeModel(request.body);
    const key = findKey(request.headers);
    if (model === undefined || key === undefined || isMasked(key)) return undefined;
    if (findErrorChunkOnce(answer) !== undefined) return undefined;
    const account = this.#account(`${place.file}\n${digestKey(key)}\n${model}`);
    if (account.isReported) return undefined;
    const success = { start: startedAt, end: startedAt + durationMs, place };
    account.successes = [...account.successes, success]
      .filter(({ start }) => start > startedAt - 2 * minuteMs)
      .slice(-successesKept);
    const window = findFullWindow(account.successes, success);
    if (window === undefined) return undefined;
    account.isReported = true;
    account.successes = [];
    return { model, ...window };
  }

  // Two files may come from clocks that differ, or be the same recording twice: each is counted by itself.
  #account(name: string): Account {
    const known = this.#accounts.get(name) ?? { successes: [], isReported: false };
    this.#accounts.delete(name);
    this.#accounts.set(name, known);
    const [oldest] = this.#accounts.size > accountsKept ? this.#accounts.keys() : [];
    if (oldest !== undefined) this.#accounts.delete(oldest);
    return known;
  }
}

/** A minute that a success makes too full. */
function findFullWindow(
  successes: readonly Success[],
  { start: newest, end }: Success,
): Omit<TooMany, 'model'> | undefined {
  if (successes.length < surelyTooMany) return undefined;
  for (const { start: from, place } of successes) {
    if (from > newest || end - from >= minuteMs) continue;
    const inside = successes.filter(({ start, end: until }) => start >= from && until - from < minuteMs);
    if (inside.length >= surelyTooMany) return { first: place, count: inside.length };
  }
  return undefined;
}

/** The free model that a request names; undefined where it names another, or several to choose from. */
function readFreeModel(body: string | undefined): string | undefined {
  if (body === undefined || !body.includes(':free')) return undefined;
  const request = parsed(body);
  if (!isObject(request) || 'models' in request) return undefined;
  const { model } = request;
  return typeof model === 'string' && model.endsWith(':free') ? model : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function digestKey(key: string): string {
  return createHash('sha256').update(key).digest('base64');
}

const secretsKept = 20_000;

/**
 * Secrets that were deleted twice, as far as a recording shows. The store between two deletes may be unrecorded, so that
 * nobody is accused.
 */
export class RepeatedDeletes {
  readonly #deleted = new Map<string, RecordedPlace>();
  #count = 0;
  #first: readonly [one: RecordedPlace, other: RecordedPlace] | undefined;

  /** Takes note of a delete that was answered 204. */
  noteDelete(url: string, place: RecordedPlace): void {
    const secret = digestUrl(url);
    const before = this.#deleted.get(secret);
    this.#deleted.delete(secret);
    this.#deleted.set(secret, place);
    const [oldest] = this.#deleted.size > secretsKept ? this.#deleted.keys() : [];
    if (oldest !== undefined) this.#deleted.delete(oldest);
    if (before === undefined) return;
    this.#count += 1;
    this.#first ??= [before, place];
  }

  /** Takes note of something else under a path, which may have stored the secret again. */
  noteOther(url: string): void {
    this.#deleted.delete(digestUrl(url));
  }

  /** A note for the report; undefined where there is nothing to say. */
  get note(): string | undefined {
    if (this.#first === undefined) return undefined;
    const [one, other] = this.#first.map(describePlace);
    const often = this.#count === 1 ? 'One secret was' : `${this.#count} times a secret was`;
    return `${often} deleted with 204 twice with no store between that was recorded, first in ${one} and ${other}; this is no violation, since the store may be unrecorded`;
  }
}

function digestUrl(url: string): string {
  return createHash('sha1')
    .update(url.replace(/[?#].*$/, ''))
    .digest('base64')
    .slice(0, 20);
}
