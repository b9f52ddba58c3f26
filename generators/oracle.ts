import type { RequirementId } from '../spec/ledger.js';
import { type Fault, type Operation, safeMethods } from '../spec/vocabulary.js';
import type { CredentialWord } from './credential.js';
import {
  type GuardrailSituation,
  type InferenceSituation,
  internNamed,
  isOpen,
  isOtherScheme,
  isSpelled,
  isSpoilt,
  mayBeRoutedElsewhere,
  type NamedIntern,
  type Situation,
  type StoredPlace,
  type VaultSituation,
} from './situation.js';

/** A rule that a situation meets: the statuses it allows, and the row of the ledger that says so. */
interface Rule {
  readonly requirement: RequirementId;
  readonly statuses: readonly number[];
  /** Why, in words. */
  readonly because: string;
  /** It only allows: an answer by it proves nothing of the requirement. */
  readonly isOpen?: true;
}

/** What the document allows in a situation. */
export interface Answers {
  /** Every status allowed, with the rule that allows it; never empty. */
  readonly allowed: ReadonlyMap<number, Rule>;
  /** The rule that decides where the answer is none of them: the first thing wrong, or the plain success. */
  readonly due: Rule;
  /** Whether a success is among what is allowed. */
  readonly maySucceed: boolean;
  /** The request may reach no route, or another: no status is wrong, and `allowed` is what the route itself may answer. */
  readonly isAnyAllowed: boolean;
}

/** What may have become of the secret that a delete named. */
export type SecretFate = 'gone' | 'kept' | 'either';

/**
 * What the document allows a server to answer. One thing wrong: the status it states. Several: any of theirs, since no
 * precedence is stated. Nothing wrong: the success. What may be ignored or refused adds its refusal to either. That an
 * absent secret or intern is not told from one that is there without a known key takes two requests to see: a check of
 * its own compares them.
 */
export function oracle(situation: Situation): Answers {
  const wrong = wrongRules(situation);
  const open = openRules(situation);
  const success = successRule(situation);
  const must = wrong.length === 0 ? [success] : wrong;
  // Nothing but the scheme is wrong: a server that takes the key from it serves the request.
  const taken: readonly Rule[] =
    isOtherScheme(situation.as) && wrong.length === 1 ? [{ ...success, isOpen: true }] : [];
  const allowed = new Map<number, Rule>();
  for (const rule of [...must, ...taken, ...open]) {
    for (const status of rule.statuses) if (!allowed.has(status)) allowed.set(status, rule);
  }
  return {
    allowed,
    due: must[0] ?? success,
    maySucceed: success.statuses.some((status) => allowed.has(status)),
    isAnyAllowed: mayBeRoutedElsewhere(situation),
  };
}

/**
 * What may have become of a stored secret after an answer: a refusal keeps it, an answer that came too late may not
 * (§7.1). A method that HTTP calls safe keeps it whatever it is answered; another route may do anything.
 */
export function fateAfter(situation: Situation, status: number): SecretFate {
  if (situation.operation !== 'vault-delete') return 'kept';
  if (situation.method !== undefined && safeMethods.includes(situation.method)) return 'kept';
  if (mayBeRoutedElsewhere(situation)) return 'either';
  if (status === 204) return 'gone';
  return [408, 502, 504].includes(status) ? 'either' : 'kept';
}

// ── What is wrong, operation by operation ──

function wrongRules(situation: Situation): readonly Rule[] {
  switch (situation.operation) {
    case 'vault-delete':
      return [
        ...vaultKey(situation),
        ...vaultHost(situation),
        ...vaultPath(situation),
        ...faultRules(situation.fault, vaultFaultRow),
      ];
    case 'guardrail-read':
      return [
        ...guardrailKey(situation),
        ...guardrailPath(situation),
        ...faultRules(situation.fault, guardrailFaultRow),
      ];
    case 'key-info':
      return unknownKey(situation);
    case 'inference':
      return [
        ...unknownKey(situation),
        ...withoutCredit(situation),
        ...faultRules(situation.fault, inferenceFaultRow),
      ];
  }
}

