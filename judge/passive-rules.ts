import { isDeepStrictEqual } from 'node:util';
import { isDocumented } from '../spec/contract.js';
import { isObject } from '../spec/json.js';
import type { RequirementId } from '../spec/ledger.js';
import { documentedOperations, isUuid, type Operation } from '../spec/vocabulary.js';
import {
  type Answer,
  type Answered,
  asText,
  explainUnread,
  header,
  headerValues,
  isJsonMediaType,
  isSuccessStatus,
  json,
  readData,
} from '../targets/exchange.js';
import type { SoughtKeys, SoughtValues } from '../targets/leak-detection.js';
import { shortestKey } from '../targets/profile/given-values.js';
import { findError, hasErrorObject } from './answer-rules.js';
import {
  concernServed,
  findInBandError,
  findSchemaBreach,
  guardrailRules,
  keyRules,
  type PassiveRule,
  type ResponseKind,
  streamRules,
} from './field-rules.js';

/** Returns every passive rule. The ledger says what each requires. */
export function makePassiveRules(canaries: SoughtValues, keys: SoughtKeys): readonly PassiveRule[] {
  return [
    ...statusRules,
    ...envelopeRules,
    emptyBodyRule,
    sameGuardrailRule,
    ...guardrailRules,
    ...keyRules,
    ...streamRules,
    ...headerRules,
    ...secrecyRules(canaries, keys),
  ];
}

const isError = ({ status }: ResponseKind): boolean => status >= 400;
const hasObject = ({ answer }: Answered): boolean => isObject(json(answer));

// ── §7: statuses ──

/** §7.3 defines these for the whole service, so any operation may respond with them. */
const generalStatuses: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 408, 429, 500, 502, 503]);

/** Whether an operation may respond with a status: one of its own, or a general one. */
export function isPermittedStatus(operation: Operation, status: number): boolean {
  return (operation !== 'inference' && isDocumented(operation, status)) || generalStatuses.has(status);
}

const statusRules: readonly PassiveRule[] = documentedOperations.map((operation) => ({
  requirement: `${operation}.status-documented`,
  expected: 'a status that the document names for the operation',
  concerns: (kind) => kind.reaches === 'operation' && kind.operation === operation,
  breach: (exchange) => {
    const { status } = exchange.answer;
    if (isPermittedStatus(operation, status)) return undefined;
    return {
      message: `the status ${status} is not documented`,
      mismatch: { wrong: 'status', due: 'documented' },
      // Nothing in front of a service succeeds in its place.
      conclusive: isSuccessStatus(status) && hasObject(exchange),
    };
  },
}));

// ── §4: successes ──

/** A 204 has no body and announces none (§4.1). */
const emptyBodyRule: PassiveRule = {
  requirement: 'vault-delete.204.no-body',
  expected: 'a 204 with no body and no header that announces one',
  concerns: ({ operation, reaches, status }) =>
    reaches === 'operation' && operation === 'vault-delete' && status === 204,
  applies: ({ answer }) => answer.lacksHeaders !== true,
  breach: ({ answer }) => {
    const length = headerValues(answer, 'content-length').find((value) => Number(value) !== 0);
    const [coding] = headerValues(answer, 'transfer-encoding');
    const field = length === undefined ? coding && 'Transfer-Encoding' : 'Content-Length';
    if (field === undefined && answer.text === '') return undefined;
    return {
      message: field === undefined ? 'a body' : `${field}: ${length ?? coding}`,
      mismatch: { wrong: 'body', ...(field === undefined ? {} : { fields: [field] }) },
      conclusive: true,
    };
  },
};

/** The guardrail that is read is the one that the path names (§4.2). */
const sameGuardrailRule: PassiveRule = {
  requirement: 'guardrail-read.200.same-id',
  expected: 'the id of the guardrail that was asked for',
  concerns: concernServed('guardrail-read'),
  // A guardrail in place of a refusal is another violation.
  applies: (exchange) =>
    exchange.due?.includes(200) !== false &&
    findAskedId(exchange) !== undefined &&
    readData(exchange).id !== undefined,
  breach: (exchange) => {
    const id = asText(readData(exchange).id);
    const asked = findAskedId(exchange);
    if (id.toLowerCase() === asked) return undefined;
    return {
      message: `data.id is ${id}`,
      aspect: id,
      expected: `data.id ${asked}`,
      mismatch: { wrong: 'value', fields: ['id'] },
      conclusive: true,
    };
  },
};

/** The id that the path of a read names, in lower case; undefined where it is not a UUID. */
function findAskedId({ request }: Answered): string | undefined {
  const id = /\/guardrails\/([^/?]+)(?:\?.*)?$/.exec(request.url)?.[1]?.replace(/%2d/gi, '-').toLowerCase();
  return id !== undefined && isUuid(id) ? id : undefined;
}

// ── §2.4: the error envelope ──

