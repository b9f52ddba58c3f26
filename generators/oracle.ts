import type { RequirementId } from '../spec/ledger.js';
import { type Operation, safeMethods } from '../spec/vocabulary.js';
import { classifyCredential, roleWords } from './credential.js';
import { isInOtherCase, type NamedIntern, resolveIntern } from './ids.js';
import { nameRules } from './secret-name.js';
import { type HostWord, mayBeRoutedElsewhere, type Situation } from './situation.js';

type Facts = ReturnType<typeof readFacts>;

/** Conditions as they are written in the table. */
type Condition = { readonly [Fact in keyof Facts]?: Facts[Fact] | readonly Facts[Fact][] };

/** A row of the table: the statuses that a requirement allows in situations that meet the condition. */
interface Row {
  readonly on: readonly Operation[];
  /** Each fact that the condition names, with the values that it may have. */
  readonly conditions: readonly (readonly [fact: keyof Facts, values: readonly unknown[]])[];
  readonly statuses: readonly number[];
  /** The requirement; its row of the ledger names the section. */
  readonly requirement: RequirementId;
  /** The reason in words; `{as}` stands for the credential, `{name}` for the class of the name. */
  readonly because: string;
  /** The statuses are allowed, but getting one of them does not pass the requirement. */
  readonly decidesNothing?: true;
  /** The stream starts with the status and must then end with an error event (§6). */
  readonly breaksOff?: true;
}

/** A rule that applies to a situation: the statuses that it allows, and the requirement that says so. */
export type Rule = Pick<Row, 'requirement' | 'statuses' | 'because' | 'decidesNothing' | 'breaksOff'>;

function row(
  on: Operation | readonly Operation[],
  when: Condition,
  statuses: number | readonly number[],
  requirement: RequirementId,
  because: string,
): Row {
  const conditions = Object.entries(when).map(
    ([fact, values]) => [fact as keyof Facts, [values].flat()] as const,
  );
  return { on: [on].flat(), conditions, statuses: [statuses].flat(), requirement, because };
}

const open = (...of: Parameters<typeof row>): Row => ({ ...row(...of), decidesNothing: true });

// The operations in the order of the document (§4.1 to §4.3); inference is the subject of §6 to §8.
const [vault, guardrail, key, infers] = ['vault-delete', 'guardrail-read', 'key-info', 'inference'] as const;
const reads = [guardrail, key] as const;
const every = [vault, ...reads, infers] as const;

// Hostnames compare without regard to case and port.
const spelledRegional: readonly HostWord[] = ['regional-upper', 'regional-mixed', 'regional-port'];
const ofWorkspace: readonly NamedIntern[] = ['own', 'sibling'];
// A malformed name or id does not exist either, but is refused as malformed.
const wellFormed = { intern: ofWorkspace, breaks: 'nothing' } as const;
const unprintable = ['beyond-ascii', 'before-a-byte-beyond-ascii', 'before-a-tab'] as const;
// A provisioning key may be a management key too.
const ordinary = roleWords.filter((role) => role !== 'management' && role !== 'provisioning');

