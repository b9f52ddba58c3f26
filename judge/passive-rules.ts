import { type ContractSchema, contractFaults, type SchemaFault } from '../spec/contract.js';
import { isDocumented } from '../spec/documented.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Operation } from '../spec/vocabulary.js';
import {
  type Answer,
  type Answered,
  asText,
  dataOf,
  explainUnread,
  header,
  headerValues,
  isJsonMediaType,
  isObject,
  json,
} from '../targets/exchange.js';
import { type SoughtKeys, type SoughtValues, shortestKey } from '../targets/leak-detection.js';
import { findErrorChunkOnce } from './answer-rules.js';

/** What a passive rule says of one answer. */
interface Breach {
  readonly message: string;
  /** Names the situation where the message does not: the words of a situation never change. */
  readonly aspect?: string;
  /** What was due here, where the rule's own words are less exact. */
  readonly expected?: string;
  /** The value that came in place of it. */
  readonly got?: unknown;
  /** Whether no disturbance can make it. */
  readonly conclusive: boolean;
  /** What tells it from other breaches of the same rule, which are violations of their own. */
  readonly about?: string;
}

/** What is known of an answer before it is looked into. */
type Kind = Pick<Answered, 'operation' | 'reaches'> & { readonly status: number };

/** A rule for every response of a run to which it applies. */
export interface PassiveRule {
  readonly requirement: RequirementId;
  readonly expected: string;
  /** Whether it can apply to answers of this kind at all; asked once for each kind. */
  concerns(kind: Kind): boolean;
  /** Whether it applies to this answer of them; to all where absent. */
  applies?(exchange: Answered): boolean;
  breach(exchange: Answered): Breach | readonly Breach[] | undefined;
}

/** Every passive rule; what they look for is in the ledger rows that they name. */
export function passiveRules(canaries: SoughtValues, keys: SoughtKeys): readonly PassiveRule[] {
  return [
    ...statusRules,
    ...bodyRules,
    ...envelopeRules,
    ...guardrailRules,
    ...keyRules,
    ...streamRules,
    ...headerRules,
    ...secrecyRules(canaries, keys),
  ];
}

const isError = ({ status }: Kind): boolean => status >= 400;
const reachedWith = (operation: Operation, status: number) => (kind: Kind) =>
  kind.reaches === 'operation' && kind.operation === operation && kind.status === status;
const hasObject = ({ answer }: Answered): boolean => isObject(json(answer));

// ── §7: statuses ──

/** §7.3 gives these a meaning for the whole service, so that any operation may answer them. */
const generalStatuses: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, 408, 429, 500, 502, 503]);

/** Whether an operation may answer with a status: one of its own, or one that means something everywhere. */
export function isPermittedStatus(operation: Operation, status: number): boolean {
  return (operation !== 'inference' && isDocumented(operation, status)) || generalStatuses.has(status);
}

const statusRules: readonly PassiveRule[] = (['vault-delete', 'guardrail-read', 'key-info'] as const).map(
  (operation) => ({
    requirement: `${operation}.status-documented`,
    expected: 'a status that the document names for the operation',
    concerns: (kind: Kind) => kind.reaches === 'operation' && kind.operation === operation,
    breach: ({ answer }) =>
      isPermittedStatus(operation, answer.status)
        ? undefined
        : { message: `the status ${answer.status} is not documented`, conclusive: false },
  }),
);

// ── §2.4: the error envelope ──

const bodyRules: readonly PassiveRule[] = [
  {
    requirement: 'envelope.json-object',
    expected: 'a JSON object',
    concerns: isError,
    // One that may not have reached the route is judged only where it is JSON.
    applies: ({ reaches, answer }) =>
      explainUnread(answer) === undefined && (reaches === 'operation' || json(answer) !== undefined),
    breach: ({ answer }) => {
      const body = json(answer);
      if (isObject(body)) return undefined;
      // Something that is no JSON may be an edge's page; JSON of another kind is the service's own.
      return body === undefined
        ? { message: `the body is no JSON${answer.text === '' ? ' but empty' : ''}`, conclusive: false }
        : { message: 'the body is JSON but no object', got: body, conclusive: true };
    },
  },
  {
    requirement: 'envelope.media-type',
    expected: 'a JSON media type',
    concerns: (kind) => kind.reaches === 'operation' && isError(kind),
    applies: hasObject,
    breach: ({ answer }) =>
      isJsonMediaType(answer)
        ? undefined
        : { message: `the media type is ${header(answer, 'content-type') ?? 'absent'}`, conclusive: false },
  },
];

