import { createParser } from 'eventsource-parser';
import { isObject, tryParseJson } from '../spec/json.js';
import type { RequirementId } from '../spec/ledger.js';
import { getOrInsert } from '../spec/maps.js';
import type { Mismatch } from '../spec/report.js';
import {
  type Answer,
  type Answered,
  asText,
  type Exchange,
  header,
  isAnswered,
  json,
  limitResetMs,
  readData,
} from '../targets/exchange.js';

// Rules over one answer that a check asks of its own answers, and that recorded ones are judged by too.

/** What a rule says of one answer. */
export interface RuleResult {
  readonly requirement: RequirementId;
  readonly ok: boolean;
  readonly expected: string;
  readonly actual: string;
  readonly mismatch: Mismatch;
}

/** Judges that `limit` and `limit_remaining` are both null or neither (§2.2). */
export function judgeLimitPair(exchange: Answered): RuleResult {
  const data = readData(exchange);
  return {
    requirement: 'key-info.limit-pair',
    ok:
      !('limit' in data && 'limit_remaining' in data) ||
      (data.limit === null) === (data.limit_remaining === null),
    expected: 'limit and limit_remaining both null or neither',
    actual: `limit ${asText(data.limit)}, limit_remaining ${asText(data.limit_remaining)}`,
    mismatch: { wrong: 'relation', fields: ['limit', 'limit_remaining'] },
  };
}

/** Pairs whose first figure cannot exceed the second; a week can straddle the start of a month. */
const relations = ['usage', 'byok_usage'].flatMap((usage) => [
  [`${usage}_daily`, `${usage}_weekly`] as const,
  [`${usage}_daily`, `${usage}_monthly`] as const,
  ...['daily', 'weekly', 'monthly'].map((period) => [`${usage}_${period}`, usage] as const),
]);

/** Judges that the usage of a period does not exceed that of a longer one that contains it (§2.2). */
export function judgeNestedUsage(exchange: Answered): RuleResult {
  const data = readData(exchange);
  const wrong = relations.filter(([smaller, larger]) => exceeds(data[smaller], data[larger]));
  return {
    requirement: 'key-info.usage.nested',
    ok: wrong.length === 0,
    expected: wrong
      .map(([smaller, larger]) => `${smaller} no more than ${larger} (${asText(data[larger])})`)
      .join(', '),
    actual: wrong.map(([smaller]) => `${smaller} ${asText(data[smaller])}`).join(', '),
    mismatch: { wrong: 'relation', fields: [...new Set(wrong.flat())] },
  };
}

function exceeds(smaller: unknown, larger: unknown): boolean {
  if (typeof smaller !== 'number' || typeof larger !== 'number') return false;
  return smaller > larger + 1e-9 * Math.max(1, Math.abs(larger));
}

/** Finds the error that a body or a chunk describes; empty where it describes none. */
export function findError(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) && isObject(value.error) ? value.error : {};
}

/** Whether a body has the error object of the envelope, unlike the errors of most frameworks and gateways. */
export function hasErrorObject({ answer }: Answered): boolean {
  const body = json(answer);
  return isObject(body) && isObject(body.error);
}

/** Reads the metadata of an error; empty where it has none. */
export function readErrorMetadata({ answer }: Answered): Readonly<Record<string, unknown>> {
  const { metadata } = findError(json(answer));
  return isObject(metadata) ? metadata : {};
}

/** Finds the member of the metadata of an error that is wrong, or the first on the way to it that is missing. */
export function findWrongMetadata(exchange: Answered, member: string): Mismatch {
  const { metadata } = findError(json(exchange.answer));
  const missing = hasErrorObject(exchange) ? 'error.metadata' : 'error';
  return { wrong: 'value', fields: [isObject(metadata) ? `error.metadata.${member}` : missing] };
}

const platformHeaders = [
  ['rate-limit.platform.header.limit', 'X-RateLimit-Limit'],
  ['rate-limit.platform.header.remaining', 'X-RateLimit-Remaining'],
  ['rate-limit.platform.header.reset', 'X-RateLimit-Reset'],
] as const;

/** The requirements that `judgePlatformLimit` decides. */
export const platformLimitRows: readonly RequirementId[] = [
  ...platformHeaders.map(([id]) => id),
  'rate-limit.platform.error-type',
];

/** Judges that an answer has a header; `why` is appended to what the finding says was expected. */
export function judgeHeader(
  { answer }: Answered,
  requirement: RequirementId,
  name: string,
  why = '',
): RuleResult {
  return {
    requirement,
    ok: (header(answer, name) ?? '') !== '',
    expected: `the header ${name}${why}`,
    actual: 'no such header',
    mismatch: { wrong: 'header', fields: [name] },
  };
}

/** Judges what a 429 for a limit of the platform carries (§7.4). */
export function judgePlatformLimit(exchange: Answered): readonly RuleResult[] {
  const type = readErrorMetadata(exchange).error_type;
  return [
    ...platformHeaders.map(([requirement, name]) => judgeHeader(exchange, requirement, name)),
    {
      requirement: 'rate-limit.platform.error-type',
      ok: type === 'rate_limit_exceeded',
      expected: 'error.metadata.error_type rate_limit_exceeded',
      actual: type === undefined ? 'no error_type' : `error_type ${JSON.stringify(type)}`,
      mismatch: findWrongMetadata(exchange, 'error_type'),
    },
  ];
}

/** The longest wait after a burst of requests, in milliseconds: a platform limit (§8.2) lasts longer. */
export const burstOverMs = 2_000;

/** Requests to free models that any account may make within a minute (§8.2). */
export const perMinute = 20;

/** Successes within a minute that are too many: a minute may overlap two of the server's, each with its allowance. */
export const tooManyPerMinute = 2 * perMinute + 1;

