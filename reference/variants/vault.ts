import { setTimeout as wait } from 'node:timers/promises';
import type { Behaviour, Call, Refusal, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { isLimitUsedUp } from '../inference.js';
import { alsoAccept } from '../mutants/auth.js';
import { elseFind } from '../mutants/vault-mutations.js';
import {
  actWhenRefused,
  alsoRefuse,
  beforeSending,
  dropGate,
  editFaults,
  editGate,
  type Mutation,
  refuseAt,
  refuseFirst,
  remember,
  setGateStatus,
  type When,
} from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import { regionalHostGate } from '../vault.js';
import type { Operation } from '../vocabulary.js';
import { everyOperation } from './precedence.js';

const NO_CREDIT: Refusal = { status: 402, message: 'Insufficient credits' };
const isProvisioning: When = ({ key }) => key?.traits.kind === 'provisioning';

/** Variants of who may call: spellings of the header, and keys whose use is not stated (§5). */
export const vaultVariants: VariantRows = {
  'bearer-strict': everyday('5')('Only the word Bearer, one blank and the key are taken for a key', {
    authenticate: matchKey(/^Bearer (\S+)$/),
  }),
  'bearer-lenient': everyday('5')(
    'The scheme may be in any case, blanks and tabs may be many, and the first of two headers counts',
    { authenticate: matchKey(/^\s*bearer\s+([^\s,]+)\s*(?:,\s*bearer\s.*)?$/i) },
  ),
  'basic-accepted': everyday('5')(
    'A key is accepted as the user name of the scheme Basic too, encoded or as it stands',
    alsoAccept((header, key) => {
      const given = /^Basic +(\S+)$/i.exec(header)?.[1] ?? '';
      return given === key || Buffer.from(given, 'base64').toString('latin1') === `${key}:`;
    }),
  ),
  'scheme-optional': everyday('5')(
    'A key is accepted without a scheme too',
    alsoAccept((header, key) => header === key),
  ),
  'management-key-refused-elsewhere': permitted('5')(
    'A management key gets 401 on a vault delete, 404 on other vault routes and 403 on the key read',
    refuseManagementKey({ 'vault-delete': 401, 'vault-other': 404, 'key-read': 403 }),
  ),
  'provisioning-key-401-everywhere': permitted('5')(
    'A provisioning key gets 401 on every route',
    refuseFirst(['guardrail-read', 'key-read', 'inference'], 401, isProvisioning),
  ),
  'provisioning-key-reads-guardrails': permitted('5')(
    'A provisioning key is a management key too',
    dropGate('guardrail-read', 'management-key', isProvisioning),
  ),
  'every-key-infers': permitted('5')(
    'Management and provisioning keys may ask for inference',
    dropGate('inference', 'inference-key'),
  ),
  'regional-everywhere': everyday('5')(
    'The regional hostname is refused on every route, not the vault alone',
    everyOperation((gates) => [regionalHostGate, ...gates.filter((gate) => gate !== regionalHostGate)]),
  ),
  'regional-elsewhere-misdirected': everyday('5')(
    'On the regional hostname the guardrail read gets 404, and the key read 421 whatever the key',
    alsoRefuse(['guardrail-read', 'key-read'], (call) => {
      const refusal = regionalHostGate.refuse(call);
      return refusal && { ...refusal, status: call.operation === 'key-read' ? 421 : 404 };
    }),
  ),
  'trailing-dot-not-regional': everyday('5')(
    'A regional hostname with a trailing dot is not taken for regional',
    {
      isRegionalHost: (host, regionalHost) =>
        host?.toLowerCase().replace(/:\d*$/, '') === regionalHost.toLowerCase(),
    },
  ),
  'ordinary-key-404-at-guardrail': everyday('4.2')(
    'A key that is not a management key gets 404 on the guardrail read',
    setGateStatus('guardrail-read', 'management-key', 404),
  ),
  'malformed-guardrail-id-400': permitted('4.2')(
    'A guardrail id that is not a UUID of version 4 gets 400',
    refuseFirst('guardrail-read', 400, ({ parameters }) => !isVersion4(parameters.id ?? '')),
  ),
  'no-credit-402-everywhere': everyday('8.1')(
    'A used-up key and a key of an overdrawn account get 402 on every route',
    alsoRefuse(['vault-delete', 'vault-other', 'guardrail-read', 'key-read'], (call) =>
      isLimitUsedUp(call) || call.key?.balance.isOwed === true ? NO_CREDIT : undefined,
    ),
  ),
  'used-up-key-402-on-free-models': permitted('8.1')(
    'A key whose limit is used up gets 402 on free models too',
    editGate('inference', 'key-limit', (call) => (isLimitUsedUp(call) ? NO_CREDIT : undefined)),
  ),
  'upper-case-ids-refused': permitted('4.1')('An internId or a guardrail id in upper case gets 400', {
    isInternId: (text) => conforming.isInternId(text) && text === text.toLowerCase(),
    ...refuseAt('guardrail-read', 'guardrail-exists', 400, ({ parameters: { id = '' } }) => /[A-F]/.test(id)),
  }),
  'version-4-ids-only': everyday('4.1')('An internId that is a UUID of another version or kind gets 400', {
    isInternId: isVersion4,
  }),
  'simultaneous-deletes-both-204': permitted('4.1')(
    'Two deletes of one secret at the same time both get 204',
    {
      ...elseFind((call) => deletesUnderWay(call).get(addressOf(call))),
      removeSecret: (call, place) => {
        conforming.removeSecret(call, place);
        deletesUnderWay(call).set(addressOf(call), place);
      },
      ...beforeSending(async (_response, _answer, call) => {
        if (!deletesUnderWay(call).has(addressOf(call))) return;
        await wait(3);
        deletesUnderWay(call).delete(addressOf(call));
      }),
    },
  ),
  'vault-429-like-a-platform-limit': everyday('7.1')(
    "The vault's 429 carries X-RateLimit headers, Retry-After and error_type",
    editFaults({
      vault_rate_limited: {
        metadata: { error_type: 'rate_limit_exceeded' },
        platform: { limit: 60, freesInMs: 1000 },
        headers: { 'Retry-After': '0' },
      },
    }),
  ),
  'late-failures-delete': everyday('7.1')(
    'A delete that ends in 408, 502 or 504 has taken effect all the same',
    actWhenRefused('vault-delete', 'fault', (call, { status }) => {
      if ([408, 502, 504].includes(status)) call.behaviour.effects['vault-delete'](call);
    }),
  ),
};

/** Reads the key by a pattern, as its first group. */
function matchKey(pattern: RegExp): Behaviour['authenticate'] {
  return (authorization, store) => {
    const text = pattern.exec(authorization ?? '')?.[1];
    return text === undefined ? undefined : conforming.authenticate(`Bearer ${text}`, store);
  };
}

/** Refuses management keys on some operations, with a status for each. */
function refuseManagementKey(statuses: Readonly<Partial<Record<Operation, number>>>): Mutation {
  return alsoRefuse(Object.keys(statuses) as Operation[], ({ key, operation }) =>
    key?.traits.kind === 'management'
      ? { status: statuses[operation] ?? 401, message: 'Not with this key' }
      : undefined,
  );
}

function isVersion4(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text);
}

/** Returns the secrets of deletes that are not answered yet, by address. */
function deletesUnderWay(call: Call): Map<string, SecretPlace> {
  return remember(call, 'deletes under way', () => new Map());
}

function addressOf({ key, parameters }: Call): string {
  return `${key?.world.id} ${parameters.internId?.toLowerCase()} ${parameters.name}`;
}