const envelopeRules: readonly PassiveRule[] = [
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
    applies: ({ answer }) => Number.isInteger(codeOf(answer)),
    breach: ({ answer }) =>
      codeOf(answer) === answer.status
        ? undefined
        : {
            message: `error.code is ${asText(codeOf(answer))} while the status is ${answer.status}`,
            conclusive: true,
          },
  },
];

function codeOf(answer: Answer): unknown {
  const body = json(answer);
  const error = isObject(body) ? body.error : undefined;
  return isObject(error) ? error.code : undefined;
}

function envelopeRule(requirement: RequirementId, path: readonly string[], expected: string): PassiveRule {
  return {
    requirement,
    expected,
    concerns: isError,
    applies: hasObject,
    breach: ({ answer }) =>
      schemaBreach('ErrorEnvelope', json(answer), (fault) => samePath(fault.path, path)),
  };
}

// ── §2.1: the guardrail ──

const guardrailFields = [
  'id',
  'workspace_id',
  'name',
  'description',
  'allowed_models',
  'allowed_providers',
  'ignored_models',
  'ignored_providers',
  'limit_usd',
  'reset_interval',
  'include_byok_in_budgets',
  'enforce_zdr',
  'enable_free_model_publication',
  'enable_free_model_training',
  'enable_paid_model_training',
  'content_filter_builtins',
  'created_at',
  'updated_at',
] as const;

// A name of a vendor has no underscore in it: what has one is a member that the document does not know.
const vendorField = /^enforce_zdr_([a-z0-9-]{1,64})$/i;
const vendorsKnown = 4;

const guardrailRules: readonly PassiveRule[] = [
  dataRule('guardrail-read.200.data', 'guardrail-read'),
  ...guardrailFields.map((field) =>
    fieldRule(
      `guardrail-read.field.${field}`,
      'guardrail-read',
      'GuardrailResponse',
      (name) => name === field,
    ),
  ),
  fieldRule('guardrail-read.field.enforce_zdr_vendor', 'guardrail-read', 'GuardrailResponse', (name) =>
    name.startsWith('enforce_zdr_'),
  ),
  vendorRule('guardrail-read.field.enforce_zdr_vendor-case', 'a vendor in lower case', (vendors) => {
    const wrong = vendors.find((vendor) => vendor !== vendor.toLowerCase());
    return wrong && `data.enforce_zdr_${wrong} is not in lower case`;
  }),
  vendorRule('guardrail-read.field.enforce_zdr_vendor-count', 'four vendors at most', (vendors) => {
    const { length } = vendors.filter((vendor) => vendor.toLowerCase() !== 'other');
    return length > vendorsKnown ? `${length} vendors have a field enforce_zdr_<vendor>` : undefined;
  }),
];

/** Judges the vendors of which the guardrail says whether data are retained; another member that begins so is none. */
function vendorRule(
  requirement: RequirementId,
  expected: string,
  wrong: (vendors: readonly string[]) => string | undefined,
): PassiveRule {
  return {
    requirement,
    expected,
    concerns: reachedWith('guardrail-read', 200),
    applies: ({ answer }) => hasData(answer),
    breach: (exchange) => {
      const vendors = Object.entries(dataOf(exchange)).flatMap(([name, value]) =>
        typeof value === 'boolean' ? (vendorField.exec(name)?.[1] ?? []) : [],
      );
      const message = wrong(vendors);
      return message === undefined ? undefined : { message, aspect: expected, conclusive: true };
    },
  };
}

// ── §2.2: key information ──

const keyFields = [
  'label',
  'limit',
  'limit_reset',
  'limit_remaining',
  'include_byok_in_limit',
  'usage',
  'usage_daily',
  'usage_weekly',
  'usage_monthly',
  'byok_usage',
  'byok_usage_daily',
  'byok_usage_weekly',
  'byok_usage_monthly',
  'is_free_tier',
] as const;