/** §5.2, §7.3: no known key, or one that is disabled. */
function unknownKey({ as, operation }: Situation): readonly Rule[] {
  if (as === 'disabled') return [rule('auth.disabled-key', 'the key is disabled', 401)];
  if (isOtherScheme(as)) return [rule('auth.malformed-header', `the header gives a key as ${as}`, 401)];
  if (!isSpoilt(as)) return [];
  return [rule(credentialRow(as, operation), `the header is ${as}`, 401)];
}

/** §4.1, §5.4, §7.1. */
function vaultKey(situation: VaultSituation): readonly Rule[] {
  const rows: Partial<Record<CredentialWord, Rule>> = {
    provisioning: rule('vault-delete.401.provisioning-key', 'a provisioning key cannot call the vault', 401),
    unscoped: rule('vault-delete.403.no-scope', 'the key has no usable workspace scope', 403),
    outsider: rule('vault-delete.404.outside-programme', 'the caller is outside the intern programme', 404),
    write_disabled: rule('vault-delete.503.writes-disabled', 'vault writes are disabled for the caller', 503),
  };
  const row = rows[situation.as];
  return row === undefined ? unknownKey(situation) : [row];
}

/** §4.1, §5.5: a host name compares without regard to case and port. */
function vaultHost({ host }: VaultSituation): readonly Rule[] {
  if (host === 'regional') return [rule('vault-delete.403.regional-host', 'the hostname is regional', 403)];
  if (host === 'regional-upper' || host === 'regional-mixed' || host === 'regional-port') {
    return [rule('vault-delete.403.regional-host-spelling', 'the hostname is regional', 403)];
  }
  return [];
}

/** §2.3, §4.1, §7.1: the path must be well-formed; the intern must be of the workspace; it must hold the secret. */
function vaultPath({ intern, name, stored }: VaultSituation): readonly Rule[] {
  const broken: readonly Rule[] = [
    ...(intern === 'malformed' ? [rule('vault-delete.400.intern-id', 'the internId is no UUID', 400)] : []),
    ...(isIllegal(name) ? [rule(name.rule, `the name is no name: ${name.class}`, 400)] : []),
    ...strangeIntern(intern),
  ];
  // Something malformed does not exist either, and is refused as malformed all the same.
  if (broken.length > 0 || stored === 'there') return broken;
  return [rule(absentRow[stored], `the secret is stored ${stored.replaceAll('-', ' ')}`, 404)];
}

/** What routing makes of a name that it may take apart is not stated; only the others are 400 for certain. */
function isIllegal(name: VaultSituation['name']): boolean {
  return !('text' in name) && name.class !== 'routing-ambiguous';
}

function strangeIntern(intern: NamedIntern): readonly Rule[] {
  if (internNamed(intern) === 'foreign')
    return [rule('vault-delete.404.foreign-intern', 'the intern is of another workspace', 404)];
  if (intern === 'elsewhere')
    return [rule('vault-delete.404.other-workspace', 'the intern is not in the workspace of the key', 404)];
  return intern === 'unknown'
    ? [rule('vault-delete.404.unknown-intern', 'there is no such intern', 404)]
    : [];
}

const absentRow: Readonly<Record<Exclude<StoredPlace, 'there'>, RequirementId>> = {
  'at-the-other-intern': 'vault-delete.404.other-intern',
  'at-the-workspace': 'vault-delete.404.workspace-secret',
  'at-a-foreign-intern': 'vault-delete.404.foreign-secret',
  nowhere: 'vault-delete.404.never-stored',
};

/** §4.2, §5.3: a management key is needed; what another key gets is not stated beyond a refusal. */
function guardrailKey(situation: GuardrailSituation): readonly Rule[] {
  const { as } = situation;
  // Whether a provisioning key can be a management key too is open.
  if (as === 'management' || as === 'provisioning' || isOpen(as)) return [];
  if (isSpoilt(as) || isOtherScheme(as)) return unknownKey(situation);
  const ordinary = rule('guardrail-read.management-key-only', 'the key is no management key', 401, 403, 404);
  return [...unknownKey(situation), ordinary];
}

