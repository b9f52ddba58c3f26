import { createParser } from 'eventsource-parser';
import type { RequirementId } from '../spec/ledger.js';
import {
  type Answer,
  type Answered,
  asText,
  dataOf,
  header,
  headerValues,
  isObject,
  json,
} from '../targets/exchange.js';

// Rules over one answer that a check asks of its own answers, and that recorded ones are judged by too.

/** What a rule says of an answer. */
export interface RuleResult {
  readonly requirement: RequirementId;
  readonly ok: boolean;
  readonly expected: string;
  readonly actual: string;
}

/** §4.1: a 204 brings no body and announces none. */
export function judgeEmptyBody({ answer }: Answered): RuleResult {
  const length = headerValues(answer, 'content-length').find((value) => Number(value) !== 0);
  const coding = headerValues(answer, 'transfer-encoding')[0];
  const announced =
    length === undefined ? coding && `Transfer-Encoding: ${coding}` : `Content-Length: ${length}`;
  return {
    requirement: 'vault-delete.204.no-body',
    ok: announced === undefined && answer.text === '',
    expected: 'a 204 with no body and no header that announces one',
    actual: announced ?? 'a body',
  };
}

/** §4.2: the guardrail returned is the one that was asked for. */
export function judgeSameGuardrail(exchange: Answered, asked: string): RuleResult {
  const { id } = dataOf(exchange);
  return {
    requirement: 'guardrail-read.200.same-id',
    ok: id === undefined || asText(id).toLowerCase() === asked.toLowerCase(),
    expected: `data.id ${asked}`,
    actual: asText(id),
  };
}

/** §2.2: what is unlimited has no limit and nothing that remains of one. */
export function judgeLimitPair(exchange: Answered): RuleResult {
  const data = dataOf(exchange);
  return {
    requirement: 'key-info.limit-pair',
    ok:
      !('limit' in data && 'limit_remaining' in data) ||
      (data.limit === null) === (data.limit_remaining === null),
    expected: 'limit and limit_remaining both null or neither',
    actual: `limit ${asText(data.limit)}, limit_remaining ${asText(data.limit_remaining)}`,
  };
}

/** Figures of which the first can be no more than the second; a week can straddle the start of a month. */
const relations: readonly (readonly [smaller: string, larger: string])[] = ['usage', 'byok_usage'].flatMap(
  (usage) => [
    [`${usage}_daily`, `${usage}_weekly`] as const,
    [`${usage}_daily`, `${usage}_monthly`] as const,
    [`${usage}_daily`, usage] as const,
    [`${usage}_weekly`, usage] as const,
    [`${usage}_monthly`, usage] as const,
  ],
);

/** §2.2: usage of a shorter time is no more than that of a longer one around it. */
export function judgeNestedUsage(exchange: Answered): RuleResult {
  const data = dataOf(exchange);
  const wrong = relations.filter(([smaller, larger]) => exceeds(data[smaller], data[larger]));
  return {
    requirement: 'key-info.usage.nested',
    ok: wrong.length === 0,
    expected: wrong
      .map(([smaller, larger]) => `${smaller} no more than ${larger} (${asText(data[larger])})`)
      .join(', '),
    actual: wrong.map(([smaller]) => `${smaller} ${asText(data[smaller])}`).join(', '),
  };
}

function exceeds(smaller: unknown, larger: unknown): boolean {
  if (typeof smaller !== 'number' || typeof larger !== 'number') return false;
  return smaller > larger + 1e-9 * Math.max(1, Math.abs(larger));
}

/** The metadata of an error; no members where it has none. */
export function readErrorMetadata({ answer }: Answered): Readonly<Record<string, unknown>> {
  const body = json(answer);
  const error = isObject(body) ? body.error : undefined;
  const metadata = isObject(error) ? error.metadata : undefined;
  return isObject(metadata) ? metadata : {};
}

const platformHeaders = [
  ['rate-limit.platform.header.limit', 'X-RateLimit-Limit'],
  ['rate-limit.platform.header.remaining', 'X-RateLimit-Remaining'],
  ['rate-limit.platform.header.reset', 'X-RateLimit-Reset'],
] as const;