export const dayMs = 86_400_000;
// Figures need not all restart at the same instant, and clocks may differ by minutes.
const aroundMidnightMs = 900_000;

/** Whether figures of a day may restart at about an instant. */
export function isNearMidnight(at: number): boolean {
  const ofDayMs = at % dayMs;
  return ofDayMs < aroundMidnightMs || ofDayMs > dayMs - aroundMidnightMs;
}

/** Whether a 429 says that an account has used up its requests to free models, of a minute or a day (§8.2). */
export function isAllowanceUsedUp(exchange: Exchange): exchange is Answered {
  if (exchange.operation !== 'inference' || !isAnswered(exchange)) return false;
  const { answer } = exchange;
  return (
    answer.status === 429 &&
    readErrorMetadata(exchange).error_type === 'rate_limit_exceeded' &&
    (limitResetMs(answer) ?? 0) > burstOverMs
  );
}

/** Whether a 429 says so of those of a minute: a limit on all requests is never this low. */
export function isMinuteUsedUp(exchange: Exchange): boolean {
  return isAllowanceUsedUp(exchange) && Number(header(exchange.answer, 'x-ratelimit-limit')) <= perMinute;
}

/** Judges that a stream with an error event has the media type of a stream (§6). */
export function judgeStreamMediaType({ answer }: Answered): RuleResult {
  const mediaType = header(answer, 'content-type') ?? 'absent';
  return {
    requirement: 'stream-error.media-type',
    ok: /^text\/event-stream\s*(?:;|$)/i.test(mediaType),
    expected: 'the media type text/event-stream',
    actual: `the media type ${mediaType}`,
    mismatch: { wrong: 'form', fields: ['Content-Type'] },
  };
}

/** Judges that a client receives the error event of a stream (§6). */
export function judgeErrorEvent({ answer }: Answered): RuleResult {
  const isMissing = findErrorChunkOnce(answer) === undefined;
  return {
    requirement: 'stream-error.event',
    ok: dispatchesError(answer.text),
    expected:
      'an event, ended by a blank line and before any [DONE], whose data is a JSON chunk of the error',
    actual: isMissing ? 'no such event' : 'such data where no client reads it',
    mismatch: { wrong: 'value', fields: isMissing ? ['error'] : [] },
  };
}

/** Makes a reader of a stream piece by piece. Clients ignore a byte order mark before the stream; the parser does not. */
function makeEventReader(onData: (data: string, event?: string) => void): (piece: string) => void {
  const parser = createParser({ onEvent: ({ data, event }) => onData(data, event) });
  let isStart = true;
  return (piece) => {
    parser.feed(isStart ? piece.replace(/^\ufeff/, '') : piece);
    isStart &&= piece === '';
  };
}

function readEventData(text: string): readonly string[] {
  const data: string[] = [];
  makeEventReader((one) => data.push(one))(text);
  return data;
}

/** Finds the error chunk of a stream: one with an error, or that finished for one (§6). */
export function findErrorChunk(text: string): unknown {
  // Most streams have none, and parsing is expensive; a letter of the word may be escaped.
  if (!text.includes('data:') || !/error|\\u/.test(text)) return undefined;
  // A last event without its blank line is read too, so that its other faults are reported.
  return readEventData(`${text}\n\n`).map(tryParseJson).find(isErrorChunk);
}

/** Whether a client receives the error event: a parser dispatches it only at a blank line, and clients stop reading at [DONE]. */
export function dispatchesError(text: string): boolean {
  // A line may end in CR alone; at the end of what it is fed, the parser would wait for an LF after it.
  const data = readEventData(text.replace(/\r$/, '\r\n'));
  const end = data.indexOf('[DONE]');
  return data
    .slice(0, end < 0 ? undefined : end)
    .map(tryParseJson)
    .some(isErrorChunk);
}

/** Whether a stream reports an error in a form that is no such chunk: on a line without `data:`, or as other data. */
export function hasOtherError(text: string): boolean {
  if (!/error/.test(text)) return false;
  let isFound = text
    .split(/[\r\n]+/)
    .some((line) => /^\s*\{\s*"error"/.test(line) && isErrorChunk(tryParseJson(line)));
  makeEventReader((data, event) => {
    const value = tryParseJson(data);
    const isHalf = value === undefined && /(?<!\\)"error"\s*:\s*\{/.test(data);
    isFound ||= isHalf || event === 'error' || (Array.isArray(value) && value.some(isErrorChunk));
  })(text);
  return isFound;
}

/** Reads the code of the error event of a stream (§6); undefined where there is none. */
export function readErrorCode(text: string): unknown {
  return findError(findErrorChunk(text)).code;
}

/** Reads the code of an error event, a number or a text, as a status; null where it is neither. */
export function readEventStatus(code: unknown): number | null {
  return Number.parseInt(asText(code), 10) || null;
}

const errorChunks = new WeakMap<Answer, unknown>();

/** Finds the error chunk of an answer once, since every rule of §6 asks for it. */
export function findErrorChunkOnce(answer: Answer): unknown {
  return getOrInsert(errorChunks, answer, () => findErrorChunk(answer.text));
}

/** Watches the chunks of a stream for an error event, after which nothing more needs to be read. */
export function watchForError(): (piece: string) => boolean {
  let hasError = false;
  const read = makeEventReader((data) => {
    hasError ||= isErrorChunk(tryParseJson(data));
  });
  return (piece) => {
    read(piece);
    return hasError;
  };
}

function isErrorChunk(chunk: unknown): boolean {
  if (!isObject(chunk)) return false;
  const { error = null, choices } = chunk;
  const isFinished = (choice: unknown) => isObject(choice) && choice.finish_reason === 'error';
  return error !== null || (Array.isArray(choices) && choices.some(isFinished));
}