/** §4.2, §7.2. */
function guardrailPath({ id }: GuardrailSituation): readonly Rule[] {
  if (id === 'unknown') return [rule('guardrail-read.404.unknown', 'there is no such guardrail', 404)];
  if (id === 'elsewhere' || id === 'elsewhere-spelled') {
    const because = 'the guardrail is of another workspace';
    return [rule('guardrail-read.404.other-workspace', because, 403, 404)];
  }
  return id === 'malformed' ? [rule('guardrail-read.404.malformed-id', 'the id is no UUID', 400, 404)] : [];
}

/** §7.1, §7.2: what a back end in trouble is answered with. */
function faultRules(fault: Fault | undefined, rows: Partial<Record<Fault, Rule>>): readonly Rule[] {
  const row = fault === undefined ? undefined : rows[fault];
  return row === undefined ? [] : [row];
}

const vaultFaultRow: Partial<Record<Fault, Rule>> = {
  vault_rate_limited: rule('vault-delete.429.rate-limited', "the vault's rate limit is reached", 429),
  scope_lookup_failed: rule('vault-delete.500.scope-lookup', 'the scope lookup fails', 500),
  vault_unreachable: rule('vault-delete.502.unreachable', 'the vault is unreachable', 502),
  vault_bad_response: rule('vault-delete.502.bad-response', 'the vault answers something unexpected', 502),
  vault_writes_disabled: rule('vault-delete.503.writes-disabled', 'vault writes are disabled', 503),
  vault_not_configured: rule('vault-delete.503.not-configured', 'the vault is not configured', 503),
  vault_timeout: rule('vault-delete.504.timeout', 'the vault does not answer in time', 504),
  route_deadline: rule('vault-delete.408.timeout', 'the deadline passes', 408),
};

const guardrailFaultRow: Partial<Record<Fault, Rule>> = {
  guardrail_internal_error: rule('guardrail-read.500.internal', 'the read fails inside', 500),
};

/** §8.1. Whether a key whose own limit is used up may use free models is not stated. */
function withoutCredit({ as, model }: InferenceSituation): readonly Rule[] {
  if (as === 'overdrawn')
    return [rule(`credit-limit.overdrawn.${model}`, 'the balance of the account is negative', 402)];
  return as === 'exhausted' && model === 'paid'
    ? [rule('credit-limit.exhausted', 'the credit limit of the key is used up', 402)]
    : [];
}

const upstreamLimit = rule('rate-limit.upstream.status', 'the provider limits the request', 429);
const inferenceFaultRow: Partial<Record<Fault, Rule>> = {
  platform_rate_limited: rule('rate-limit.platform.status', 'a limit of the platform is reached', 429),
  upstream_rate_limited: upstreamLimit,
  upstream_rate_limited_hint: upstreamLimit,
  mid_stream_error: rule('stream-error.event', 'the stream has started before the error', 200),
  model_down: rule('inference.502.model-down', 'the model is down', 502),
  no_provider: rule('inference.503.no-provider', 'no provider can serve the request', 503),
};

// ── What may be ignored or refused ──

function openRules(situation: Situation): readonly Rule[] {
  const { as, query, body, headers, operation } = situation;
  const own = ownRows[operation];
  return [
    ...(isOpen(as) ? [open('auth.bearer', 'the document shows one spelling of the header', 401)] : []),
    ...(query === undefined ? [] : [rule(own.query, 'a query string may be refused', 400)]),
    ...(body === undefined ? [] : [rule(own.body, 'a body may be refused', 400)]),
    ...(headers?.Origin === undefined ? [] : [rule(own.query, 'an origin may be blocked by CORS', 400)]),
    ...(headers?.['Content-Type'] === undefined
      ? []
      : [open(own.body, 'a body that is announced and is not there may be refused', 400)]),
    ...(headers?.['X-Forwarded-Host'] === undefined
      ? []
      : [open(own.query, 'what only a proxy may set may be refused', 400)]),
    ...openKey(situation),
    ...openId(situation),
  ];
}