/** Every reason to refuse. If several apply to a situation, the first is reported. */
// biome-ignore format: a row a line, to be held against the document
export const refusals: readonly Row[] = [
  row(every, { as: 'disabled' }, 401, 'auth.disabled-key', 'the key is disabled'),
  row(every, { as: 'expired_session' }, 401, 'auth.oauth-session', 'the OAuth session has expired'),
  row(vault, { as: 'provisioning' }, 401, 'vault-delete.401.provisioning-key', 'a provisioning key cannot call the vault'),
  row(vault, { as: 'unscoped' }, 403, 'vault-delete.403.no-scope', 'the key has no usable workspace scope'),
  row(vault, { as: 'outsider' }, 404, 'vault-delete.404.outside-programme', 'the caller is outside the intern programme'),
  row(vault, { as: 'write_disabled' }, 503, 'vault-delete.503.writes-disabled', 'vault writes are disabled for the caller'),
  row(every, { credential: 'other-scheme' }, 401, 'auth.malformed-header', 'the scheme is not Bearer: {as}'),
  row(every, { credential: 'malformed' }, 401, 'auth.malformed-header', 'the Authorization header is malformed: {as}'),
  row(every, { credential: 'altered' }, 401, 'auth.altered-key', 'the key is altered: {as}'),
  row(vault, { credential: 'unknown' }, 401, 'vault-delete.401.unknown-key', 'no such key was issued'),
  row([...reads, infers], { credential: 'unknown' }, 401, 'auth.unknown-key', 'no such key was issued'),
  row(vault, { credential: 'missing' }, 401, 'vault-delete.401.missing-key', 'no key is sent'),
  row(guardrail, { credential: 'missing' }, 401, 'guardrail-read.401.missing-key', 'no key is sent'),
  row([key, infers], { credential: 'missing' }, 401, 'auth.missing-key', 'no key is sent'),
  // An ordinary key is refused; with which status is not stated.
  row(guardrail, { as: ordinary }, [401, 403, 404], 'guardrail-read.management-key-only', 'the key is not a management key'),

  row(vault, { host: 'regional' }, 403, 'vault-delete.403.regional-host', 'the hostname is regional'),
  row(vault, { host: spelledRegional }, 403, 'vault-delete.403.regional-host-spelling', 'the hostname is regional'),

  row(vault, { intern: 'malformed' }, 400, 'vault-delete.400.intern-id', 'the internId is not a UUID'),
  ...nameRules.map((rule) => row(vault, { breaks: rule }, 400, rule, 'the name breaks the rules of §2.3: {name}')),
  row(vault, { intern: 'foreign' }, 404, 'vault-delete.404.foreign-intern', 'the intern is of another workspace'),
  row(vault, { intern: ['elsewhere', 'elsewhere-spelled'] }, 404, 'vault-delete.404.other-workspace', 'the intern is not in the workspace of the key'),
  row(vault, { intern: 'unknown' }, 404, 'vault-delete.404.unknown-intern', 'there is no such intern'),
  row(vault, { ...wellFormed, stored: 'at-the-other-intern' }, 404, 'vault-delete.404.other-intern', 'the secret is stored at the other intern'),
  row(vault, { ...wellFormed, stored: 'at-the-workspace' }, 404, 'vault-delete.404.workspace-secret', 'the secret is stored at the workspace'),
  row(vault, { ...wellFormed, stored: 'at-a-foreign-intern' }, 404, 'vault-delete.404.foreign-secret', 'the secret is stored at a foreign intern'),
  row(vault, { ...wellFormed, stored: 'nowhere' }, 404, 'vault-delete.404.never-stored', 'the secret is stored nowhere'),
  row(guardrail, { id: 'unknown' }, 404, 'guardrail-read.404.unknown', 'there is no such guardrail'),
  row(guardrail, { id: ['elsewhere', 'elsewhere-spelled'] }, [403, 404], 'guardrail-read.404.other-workspace', 'the guardrail is of another workspace'),
  row(guardrail, { id: 'malformed' }, [400, 404], 'guardrail-read.404.malformed-id', 'the id is not a UUID'),

  row(infers, { as: 'overdrawn', model: 'paid' }, 402, 'credit-limit.overdrawn.paid', 'the balance of the account is negative'),
  row(infers, { as: 'overdrawn', model: 'free' }, 402, 'credit-limit.overdrawn.free', 'the balance of the account is negative'),
  // Whether a key whose limit is used up may use free models is not stated.
  row(infers, { as: 'exhausted', model: 'paid' }, 402, 'credit-limit.exhausted', 'the credit limit of the key is used up'),

  row(vault, { fault: 'vault_rate_limited' }, 429, 'vault-delete.429.rate-limited', "the vault's rate limit is reached"),
  row(vault, { fault: 'scope_lookup_failed' }, 500, 'vault-delete.500.scope-lookup', 'the scope lookup fails'),
  row(vault, { fault: 'vault_unreachable' }, 502, 'vault-delete.502.unreachable', 'the vault is unreachable'),
  row(vault, { fault: 'vault_bad_response' }, 502, 'vault-delete.502.bad-response', 'the vault answers something unexpected'),
  row(vault, { fault: 'vault_writes_disabled' }, 503, 'vault-delete.503.writes-disabled', 'vault writes are disabled'),
  row(vault, { fault: 'vault_not_configured' }, 503, 'vault-delete.503.not-configured', 'the vault is not configured'),
  row(vault, { fault: 'vault_timeout' }, 504, 'vault-delete.504.timeout', 'the vault does not answer in time'),
  row(vault, { fault: 'route_deadline' }, 408, 'vault-delete.408.timeout', 'the deadline passes'),
  row(guardrail, { fault: 'guardrail_internal_error' }, 500, 'guardrail-read.500.internal', 'the read fails inside'),
  row(infers, { fault: 'platform_rate_limited' }, 429, 'rate-limit.platform.status', 'a limit of the platform is reached'),
  row(infers, { fault: ['upstream_rate_limited', 'upstream_rate_limited_hint'] }, 429, 'rate-limit.upstream.status', 'the provider limits the request'),
  { ...row(infers, { fault: 'mid_stream_error' }, 200, 'stream-error.event', 'the stream has started before the error'), breaksOff: true },
  row(infers, { fault: 'model_down' }, 502, 'inference.502.model-down', 'the model is down'),
  row(infers, { fault: 'no_provider' }, 503, 'inference.503.no-provider', 'no provider can serve the request'),
];