/** What `platformLimit` decides. */
export const platformLimitRows: readonly RequirementId[] = [
  ...platformHeaders.map(([id]) => id),
  'rate-limit.platform.error-type',
];

/** §7.4: what a 429 for a limit of the platform carries. */
export function judgePlatformLimit(exchange: Answered): readonly RuleResult[] {
  const type = readErrorMetadata(exchange).error_type;
  return [
    ...platformHeaders.map(([requirement, name]) => {
      const value = header(exchange.answer, name);
      return {
        requirement,
        ok: value !== undefined && value !== '',
        expected: `the header ${name}`,
        actual: 'no such header',
      };
    }),
    {
      requirement: 'rate-limit.platform.error-type',
      ok: type === 'rate_limit_exceeded',
      expected: 'error.metadata.error_type rate_limit_exceeded',
      actual: type === undefined ? 'no error_type' : `error_type ${JSON.stringify(type)}`,
    },
  ];
}

/** §6: a stream that tells of an error is announced as one. */
export function judgeStreamMediaType({ answer }: Answered): RuleResult {
  const mediaType = header(answer, 'content-type') ?? 'absent';
  return {
    requirement: 'stream-error.media-type',
    ok: /^text\/event-stream\s*(?:;|$)/i.test(mediaType),
    expected: 'the media type text/event-stream',
    actual: `the media type ${mediaType}`,
  };
}

/** The data of every whole server-sent event of a stream, comments left out. */
function readEventData(text: string): readonly string[] {
  const data: string[] = [];
  const parser = createParser({ onEvent: (event) => data.push(event.data) });
  parser.feed(text);
  return data;
}

/** The chunk of a stream that an event is, where its data is JSON. */
function parseChunk(data: string): readonly unknown[] {
  try {
    return [JSON.parse(data) as unknown];
  } catch {
    return [];
  }
}

/** The chunk that tells of an error (§6): the one with an error, or that finished for one. */
export function findErrorChunk(text: string): unknown {
  // Most streams tell of none, and taking one apart is dear; a letter of the word may be escaped.
  if (!text.includes('data:') || !/error|\\u/.test(text)) return undefined;
  // A last event that no blank line ends is read too, so that what else is wrong with it is told.
  return chunkOfError(`${text}\n\n`);
}

/** Whether a client is told of an error: its parser hands an event on only once a blank line has ended it. */
export function dispatchesError(text: string): boolean {
  return chunkOfError(text) !== undefined;
}

/** The code that a stream tells of in its error (§6); undefined where it tells of none. */
export function readErrorCode(text: string): unknown {
  return readChunkCode(findErrorChunk(text));
}

/** The code of an error chunk; undefined where it has none. */
export function readChunkCode(chunk: unknown): unknown {
  const error = isObject(chunk) ? chunk.error : undefined;
  return isObject(error) ? error.code : undefined;
}

const known = new WeakMap<Answer, { readonly chunk: unknown }>();

/** The chunk of an answer that tells of an error; every rule of §6 asks for it. */
export function findErrorChunkOnce(answer: Answer): unknown {
  const found = known.get(answer) ?? { chunk: findErrorChunk(answer.text) };
  known.set(answer, found);
  return found.chunk;
}

/** Looks at a stream piece by piece: says when it has told of an error, so that nothing more needs to be read of it. */
export function watchForError(): (piece: string) => boolean {
  let hasTold = false;
  const parser = createParser({
    onEvent: ({ data }) => {
      hasTold ||= parseChunk(data).some(isErrorChunk);
    },
  });
  return (piece) => {
    parser.feed(piece);
    return hasTold;
  };
}

function chunkOfError(text: string): unknown {
  return readEventData(text).flatMap(parseChunk).find(isErrorChunk);
}

function isErrorChunk(chunk: unknown): boolean {
  return isObject(chunk) && (hasError(chunk) || finishedInError(chunk));
}

function hasError(chunk: Readonly<Record<string, unknown>>): boolean {
  return chunk.error !== undefined && chunk.error !== null;
}

function finishedInError(chunk: Readonly<Record<string, unknown>>): boolean {
  const choices: unknown = chunk.choices;
  return (
    Array.isArray(choices) && choices.some((choice) => isObject(choice) && choice.finish_reason === 'error')
  );
}