/** Upper case in an id may be accepted or not. */
function openId(situation: Situation): readonly Rule[] {
  const because = 'an id in the other case may be accepted or not';
  if (situation.operation === 'guardrail-read' && isSpelled(situation.id))
    return [open('guardrail-read.404.malformed-id', because, 400, 404)];
  if (situation.operation !== 'vault-delete' || !isSpelled(situation.intern)) return [];
  return [
    open('vault-delete.400.intern-id', because, 400),
    open('vault-delete.404.unknown-intern', because, 404),
  ];
}

/** Keys whose use of an operation is not stated. */
function openKey({ as, operation }: Situation): readonly Rule[] {
  const { success } = ownRows[operation];
  const isWithoutCredit = as === 'exhausted' || as === 'overdrawn';
  // A balance of zero may be too little for a paid model.
  if (isWithoutCredit || (as === 'free_small' && operation === 'inference')) {
    return [open(success, 'whether a key without credit may call this is not stated', 402)];
  }
  const isOther =
    as === 'management'
      ? operation !== 'guardrail-read'
      : (as === 'provisioning' && operation !== 'vault-delete') ||
        (as === 'unscoped' && operation === 'inference');
  return isOther ? [open(success, 'whether such a key is good for this is not stated', 401, 403, 404)] : [];
}

// ── What is due where nothing is wrong ──

function successRule(situation: Situation): Rule {
  const { operation, host, query, body } = situation;
  const own = ownRows[operation];
  const status = operation === 'vault-delete' ? 204 : 200;
  if (host === 'global-spelled')
    return rule('auth.host-spelling', 'the global hostname is written in upper case', status);
  const requirement = query === undefined ? (body === undefined ? own.success : own.body) : own.query;
  return rule(requirement, 'nothing is wrong with the request', status);
}

interface OwnRows {
  readonly success: RequirementId;
  readonly query: RequirementId;
  readonly body: RequirementId;
}

const ownRows: Readonly<Record<Operation, OwnRows>> = {
  'vault-delete': {
    success: 'vault-delete.204.deleted',
    query: 'vault-delete.400.query',
    body: 'vault-delete.400.body',
  },
  'guardrail-read': {
    success: 'guardrail-read.200.read',
    query: 'guardrail-read.200.query-and-body',
    body: 'guardrail-read.200.query-and-body',
  },
  'key-info': {
    success: 'key-info.200.read',
    query: 'key-info.200.no-parameters',
    body: 'key-info.200.no-parameters',
  },
  // Its body and query are the target's own.
  inference: { success: 'inference.routed', query: 'inference.routed', body: 'inference.routed' },
};

/** The row that a spoilt header violates when it is let through. */
function credentialRow(as: CredentialWord, operation: Situation['operation']): RequirementId {
  switch (as) {
    case 'none':
      return missingRow[operation];
    case 'unknown':
    case 'unknown-same-shape':
    case 'undefined':
    case 'null':
      return operation === 'vault-delete' ? 'vault-delete.401.unknown-key' : 'auth.unknown-key';
    case 'extended':
    case 'truncated':
    case 'without-prefix':
    case 'last-changed':
    case 'other-case':
    case 'in-a-list':
    case 'with-a-blank':
    case 'percent-encoded':
    case 'two-swapped':
    case 'in-quotes':
    case 'in-base64':
    case 'first-half':
      return 'auth.altered-key';
    default:
      return 'auth.malformed-header';
  }
}

const missingRow = {
  'vault-delete': 'vault-delete.401.missing-key',
  'guardrail-read': 'guardrail-read.401.missing-key',
  'key-info': 'auth.missing-key',
  inference: 'auth.missing-key',
} as const;

