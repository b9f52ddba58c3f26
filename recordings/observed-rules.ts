import {
  findError,
  findErrorChunkOnce,
  hasOtherError,
  isNearMidnight,
  judgeErrorEvent,
  judgeLimitPair,
  judgeNestedUsage,
  judgePlatformLimit,
  judgeStreamMediaType,
  platformLimitRows,
  type RuleResult,
  readErrorCode,
  readErrorMetadata,
} from '../judge/answer-rules.js';
import { isObject } from '../spec/json.js';
import type { RequirementId } from '../spec/ledger.js';
import { decodePart, isUuid, type Operation } from '../spec/vocabulary.js';
import { type Answered, carriesError, header, isSuccessStatus, json, readData } from '../targets/exchange.js';
import type { ProxyDetector } from '../targets/proxy-detection.js';
import { hasMask } from './recorded-secrets.js';
import { readFreeModel } from './repetition-rules.js';

type StatusRows = Readonly<Record<number, readonly RequirementId[]>>;

/** The requirements that a status shows to pass; why a key, an intern or a secret is refused is not recorded. */
const rowsByStatus: Readonly<Record<Operation, StatusRows>> = {
  'vault-delete': {
    204: ['vault-delete.204.deleted'],
    408: ['vault-delete.408.timeout'],
    429: ['vault-delete.429.rate-limited'],
    500: ['vault-delete.500.scope-lookup'],
    502: ['vault-delete.502.unreachable', 'vault-delete.502.bad-response'],
    503: ['vault-delete.503.writes-disabled', 'vault-delete.503.not-configured'],
    504: ['vault-delete.504.timeout'],
  },
  'guardrail-read': { 200: ['guardrail-read.200.read'], 500: ['guardrail-read.500.internal'] },
  'key-info': { 200: ['key-info.200.read'] },
  inference: {
    200: ['inference.routed'],
    502: ['inference.502.model-down'],
    503: ['inference.503.no-provider'],
  },
};

/** The requirements whose status has another condition too; a recording cannot tell them apart. */
export const sharedConditions: ReadonlySet<RequirementId> = new Set(
  Object.values(rowsByStatus).flatMap((rows) =>
    Object.values(rows)
      .filter(({ length }) => length > 1)
      .flat(),
  ),
);

/** The requirement that a success without a key violates. */
const withoutKey: Readonly<Record<Operation, RequirementId>> = {
  'vault-delete': 'vault-delete.401.missing-key',
  'guardrail-read': 'guardrail-read.401.missing-key',
  'key-info': 'auth.missing-key',
  inference: 'auth.missing-key',
};

/** The naming rules of §2.3, each with a pattern of names that break it. The first that matches is reported. */
const nameRules = [
  ['secret-name.refuses.control-character', /\p{Cc}/u],
  ['secret-name.refuses.beyond-ascii', /[^\0-\x7f]/],
  ['secret-name.refuses.encoded-twice', /%[\da-f]{2}/i],
  ['secret-name.refuses.punctuation', /[^a-z\d_]/i],
  ['secret-name.refuses.upper-case', /[A-Z]/],
  ['secret-name.refuses.leading-digit', /^\d/],
  ['secret-name.refuses.leading-underscore', /^_/],
  ['secret-name.refuses.trailing-underscore', /_$/],
  ['secret-name.refuses.double-underscore', /__/],
  ['secret-name.refuses.too-long', /^.{256}/],
] as const satisfies readonly (readonly [RequirementId, RegExp])[];

const refusalIds: readonly RequirementId[] = [
  ...Object.values(withoutKey),
  'vault-delete.400.intern-id',
  'vault-delete.400.percent-encoding',
  'guardrail-read.404.malformed-id',
  ...nameRules.map(([id]) => id),
];

/** Every requirement that these rules may decide. */
export const observedIds: readonly RequirementId[] = [
  ...Object.values(rowsByStatus).flatMap((rows) => Object.values(rows).flat()),
  'vault-delete.204.takes-effect',
  ...refusalIds,
  'key-info.limit-pair',
  'key-info.usage.nested',
  'rate-limit.platform.status',
  ...platformLimitRows,
  'rate-limit.upstream.status',
  'rate-limit.upstream.provider-code',
  'rate-limit.minute.refused',
  'stream-error.status',
  'stream-error.event',
  'stream-error.media-type',
];