const envelopeRules: readonly PassiveRule[] = [
  {
    requirement: 'envelope.json-object',
    expected: 'a JSON object',
    wrong: 'form',
    concerns: isError,
    applies: (exchange) => exchange.reaches === 'operation' && explainUnread(exchange.answer) === undefined,
    breach: ({ answer }) => {
      const body = json(answer);
      if (isObject(body)) return undefined;
      if (body !== undefined)
        return { message: 'the body is JSON but no object', got: body, conclusive: true };
      const isEmpty = answer.text === '';
      return {
        message: isEmpty
          ? 'the body is empty'
          : `the body is not valid ${answer.isMisencoded ? 'UTF-8' : 'JSON'}`,
        aspect: `the body is no JSON${isEmpty ? ' but empty' : ''}`,
        conclusive: false,
      };
    },
  },
  {
    requirement: 'envelope.media-type',
    expected: 'a JSON media type',
    wrong: 'form',
    concerns: (kind) => kind.reaches === 'operation' && isError(kind),
    applies: hasObject,
    breach: ({ answer }) =>
      isJsonMediaType(answer)
        ? undefined
        : { message: `the media type is ${header(answer, 'content-type') ?? 'absent'}`, conclusive: false },
  },
  envelopeRule('envelope.error', ['error'], 'an object'),
  envelopeRule('envelope.error.code', ['error', 'code'], 'an integer'),
  envelopeRule('envelope.error.message', ['error', 'message'], 'a string'),
  envelopeRule('envelope.error.metadata', ['error', 'metadata'], 'an object, null or absent'),
  envelopeRule('envelope.service_metadata', ['service_metadata'], 'an object, null or absent'),
  envelopeRule('envelope.user_id', ['user_id'], 'a string, null or absent'),
  {
    requirement: 'envelope.error.code-is-status',
    expected: 'error.code equal to the HTTP status',
    concerns: isError,
    applies: ({ answer }) => Number.isInteger(findError(json(answer)).code),
    breach: ({ answer }) => {
      const code = findError(json(answer)).code;
      if (code === answer.status) return undefined;
      const message = `error.code is ${asText(code)} while the status is ${answer.status}`;
      return { message, mismatch: { wrong: 'rule', fields: ['error.code'] }, conclusive: true };
    },
  },
];

function envelopeRule(requirement: RequirementId, own: readonly string[], expected: string): PassiveRule {
  return {
    requirement,
    expected,
    concerns: isError,
    // A framework may answer an unknown route with an error in its own format.
    applies: (exchange) =>
      hasObject(exchange) && (exchange.reaches === 'operation' || hasErrorObject(exchange)),
    breach: ({ answer }) => {
      const breach = findSchemaBreach('ErrorEnvelope', json(answer), (path) => isDeepStrictEqual(path, own));
      return breach && { ...breach, expected };
    },
  };
}

// ── §7.4: headers ──

const headerRules: readonly PassiveRule[] = [
  {
    requirement: 'rate-limit.success-headers',
    expected: 'no X-RateLimit header on a success',
    concerns: concernServed('inference'),
    applies: (exchange) => findInBandError(exchange) === undefined,
    breach: ({ answer }) => {
      const found = answer.headers.find(([name]) => name.toLowerCase().startsWith('x-ratelimit-'));
      const mismatch = { wrong: 'rule', fields: ['X-RateLimit-*'] } as const;
      return found && { message: `the response carries ${found[0]}`, mismatch, conclusive: false };
    },
  },
  {
    requirement: 'rate-limit.retry-after-form',
    expected: 'a number of seconds or an HTTP date',
    concerns: ({ reaches }) => reaches === 'operation',
    applies: ({ answer }) => header(answer, 'retry-after') !== undefined,
    breach: ({ answer }) => {
      const wrong = headerValues(answer, 'retry-after').find((value) => !isRetryAfter(value));
      if (wrong === undefined) return undefined;
      const mismatch = { wrong: 'rule', fields: ['Retry-After'] } as const;
      return { message: `Retry-After is "${wrong}"`, mismatch, conclusive: false };
    },
  },
];

const httpDate =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

function isRetryAfter(value: string): boolean {
  if (/^\d+$/.test(value)) return true;
  if (!httpDate.test(value)) return false;
  // Date turns the 31st of November into the first of December.
  const [day] = /(?<=^\w{3}, )\d\d/.exec(value) ?? [];
  return day === undefined || new Date(value).getUTCDate() === Number(day);
}

// ── §1: secrecy ──

function secrecyRules(canaries: SoughtValues, keys: SoughtKeys): readonly PassiveRule[] {
  const secretRule = (place: 'header' | 'body' | 'reason-phrase', words: string): PassiveRule => ({
    requirement: `secrecy.${place}`,
    expected: 'no value of a stored secret',
    concerns: () => true,
    applies: () => canaries.stored,
    breach: ({ answer }) =>
      canaries.leak(answer) === place
        ? { message: `a ${words} holds the value of a stored secret`, conclusive: true }
        : undefined,
  });
  return [
    secretRule('header', 'response header'),
    secretRule('body', 'response body'),
    secretRule('reason-phrase', 'reason phrase'),
    {
      requirement: 'secrecy.key-echo',
      expected: 'no key in the response',
      concerns: () => true,
      applies: (exchange) => findSentKey(exchange) !== undefined,
      breach: (exchange) =>
        isRepeated(exchange.answer, findSentKey(exchange) ?? '')
          ? { message: 'the response repeats the key', conclusive: true }
          : undefined,
    },
    {
      requirement: 'secrecy.other-key-echo',
      expected: 'no key of another workspace in the response',
      concerns: () => true,
      applies: () => keys.ofSeveralWorlds,
      breach: (exchange) =>
        keys.isOtherKeyIn(exchange)
          ? { message: 'the response holds a key of another workspace', conclusive: true }
          : undefined,
    },
  ];
}

function findSentKey({ request }: Answered): string | undefined {
  const key = header(request, 'authorization')?.split(' ')[1];
  return key === undefined || key.length < shortestKey ? undefined : key;
}

function isRepeated({ headers, trailers = [], text, reasonPhrase = '' }: Answer, key: string): boolean {
  const values = [...headers, ...trailers].map(([, value]) => value);
  return [text, reasonPhrase, ...values].some((one) => one.includes(key));
}