function open(requirement: RequirementId, because: string, ...statuses: readonly number[]): Rule {
  return { requirement, because, statuses, isOpen: true };
}

function rule(requirement: RequirementId, because: string, ...statuses: readonly number[]): Rule {
  return { requirement, because, statuses };
}

const vaultRows: readonly [RequirementId, ...RequirementId[]] = [
  'vault-delete.204.deleted',
  'vault-delete.400.intern-id',
  'vault-delete.400.query',
  'vault-delete.400.body',
  'vault-delete.401.missing-key',
  'vault-delete.401.unknown-key',
  'vault-delete.401.provisioning-key',
  'vault-delete.403.no-scope',
  'vault-delete.403.regional-host',
  'vault-delete.403.regional-host-spelling',
  'vault-delete.404.never-stored',
  'vault-delete.404.other-intern',
  'vault-delete.404.workspace-secret',
  'vault-delete.404.foreign-secret',
  'vault-delete.404.foreign-intern',
  'vault-delete.404.other-workspace',
  'vault-delete.404.unknown-intern',
  'vault-delete.404.outside-programme',
  'vault-delete.408.timeout',
  'vault-delete.429.rate-limited',
  'vault-delete.500.scope-lookup',
  'vault-delete.502.unreachable',
  'vault-delete.502.bad-response',
  'vault-delete.503.writes-disabled',
  'vault-delete.503.not-configured',
  'vault-delete.504.timeout',
  'secret-name.refuses.too-long',
  'secret-name.refuses.upper-case',
  'secret-name.refuses.leading-digit',
  'secret-name.refuses.leading-underscore',
  'secret-name.refuses.trailing-underscore',
  'secret-name.refuses.double-underscore',
  'secret-name.refuses.punctuation',
  'secret-name.refuses.control-character',
  'secret-name.refuses.beyond-ascii',
  'secret-name.refuses.encoded-twice',
  'secret-name.refuses.not-utf-8',
  'auth.bearer',
  'auth.host-spelling',
  'auth.altered-key',
  'auth.malformed-header',
  'auth.disabled-key',
];

const guardrailRows: readonly [RequirementId, ...RequirementId[]] = [
  'guardrail-read.200.read',
  'guardrail-read.200.query-and-body',
  'guardrail-read.401.missing-key',
  'guardrail-read.management-key-only',
  'guardrail-read.404.unknown',
  'guardrail-read.404.malformed-id',
  'guardrail-read.404.other-workspace',
  'guardrail-read.500.internal',
  'auth.bearer',
  'auth.host-spelling',
  'auth.unknown-key',
  'auth.altered-key',
  'auth.malformed-header',
  'auth.disabled-key',
];

const keyRows: readonly [RequirementId, ...RequirementId[]] = [
  'key-info.200.read',
  'key-info.200.no-parameters',
  'auth.bearer',
  'auth.host-spelling',
  'auth.missing-key',
  'auth.unknown-key',
  'auth.altered-key',
  'auth.malformed-header',
  'auth.disabled-key',
];

const inferenceRows: readonly [RequirementId, ...RequirementId[]] = [
  'inference.routed',
  'inference.502.model-down',
  'inference.503.no-provider',
  'credit-limit.overdrawn.paid',
  'credit-limit.overdrawn.free',
  'credit-limit.exhausted',
  'rate-limit.platform.status',
  'rate-limit.upstream.status',
  'stream-error.event',
  'stream-error.status',
  'auth.bearer',
  'auth.missing-key',
  'auth.unknown-key',
  'auth.altered-key',
  'auth.malformed-header',
  'auth.disabled-key',
];

/** Every requirement that the oracle can name for an operation; a test holds the lists against it. */
export function rowsOf(operation: Situation['operation']): readonly [RequirementId, ...RequirementId[]] {
  return {
    'vault-delete': vaultRows,
    'guardrail-read': guardrailRows,
    'key-info': keyRows,
    inference: inferenceRows,
  }[operation];
}