/** Judges an answer of the service beyond the rules for every response. */
export function judgeObserved(exchange: Answered): readonly RuleResult[] {
  const { answer, operation } = exchange;
  const { status, lacksHeaders } = answer;
  const isStream = operation === 'inference' && status === 200 && eventLine.test(answer.text);
  if (isStream && (findErrorChunkOnce(answer) !== undefined || hasOtherError(answer.text)))
    return [
      makePass('stream-error.status'),
      // Recorders may drop the blank line at the end.
      judgeErrorEvent({ ...exchange, answer: { ...answer, text: `${answer.text}\n\n` } }),
      ...(lacksHeaders ? [] : [judgeStreamMediaType(exchange)]),
    ];
  const misstated = judgeErrorInSuccess(exchange);
  if (misstated !== undefined) return [misstated];
  const isShown =
    status < 300 ? operation === 'inference' || status === 204 || hasData(exchange) : isEnvelope(exchange);
  const shown = isShown ? (rowsByStatus[operation][status] ?? []) : [];
  const limits = judgeRateLimit(exchange);
  const isPlatform = limits.some(({ requirement }) => requirement === 'rate-limit.platform.status');
  return [
    ...shown.map(makePass),
    ...(isShown ? limits : []),
    ...(isPlatform && !lacksHeaders ? judgePlatformLimit(exchange) : []),
    ...judgeValues(exchange),
  ];
}

/** A refusal has the status of its code (§2.4); only an event of a stream may have another (§6). */
function judgeErrorInSuccess({ operation, answer }: Answered): RuleResult | undefined {
  const body = json(answer);
  const { code } = findError(body);
  if (operation !== 'inference' || answer.status >= 400 || (isObject(body) && 'choices' in body))
    return undefined;
  if (typeof code !== 'number' || !(code >= 400)) return undefined;
  return {
    requirement: 'envelope.error.code-is-status',
    ok: false,
    expected: `the status ${code}, which error.code names`,
    actual: `the status ${answer.status}`,
    mismatch: { wrong: 'rule', fields: ['error.code'] },
  };
}

/** Only the metadata tells the kind of limit (§7.4): the vault has its own (§7.1), only inference an upstream. */
function judgeRateLimit(exchange: Answered): readonly RuleResult[] {
  const { operation, request, answer } = exchange;
  if (answer.status !== 429 || operation === 'vault-delete') return [];
  const isInference = operation === 'inference';
  const { error_type: type, provider_code: code } = readErrorMetadata(exchange);
  if (code === undefined || code === null) {
    // Paid models have no limit of the platform (§8.2): a provider limited them, whose code was not available (§7.4).
    const isUpstream = isInference && readFreeModel(request.body) === undefined;
    return type === 'rate_limit_exceeded' && !isUpstream ? [makePass('rate-limit.platform.status')] : [];
  }
  return isInference
    ? (['rate-limit.upstream.status', 'rate-limit.upstream.provider-code'] as const).map(makePass)
    : [];
}

function judgeValues(exchange: Answered): readonly RuleResult[] {
  if (exchange.operation !== 'key-info' || !hasData(exchange)) return [];
  return [
    judgeLimitPair(exchange),
    ...(isNearMidnight(exchange.startedAt) ? [] : [judgeNestedUsage(exchange)]),
  ];
}

function hasData(exchange: Answered): boolean {
  return exchange.answer.status === 200 && Object.keys(readData(exchange)).length > 0;
}

function makePass(requirement: RequirementId): RuleResult {
  return { requirement, ok: true, expected: '', actual: '', mismatch: { wrong: 'rule' } };
}

// ── What the request itself makes due: a refusal ──

/**
 * Finds a success that is wrong whatever was stored before: of a request without a key, or with a malformed name or id
 * (§2.3, §7).
 * @param parameters the path parameters
 * @param isAsSent whether the request is known as it was sent; recorders leave keys out, and mask names
 */
export function judgeSuccess(
  exchange: Answered,
  parameters: readonly string[],
  isAsSent: boolean,
): readonly RuleResult[] {
  const { operation, answer } = exchange;
  if (!isSuccessStatus(answer.status) || (!isAsSent && parameters.some(isPerhapsMasked))) return [];
  const keyless = isAsSent && lacksKey(exchange) ? withoutKey[operation] : undefined;
  const requirement = keyless ?? findBrokenRule(operation, parameters);
  if (requirement === undefined) return [];
  return [makeRefusalDue(requirement, exchange)];
}