/** The extras that any request may have, and why a server may refuse them (§7.1). */
// biome-ignore format: a row a line, to be held against the document
const extras = [
  ['query', 'vault-delete.400.query', row, 400, 'a query string may be refused'],
  ['body', 'vault-delete.400.body', row, 400, 'a body may be refused'],
  ['origin', 'vault-delete.400.query', row, 400, 'an origin may be blocked by CORS'],
  ['announced', 'vault-delete.400.body', open, 400, 'a body that is announced and is not there may be refused'],
  ['proxyHeaders', 'vault-delete.400.query', open, [400, 403], 'what only a proxy may set may be refused'],
] as const;

const credit = 'whether a key without credit may call this is not stated';
const kind = 'whether such a key is good for this is not stated';
const spelling = 'an id in the other case may be accepted or not';

/** What a server may ignore or refuse, and keys that may be good for an operation or not. */
// biome-ignore format: a row a line, to be held against the document
export const freedoms: readonly Row[] = [
  open(every, { credential: 'open' }, 401, 'auth.bearer', 'the document shows one spelling of the header'),
  open(every, { as: unprintable }, 400, 'auth.altered-key', 'a header may have to be printable ASCII'),
  ...extras.flatMap(([fact, ofVault, make, statuses, because]) => [
    make(vault, { [fact]: true }, statuses, ofVault, because),
    make(guardrail, { [fact]: true }, statuses, 'guardrail-read.200.query-and-body', because),
    make(key, { [fact]: true }, statuses, 'key-info.200.no-parameters', because),
    // The document does not define the body and the query of an inference request.
    make(infers, { [fact]: true }, statuses, 'inference.routed', because),
  ]),
  open(vault, { as: ['exhausted', 'overdrawn'] }, 402, 'vault-delete.204.deleted', credit),
  open(guardrail, { as: ['exhausted', 'overdrawn'] }, 402, 'guardrail-read.200.read', credit),
  open(key, { as: ['exhausted', 'overdrawn'] }, 402, 'key-info.200.read', credit),
  // A balance of zero may be too little for a paid model.
  open(infers, { as: ['exhausted', 'overdrawn', 'free_small'] }, 402, 'inference.routed', credit),
  open(vault, { as: 'management' }, [401, 403, 404], 'vault-delete.204.deleted', kind),
  open(guardrail, { as: 'provisioning' }, [401, 403, 404], 'guardrail-read.200.read', kind),
  open(key, { as: ['management', 'provisioning'] }, [401, 403, 404], 'key-info.200.read', kind),
  open(infers, { as: ['management', 'provisioning', 'unscoped'] }, [401, 403, 404], 'inference.routed', kind),
  open(vault, { isInOtherCase: true }, 400, 'vault-delete.400.intern-id', spelling),
  open(vault, { isInOtherCase: true }, 404, 'vault-delete.404.unknown-intern', spelling),
  open(guardrail, { isInOtherCase: true }, [400, 404], 'guardrail-read.404.malformed-id', spelling),
];