const keyRules: readonly PassiveRule[] = [
  dataRule('key-info.200.data', 'key-info'),
  ...keyFields.map((field) => keyFieldRule(`key-info.field.${field}`, field)),
  keyFieldRule('key-info.field.rate_limit-type', 'rate_limit'),
  {
    requirement: 'key-info.field-presence',
    expected: 'every field of §2.2 but rate_limit',
    concerns: reachedWith('key-info', 200),
    applies: ({ answer }) => hasData(answer),
    breach: (exchange) => {
      const data = dataOf(exchange);
      return keyFields
        .filter((field) => !(field in data))
        .map((field) => ({ message: `data.${field} is missing`, conclusive: true, about: field }));
    },
  },
];

/** Judges the type of a field that is there; whether it has to be is a rule of its own. */
function keyFieldRule(requirement: RequirementId, field: string): PassiveRule {
  const rule = fieldRule(requirement, 'key-info', 'KeyInformationResponse', (name) => name === field);
  return { ...rule, breach: (exchange) => (field in dataOf(exchange) ? rule.breach(exchange) : undefined) };
}

function dataRule(requirement: RequirementId, operation: Operation): PassiveRule {
  return {
    requirement,
    expected: 'a JSON object whose data member is an object',
    concerns: reachedWith(operation, 200),
    // What goes on beyond what is read of it may be JSON or not.
    applies: ({ answer }) => explainUnread(answer) === undefined,
    breach: ({ answer }) => {
      const body = json(answer);
      if (body === undefined) return { message: 'the body is no JSON', conclusive: false };
      if (!isObject(body) || !isObject(body.data))
        return {
          message: 'the body has no data object',
          got: isObject(body) ? body.data : body,
          conclusive: true,
        };
      const type = header(answer, 'content-type');
      return type === undefined || isJsonMediaType(answer)
        ? undefined
        : { message: `the media type is ${type}`, conclusive: false };
    },
  };
}

function fieldRule(
  requirement: RequirementId,
  operation: Operation,
  schema: ContractSchema,
  isField: (name: string) => boolean,
): PassiveRule {
  const section = operation === 'key-info' ? '2.2' : '2.1';
  return {
    requirement,
    expected: `what §${section} says of the field`,
    concerns: reachedWith(operation, 200),
    applies: ({ answer }) => hasData(answer),
    breach: ({ answer }) => {
      const concerns = ({ path }: SchemaFault) => path[0] === 'data' && isField(path[1] ?? '');
      const fault = faultsOf(schema, json(answer)).find(concerns);
      return fault && { ...breachOf(fault), expected: `${fault.expected} (§${section})` };
    },
  };
}

function hasData(answer: Answer): boolean {
  const body = json(answer);
  return isObject(body) && isObject(body.data);
}

// ── §6: the in-band error event ──

/** The in-band error of an answer. */
function inBand({ operation, answer }: Answered): unknown {
  return operation === 'inference' ? findErrorChunkOnce(answer) : undefined;
}

const streamRules: readonly PassiveRule[] = (
  [
    ['stream-error.id', ['id'], 'a string'],
    ['stream-error.object', ['object'], 'chat.completion.chunk'],
    ['stream-error.created', ['created'], 'an integer'],
    ['stream-error.model', ['model'], 'a string'],
    ['stream-error.provider', ['provider'], 'a string'],
    ['stream-error.error', ['error'], 'an object'],
    ['stream-error.error.code', ['error', 'code'], 'an integer'],
    ['stream-error.error.message', ['error', 'message'], 'a string'],
    ['stream-error.choices', ['choices'], 'an array of one object'],
    ['stream-error.choices.index', ['choices', '0', 'index'], 'an integer'],
    ['stream-error.choices.delta', ['choices', '0', 'delta'], 'an object whose content is a string'],
    ['stream-error.choices.finish_reason', ['choices', '0', 'finish_reason'], 'error'],
  ] as const
).map(([requirement, path, expected]) => ({
  requirement,
  expected,
  concerns: ({ operation }: Kind) => operation === 'inference',
  applies: (exchange: Answered) => inBand(exchange) !== undefined,
  breach: (exchange) =>
    schemaBreach(
      'StreamErrorChunk',
      inBand(exchange),
      (fault) => samePath(fault.path, path) || within(fault.path, path),
    ),
}));