/** Finds a success of another route for secrets of an intern that is wrong because the request has no key (§5). */
export function judgeOtherRoute(exchange: Answered): readonly RuleResult[] {
  const { request, answer } = exchange;
  const isRoute = /\/vault\/interns\/[\da-f-]{36}\/secrets(?:\/[^/]+)?$/i.test(request.url);
  const isServed = isSuccessStatus(answer.status) && typeof json(answer) === 'object';
  const isWrong = isRoute && isServed && request.method !== 'OPTIONS' && lacksKey(exchange);
  return isWrong ? [makeRefusalDue('vault-delete.401.missing-key', exchange)] : [];
}

/** Whether a recorder may have written a parameter in place of another; a UUID in braces is no mask. */
function isPerhapsMasked(raw: string): boolean {
  return hasMask(raw) && !/^(?:\{|%7b)[\da-f-]{36}(?:\}|%7d)$/i.test(raw);
}

function lacksKey({ operation, request, answer }: Answered): boolean {
  // An OAuth session (§7.3) may be in a cookie, and a stream may be refused by its event.
  const isRefused = operation === 'inference' && readErrorCode(answer.text) === 401;
  return !isRefused && !['authorization', 'cookie'].some((name) => header(request, name) !== undefined);
}

function makeRefusalDue(requirement: RequirementId, { answer }: Answered): RuleResult {
  const isKeyless = Object.values(withoutKey).includes(requirement);
  const due = isKeyless ? [401] : requirement === 'guardrail-read.404.malformed-id' ? [400, 404] : [400];
  const mismatch = { wrong: 'status', due } as const;
  return { requirement, ok: false, expected: due.join(' or '), actual: String(answer.status), mismatch };
}

/** Finds what is malformed in the path of a request. */
function findBrokenRule(operation: Operation, parameters: readonly string[]): RequirementId | undefined {
  const [id, name] = parameters.map(decodePart);
  if (operation === 'guardrail-read') return isUuid(id ?? '') ? undefined : 'guardrail-read.404.malformed-id';
  if (operation !== 'vault-delete') return undefined;
  if (id === undefined || name === undefined) return 'vault-delete.400.percent-encoding';
  if (!isUuid(id)) return 'vault-delete.400.intern-id';
  return nameRules.find(([, rule]) => rule.test(name))?.[0];
}

// The statuses that gateways send themselves, often with JSON of their own.
const gatewayStatuses: readonly number[] = [429, 502, 503, 504];

// With these, HTTP software refuses what a client sent (too long, a condition, the wrong host), whatever the operation.
const messageStatuses: readonly number[] = [406, 411, 412, 413, 414, 416, 417, 421, 431];

const eventLine = /^\ufeff?(?:data|event|id|retry|):/m;

/** Explains why an answer may not be the service's, and so decides nothing; undefined for one of the service. */
export function explainForeign({ operation, answer }: Answered, proxies: ProxyDetector): string | undefined {
  const { status, text, truncated } = answer;
  const inPlace = proxies.explainForeign(answer);
  if (inPlace !== undefined) return inPlace;
  if (status >= 300 && status < 400) return `a redirect (${status})`;
  if (messageStatuses.includes(status)) return `a refusal of the message itself (${status})`;
  const isStream = operation === 'inference' && status === 200 && eventLine.test(text);
  // What a stream says of an error is judged wherever it ends.
  if (truncated && !(isStream && findErrorChunkOnce(answer) !== undefined))
    return `a body that is not recorded to its end (${status})`;
  if (isStream) return undefined;
  const body = json(answer);
  if (gatewayStatuses.includes(status) && isObject(body) && !carriesError(answer))
    return `JSON without an error in it (${status}), as gateways send`;
  if (status === 204 || body !== undefined) return undefined;
  if (status < 300 && operation === 'vault-delete' && text === '') return undefined;
  return text === '' ? `an empty body (${status})` : `a body that is not valid JSON (${status})`;
}

/** Whether an error has the envelope of §2.4 with the status in it, which no gateway would write. */
function isEnvelope({ answer }: Answered): boolean {
  const { code, message } = findError(json(answer));
  return code === answer.status && typeof message === 'string';
}

/** Returns the requirement that an answer leaves open if it may not come from the service. */
export function findUndecidedRow({ operation, answer: { status } }: Answered): RequirementId | undefined {
  if (status >= 400) return 'envelope.json-object';
  if (operation === 'inference') return undefined;
  return status === 200 && operation !== 'vault-delete'
    ? `${operation}.200.data`
    : `${operation}.status-documented`;
}