const plainly = 'nothing is wrong with the request';

/** The successes that are due if nothing is wrong: the first that applies. */
// biome-ignore format: a row a line, to be held against the document
export const successes: readonly Row[] = [
  row(vault, { host: 'global-spelled' }, 204, 'auth.host-spelling', 'the global hostname is written in upper case'),
  row(reads, { host: 'global-spelled' }, 200, 'auth.host-spelling', 'the global hostname is written in upper case'),
  row(vault, { query: true }, 204, 'vault-delete.400.query', plainly),
  row(vault, { body: true }, 204, 'vault-delete.400.body', plainly),
  row(vault, {}, 204, 'vault-delete.204.deleted', plainly),
  row(guardrail, { query: true }, 200, 'guardrail-read.200.query-and-body', plainly),
  row(guardrail, { body: true }, 200, 'guardrail-read.200.query-and-body', plainly),
  row(guardrail, {}, 200, 'guardrail-read.200.read', plainly),
  row(key, { query: true }, 200, 'key-info.200.no-parameters', plainly),
  row(key, { body: true }, 200, 'key-info.200.no-parameters', plainly),
  row(key, {}, 200, 'key-info.200.read', plainly),
  row(infers, {}, 200, 'inference.routed', plainly),
];

// ── Reading the table ──

/** What the document allows in a situation. */
export interface Answers {
  /** Every status allowed, with the rule that allows it; never empty. */
  readonly allowed: ReadonlyMap<number, Rule>;
  /** The rule that any other status violates: the first reason to refuse, or the plain success. */
  readonly due: Rule;
  /** Whether a success is allowed. */
  readonly maySucceed: boolean;
  /** The request may reach no route, or another one: no status is wrong, and `allowed` is for the route itself. */
  readonly isAnyAllowed: boolean;
}

/**
 * Returns what the document allows a server to answer. With one thing wrong, that is the status that the document states;
 * with several, any of theirs, since no precedence is stated; with nothing wrong, the success. Anything that a server may
 * ignore or refuse adds the status of its refusal. Only two requests together can show what a caller without a known key
 * learns about what exists; the check of `auth.no-existence-oracle` compares them.
 */
export function consultOracle(situation: Situation): Answers {
  const facts = readFacts(situation);
  const [wrong = [], free = [], [success] = []] = tables[situation.operation].map((rows) =>
    rows
      .filter(({ conditions }) => conditions.every(([fact, values]) => values.includes(facts[fact])))
      .map((row) => addWords(row, situation)),
  );
  if (success === undefined) throw new Error(`${situation.operation} has no success`);
  const [due = success, ...others] = wrong;
  // Only the scheme is wrong: a server that accepts the key serves the request.
  const mayAcceptKey = facts.credential === 'other-scheme' && wrong.length === 1;
  const accepted: readonly Rule[] = mayAcceptKey ? [{ ...success, decidesNothing: true }] : [];
  const allowed = new Map<number, Rule>();
  for (const rule of [due, ...others, ...accepted, ...free])
    for (const status of rule.statuses) if (!allowed.has(status)) allowed.set(status, rule);
  return {
    allowed,
    due,
    maySucceed: success.statuses.some((status) => allowed.has(status)),
    isAnyAllowed: mayBeRoutedElsewhere(situation),
  };
}

