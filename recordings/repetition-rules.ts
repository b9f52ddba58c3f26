import { createHash } from 'node:crypto';
import { findErrorChunkOnce, hasOtherError, tooManyPerMinute } from '../judge/answer-rules.js';
import { isObject, tryParseJson } from '../spec/json.js';
import { safeMethods } from '../spec/vocabulary.js';
import { type Answered, carriesError } from '../targets/exchange.js';
import { isAsSent, type RecordedExchange, type RecordedPlace } from './recorded-exchange.js';
import { findKey, isMasked } from './recorded-secrets.js';

const minuteMs = 60_000;
// Bounds the memory for long recordings.
const accountsKept = 500;
const successesKept = 500;

/** An exchange of a recording, and when its recorder saw it, in milliseconds since the epoch. */
interface SeenExchange {
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

interface Success extends SeenExchange {
  /** The id that the answer gives itself. */
  readonly id: string | undefined;
  /** A digest of the body. */
  readonly answer: string;
}

interface Account {
  successes: readonly Success[];
  isReported: boolean;
}

/** Counts the successes of free models by key and model. */
export class FreeLimit {
  readonly #accounts = new Map<string, Account>();

  /** Records an answer; returns the excess the first time that a key and model of a file exceed the limit. */
  take({ answer }: Answered, recorded: RecordedExchange): TooMany | undefined {
    const { startedAt, durationMs, request, place } = recorded;
    // The server counts a success at some time between its start and its end.
    if (answer.status !== 200 || startedAt === undefined || durationMs === undefined) return undefined;
    const model = readFreeModel(request.body);
    const key = findKey(request.headers);
    if (model === undefined || key === undefined || isMasked(key)) return undefined;
    if (carriesError(answer) || findErrorChunkOnce(answer) !== undefined || hasOtherError(answer.text))
      return undefined;
    const account = this.#account(`${place.file}\n${digest(key)}\n${model}`);
    const id = /"id"\s*:\s*"([^"]+)"/.exec(answer.text)?.[1];
    const success = { start: startedAt, end: startedAt + durationMs, place, id, answer: digest(answer.text) };
    const isKnown = !isAsSent(recorded) && account.successes.some((one) => isSameExchange(one, success));
    if (account.isReported || isKnown) return undefined;
    account.successes = [...account.successes, success]
      .filter(({ start }) => start > startedAt - 2 * minuteMs)
      .slice(-successesKept);
    const window = findFullWindow(account.successes, success);
    if (window === undefined) return undefined;
    account.isReported = true;
    account.successes = [];
    return { model, ...window };
  }

  // Each file is counted on its own: their clocks may differ, and two files may be the same recording.
  #account(name: string): Account {
    const known = this.#accounts.get(name) ?? { successes: [], isReported: false };
    this.#accounts.delete(name);
    this.#accounts.set(name, known);
    const [oldest] = this.#accounts.size > accountsKept ? this.#accounts.keys() : [];
    if (oldest !== undefined) this.#accounts.delete(oldest);
    return known;
  }
}

/** Whether two records may be of one exchange: a page's and its worker's, or those at both ends of a gateway. */
function isSameExchange(one: Success, other: Success): boolean {
  if (one.id !== undefined || other.id !== undefined) return one.id === other.id;
  return one.answer === other.answer && one.start <= other.end && other.start <= one.end;
}

function findFullWindow(
  successes: readonly SeenExchange[],
  { start: newest, end }: SeenExchange,
): Omit<TooMany, 'model'> | undefined {
  if (successes.length < tooManyPerMinute) return undefined;
  for (const { start: from, place } of successes) {
    if (from > newest || end - from >= minuteMs) continue;
    const inside = successes.filter(({ start, end: until }) => start >= from && until - from < minuteMs);
    if (inside.length >= tooManyPerMinute) return { first: place, count: inside.length };
  }
  return undefined;
}

/** Returns the free model that a request names; undefined for other models, or a choice of several. */
export function readFreeModel(body: string | undefined): string | undefined {
  if (body === undefined || !body.includes(':free')) return undefined;
  const request = tryParseJson(body);
  if (!isObject(request) || 'models' in request) return undefined;
  const { model } = request;
  return typeof model === 'string' && model.endsWith(':free') ? model : undefined;
}

const secretsKept = 20_000;
const againKept = 1_000;

/** Two deletes of a secret: the first got 204, the second `status`. */
export interface DeletedAgain {
  readonly first: SeenExchange;
  readonly second: SeenExchange;
  readonly status: 204 | 404;
}

/** Finds secrets deleted twice without a recorded store between; an unrecorded one lets a second 204 prove nothing. */
export class RepeatedDeletes {
  readonly #deleted = new Map<string, SeenExchange>();
  #found: readonly DeletedAgain[] = [];
  #storedUntil = Number.NEGATIVE_INFINITY;

  get found(): readonly DeletedAgain[] {
    return this.#found;
  }

  /** Records a delete that reached its operation and got 204 or 404. */
  noteDelete({ request, place, startedAt, durationMs }: RecordedExchange, status: 204 | 404): void {
    const key = findKey(request.headers);
    if (startedAt === undefined || durationMs === undefined || key === undefined || isMasked(key)) return;
    const secret = digest(`${place.file}\n${key}\n${request.url}\n${request.body ?? ''}`);
    const second = { start: startedAt, end: startedAt + durationMs, place };
    const first = this.#deleted.get(secret);
    // Recorded instants are whole milliseconds, and the document says nothing of simultaneous deletes.
    if (first !== undefined && second.start >= first.end + 1 && this.#found.length < againKept)
      this.#found = [...this.#found, { first, second, status }];
    if (status === 404) return;
    this.#deleted.delete(secret);
    if (second.start > this.#storedUntil) this.#deleted.set(secret, second);
    const [oldest] = this.#deleted.size > secretsKept ? this.#deleted.keys() : [];
    if (oldest !== undefined) this.#deleted.delete(oldest);
  }

  /** Records a request that may have stored any secret, wherever it is in the recording. */
  noteStore({ startedAt = Number.NEGATIVE_INFINITY, durationMs, answer }: Partial<RecordedExchange>): void {
    // Without an answer, or with a 202, it may take effect at any later time.
    const isOver = answer !== undefined && answer.status !== 202;
    const end = isOver && durationMs !== undefined ? startedAt + durationMs : Number.POSITIVE_INFINITY;
    this.#deleted.clear();
    this.#storedUntil = Math.max(this.#storedUntil, end);
    this.#found = this.#found.filter(({ first, second }) => second.end < startedAt || end < first.start);
  }
}

/** Whether a request other than a documented delete may have stored something. */
export function mayStore({ request, answer }: RecordedExchange): boolean {
  return !safeMethods.includes(request.method.toUpperCase()) || answer?.status === 101;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
