import type {
  GuardrailSituation,
  InferenceSituation,
  KeySituation,
  Situation,
  VaultSituation,
} from '../../generators/situation.js';

// The document once more, status by status: §4, §5, §7 and where they leave freedom. It shares nothing with the
// oracle but the words of a situation.

export function allowedStatuses(situation: Situation): readonly number[] {
  return Object.entries(tableOf(situation)).flatMap(([status, isAllowed]) =>
    isAllowed ? [Number(status)] : [],
  );
}

/**
 * Whether it is open which route a request reaches: an encoded slash, a dot segment, a method that the path has not; a
 * read on a regional hostname, which §5.5 says nothing of.
 */
export function mayReachAnything(situation: Situation): boolean {
  const { operation } = situation;
  if (operation !== 'vault-delete') return situation.host.startsWith('regional');
  return 'method' in situation || situation.name.class === 'routing-ambiguous';
}

/** Whether a key is known and no longer good (§7.3). */
const isEnded = (as: Situation['as']) => as === 'disabled' || as === 'expired_session';

type Table = Readonly<Record<number, boolean>>;

function tableOf(situation: Situation): Table {
  if (situation.operation === 'vault-delete') return vaultTable(situation);
  if (situation.operation === 'guardrail-read') return guardrailTable(situation);
  return situation.operation === 'key-info' ? keyTable(situation) : inferenceTable(situation);
}

/** §4.1, §5.4, §5.5, §7.1. */
function vaultTable(facts: VaultSituation): Table {
  const { as, host, intern, stored, fault } = facts;
  const isNamed = legalClasses.has(facts.name.class);
  const isWellFormed = isNamed && intern !== 'malformed';
  const isOfWorkspace = /^(own|sibling)(-spelled)?$/.test(intern);
  // An id in the other case may be taken for the intern's, for a malformed one, or for an unknown one.
  const isInOtherCase = intern.endsWith('-spelled');
  const is = (...words: readonly string[]) => words.includes(as);
  return {
    204:
      isNamed &&
      isOfWorkspace &&
      stored === 'there' &&
      !isVaultTrouble(fault) &&
      host.startsWith('global') &&
      (is('member', 'management', 'exhausted', 'overdrawn', 'free_small', 'free_large') || mayBeTaken(as)),
    400: !isWellFormed || isInOtherCase || mayBeRefused(facts) || isBeyondAscii(as),
    401: isNoKey(as) || mayBeTaken(as) || isEnded(as) || is('provisioning', 'management'),
    402: is('exhausted', 'overdrawn'),
    403: is('unscoped', 'management') || host.startsWith('regional') || isForwarded(facts),
    404:
      is('outsider', 'management') ||
      isInOtherCase ||
      /^(?:foreign|elsewhere|unknown)/.test(intern) ||
      (isWellFormed && stored !== 'there'),
    408: fault === 'route_deadline',
    429: fault === 'vault_rate_limited',
    500: fault === 'scope_lookup_failed',
    502: fault === 'vault_unreachable' || fault === 'vault_bad_response',
    503: fault === 'vault_writes_disabled' || fault === 'vault_not_configured' || is('write_disabled'),
    504: fault === 'vault_timeout',
  };
}

/** §4.2, §5.3, §7.2. */
function guardrailTable(facts: GuardrailSituation): Table {
  const { as, id, fault } = facts;
  const mayBeManagement = as === 'management' || as === 'provisioning' || mayBeTaken(as);
  const isOrdinary = !mayBeManagement && !isNoKey(as);
  return {
    200: mayBeManagement && /^own(-spelled)?$/.test(id) && fault !== 'guardrail_internal_error',
    400: id === 'malformed' || id.endsWith('-spelled') || mayBeRefused(facts) || isBeyondAscii(as),
    401: as !== 'management',
    // §8.1: requests of a key without credit fail with 402, whatever they ask for.
    402: as === 'exhausted' || as === 'overdrawn',
    403: isOrdinary || as === 'provisioning' || id.startsWith('elsewhere') || isForwarded(facts),
    404: isOrdinary || as === 'provisioning' || id !== 'own',
    500: fault === 'guardrail_internal_error',
  };
}

/** §4.3, §5.2. */
function keyTable(facts: KeySituation): Table {
  const { as } = facts;
  const isOfAnotherKind = as === 'management' || as === 'provisioning';
  return {
    200: !isNoKey(as) && !isEnded(as),
    400: mayBeRefused(facts) || isBeyondAscii(as),
    401: isNoKey(as) || mayBeTaken(as) || isEnded(as) || isOfAnotherKind,
    402: as === 'exhausted' || as === 'overdrawn',
    403: isOfAnotherKind || isForwarded(facts),
    404: isOfAnotherKind,
  };
}

/** §6 to §8. */
function inferenceTable({ as, model, fault, stream }: InferenceSituation): Table {
  const isOfAnotherKind = as === 'management' || as === 'provisioning' || as === 'unscoped';
  const breaksOff = fault === 'mid_stream_error' && stream;
  const isWhole = fault === undefined || fault === 'mid_stream_error';
  const isInCredit = as !== 'overdrawn' && (as !== 'exhausted' || model === 'free');
  return {
    200: breaksOff || (isWhole && isInCredit && !isNoKey(as) && !isEnded(as)),
    400: isBeyondAscii(as),
    401: isNoKey(as) || mayBeTaken(as) || isEnded(as) || isOfAnotherKind,
    402: as === 'overdrawn' || as === 'exhausted' || as === 'free_small',
    403: isOfAnotherKind,
    404: isOfAnotherKind,
    429: /^(?:platform|upstream)_rate_limited/.test(fault ?? ''),
    502: fault === 'model_down',
    503: fault === 'no_provider',
  };
}

const isVaultTrouble = (fault = '') => /^(vault_|scope_lookup_failed$|route_deadline$)/.test(fault);

const legalClasses = words('shortest longest letters digits underscores');

const noKeys = words(`
  none empty scheme-only unknown unknown-same-shape unknown-long unsigned-token undefined null object-property basic-and-nothing basic-of-nobody
  extended truncated without-prefix without-prefixes last-changed other-case prefix-in-other-case two-swapped in-quotes in-base64 first-half
  after-a-word before-a-word before-a-tab in-a-list with-a-blank with-a-wildcard with-a-star with-a-quote after-letters-of-the-scheme after-a-name percent-encoded
  beyond-ascii after-another-scheme before-a-semicolon padded before-a-byte-beyond-ascii with-other-dashes
  without-dashes
`);
const isNoKey = (as: string): boolean => noKeys.has(as);

/** A header that an HTTP server may refuse by itself. */
const isBeyondAscii = (as: string): boolean => /beyond-ascii|before-a-tab/.test(as);

/** A valid key in another form than that of §5.1, which a server may accept or refuse. */
const taken = words(`
  basic basic-encoded token bearerx no-scheme digest no-blank-after-bearer colon-after-bearer
  lower-case-scheme upper-case-scheme doubled-blank doubled-header
`);
const mayBeTaken = (as: string): boolean => taken.has(as);

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Whether a client sets what only a proxy may. */
const isForwarded = ({ headers = {} }: Situation) => 'X-Forwarded-Host' in headers;

/**
 * What comes along may be ignored or refused: a query, a body or the announcement of one, an origin, what a proxy sets;
 * other headers are nobody's concern.
 */
function mayBeRefused({ query, body, headers = {} }: Situation): boolean {
  const refused = ['Origin', 'Content-Type', 'X-Forwarded-Host'];
  return query !== undefined || body !== undefined || refused.some((name) => name in headers);
}