// A choice that is no object, or a content of the wrong type, belongs to the nearest row above it.
function within(path: readonly string[], owner: readonly string[]): boolean {
  if (owner.length === 1) return owner[0] === 'choices' && path.length === 2 && path[0] === 'choices';
  return owner[2] === 'delta' && path.length === 4 && samePath(path.slice(0, 3), owner);
}

// ── §7.4: headers ──

const headerRules: readonly PassiveRule[] = [
  {
    requirement: 'rate-limit.success-headers',
    expected: 'no X-RateLimit header on a success',
    concerns: reachedWith('inference', 200),
    applies: (exchange) => inBand(exchange) === undefined,
    breach: ({ answer }) => {
      const found = answer.headers.find(([name]) => name.toLowerCase().startsWith('x-ratelimit-'));
      return found === undefined
        ? undefined
        : { message: `the response carries ${found[0]}`, conclusive: false };
    },
  },
  {
    requirement: 'rate-limit.retry-after-form',
    expected: 'a number of seconds or an HTTP date',
    concerns: ({ reaches }) => reaches === 'operation',
    applies: ({ answer }) => header(answer, 'retry-after') !== undefined,
    breach: ({ answer }) => {
      const wrong = headerValues(answer, 'retry-after').find((value) => !isRetryAfter(value));
      return wrong === undefined ? undefined : { message: `Retry-After is "${wrong}"`, conclusive: false };
    },
  },
];

const httpDate =
  /^(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

function isRetryAfter(value: string): boolean {
  return /^\d+$/.test(value) || httpDate.test(value);
}

// ── §1: secrecy ──

const placeNames = {
  header: 'response header',
  body: 'response body',
  'reason-phrase': 'reason phrase',
} as const;

function secrecyRules(canaries: SoughtValues, keys: SoughtKeys): readonly PassiveRule[] {
  const leaks = (['header', 'body', 'reason-phrase'] as const).map(
    (place): PassiveRule => ({
      requirement: `secrecy.${place}`,
      expected: 'no value of a stored secret',
      concerns: () => true,
      applies: () => canaries.stored,
      breach: ({ answer }) =>
        canaries.leak(answer) === place
          ? { message: `a ${placeNames[place]} holds the value of a stored secret`, conclusive: true }
          : undefined,
    }),
  );
  return [
    ...leaks,
    {
      requirement: 'secrecy.key-echo',
      expected: 'no key in the response',
      concerns: () => true,
      applies: (exchange) => keyOf(exchange) !== undefined,
      breach: (exchange) =>
        repeats(exchange.answer, keyOf(exchange) ?? '')
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

function keyOf({ request }: Answered): string | undefined {
  const key = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1].split(' ')[1];
  return key === undefined || key.length < shortestKey ? undefined : key;
}

function repeats(answer: Answer, key: string): boolean {
  const fields = [...answer.headers, ...(answer.trailers ?? [])];
  return [answer.text, answer.reasonPhrase ?? '', ...fields.map(([, value]) => value)].some((text) =>
    text.includes(key),
  );
}

// ── schemas ──

const faultsByValue = new WeakMap<object, Map<ContractSchema, readonly SchemaFault[]>>();

/** Validates once per body, although every field has a rule of its own. */
function faultsOf(schema: ContractSchema, value: unknown): readonly SchemaFault[] {
  if (typeof value !== 'object' || value === null) return contractFaults(schema, value);
  const known = faultsByValue.get(value) ?? new Map<ContractSchema, readonly SchemaFault[]>();
  faultsByValue.set(value, known);
  const faults = known.get(schema) ?? contractFaults(schema, value);
  known.set(schema, faults);
  return faults;
}

function schemaBreach(
  schema: ContractSchema,
  value: unknown,
  concerns: (fault: SchemaFault) => boolean,
): Breach | undefined {
  const fault = faultsOf(schema, value).find(concerns);
  return fault && breachOf(fault);
}

function breachOf({ path, message, expected, got }: SchemaFault): Breach {
  const place = path.join('.');
  return {
    message: `${place} ${got === undefined ? message : `must be ${expected}`}`,
    aspect: `${place} ${message}`,
    got,
    conclusive: true,
  };
}

function samePath(path: readonly string[], wanted: readonly string[]): boolean {
  return path.length === wanted.length && wanted.every((step, at) => step === path[at]);
}