const selectRows = (operation: Operation) =>
  [refusals, freedoms, successes].map((table) => table.filter(({ on }) => on.includes(operation)));
const tables = {
  [vault]: selectRows(vault),
  [guardrail]: selectRows(guardrail),
  [key]: selectRows(key),
  [infers]: selectRows(infers),
};

/** Puts the words of a situation into the reason of a row. */
function addWords(row: Row, situation: Situation): Rule {
  if (!row.because.includes('{')) return row;
  const word = 'name' in situation ? situation.name.class : '';
  return { ...row, because: row.because.replace('{as}', situation.as).replace('{name}', word) };
}

/** Reads the facts that the conditions of the table use. */
function readFacts(situation: Situation) {
  const { as, host, query, body, headers } = situation;
  const vault = situation.operation === 'vault-delete' ? situation : undefined;
  const { intern, name } = vault ?? {};
  const id = situation.operation === 'guardrail-read' ? situation.id : undefined;
  const named = intern ?? id;
  // How a router treats an ambiguous name is not stated.
  const isIllegal = name !== undefined && !('text' in name) && name.class !== 'routing-ambiguous';
  const breaks: RequirementId | 'nothing' = isIllegal ? name.rule : 'nothing';
  return {
    as,
    credential: classifyCredential(as),
    host,
    query: query !== undefined,
    body: body !== undefined,
    origin: headers?.Origin !== undefined,
    // Also where the body follows.
    announced: headers?.['Content-Type'] !== undefined,
    proxyHeaders: headers?.['X-Forwarded-Host'] !== undefined,
    intern: intern && (resolveIntern(intern) ?? intern),
    isInOtherCase: named && isInOtherCase(named),
    breaks,
    stored: vault?.stored,
    id,
    model: situation.operation === 'inference' ? situation.model : undefined,
    fault: 'fault' in situation ? situation.fault : undefined,
  };
}

/**
 * Lists every requirement that the oracle can name for an operation, that of the plain success first.
 *
 * @param within the values to which some facts are limited; all others can have any value
 */
export function listRequirements(
  operation: Operation,
  within: Condition = {},
): readonly [RequirementId, ...RequirementId[]] {
  const named = tables[operation]
    .flat()
    .filter(({ conditions }) =>
      conditions.every(([fact, values]) =>
        [within[fact] ?? values].flat().some((value) => values.includes(value)),
      ),
    );
  const [plain = 'inference.routed'] = named.flatMap(({ conditions, requirement }) =>
    conditions.length === 0 ? [requirement] : [],
  );
  // A stream that should break off may be refused instead.
  const streams: readonly RequirementId[] = operation === 'inference' ? ['stream-error.status'] : [];
  const others = new Set([...named.map(({ requirement }) => requirement), ...streams]);
  others.delete(plain);
  return [plain, ...others];
}

/** What can have happened to the secret that a delete names. */
export type SecretFate = 'gone' | 'kept' | 'either';

/**
 * Returns what can have happened to a stored secret after an answer. A refusal keeps it; after a timeout, either is
 * possible (§7.1). A method that HTTP calls safe always keeps it; another route may do anything.
 */
export function predictFate(situation: Situation, status: number): SecretFate {
  if (situation.operation !== 'vault-delete') return 'kept';
  if (situation.method !== undefined && safeMethods.includes(situation.method)) return 'kept';
  if (mayBeRoutedElsewhere(situation)) return 'either';
  if (status === 204) return 'gone';
  return [408, 502, 504].includes(status) ? 'either' : 'kept';
}
