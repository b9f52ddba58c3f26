import type { Refusal } from '../answer.js';
import { type Behaviour, conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import { alsoKnows } from '../mutants/credential-rule.js';
import { gate, gateStatus, noGate } from '../override.js';
import type { Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { alsoRefused, foremost } from './gate-order.js';

/** Variants of who may call: spellings of the header, and keys whose use is not stated (§5). */
export const credentialVariants: readonly Variant[] = [
  {
    id: 'bearer-strict',
    section: '5',
    description: 'Only the word Bearer, one blank and the key are taken for a key',
    override: { authenticate: keyBy(/^Bearer (\S+)$/) },
  },
  {
    id: 'bearer-lenient',
    section: '5',
    description:
      'The scheme may be in any case, blanks and tabs may be many, and the first of two keys counts',
    override: { authenticate: keyBy(/^\s*bearer\s+([^\s,]+)\s*(?:,.*)?$/i) },
  },
  {
    id: 'basic-accepted',
    section: '5',
    description: 'A key is accepted as the user name of the scheme Basic too, encoded or as it stands',
    override: alsoKnows((header, key) => {
      const given = /^Basic +(\S+)$/i.exec(header)?.[1] ?? '';
      return given === key || Buffer.from(given, 'base64').toString('latin1') === `${key}:`;
    }),
  },
  {
    id: 'any-scheme-accepted',
    section: '5',
    description: 'A key is accepted after any scheme',
    override: alsoKnows((header, key) => /^\w+ +(\S+)$/.exec(header)?.[1] === key),
  },
  {
    id: 'scheme-optional',
    section: '5',
    description: 'A key is accepted without a scheme too',
    override: alsoKnows((header, key) => header === key),
  },
  {
    id: 'scheme-loosely-parted',
    section: '5',
    description: 'A colon or nothing may part the word Bearer from the key',
    override: alsoKnows((header, key) => /^Bearer:? *(\S+)$/.exec(header)?.[1] === key),
  },
  {
    id: 'management-key-401-elsewhere',
    section: '5',
    description: 'A management key gets 401 on the vault and on the key read',
    override: managementOnly(401),
  },
  {
    id: 'management-key-403-elsewhere',
    section: '5',
    description: 'A management key gets 403 on the vault and on the key read',
    override: managementOnly(403),
  },
  {
    id: 'management-key-404-elsewhere',
    section: '5',
    description: 'A management key gets 404 on the vault and on the key read',
    override: managementOnly(404),
  },
  {
    id: 'provisioning-key-401-everywhere',
    section: '5',
    description: 'A provisioning key gets 401 on every route',
    override: alsoRefused(['guardrail-read', 'key-read', 'inference'], 'authentication', ({ key }) =>
      key?.traits.kind === 'provisioning' ? { status: 401, message: 'Not with this key' } : undefined,
    ),
  },
  {
    id: 'provisioning-key-reads-guardrails',
    section: '5',
    description: 'A provisioning key is a management key too',
    override: noGate('guardrail-read', 'management-key', ({ key }) => key?.traits.kind === 'provisioning'),
  },
  {
    id: 'every-key-infers',
    section: '5',
    description: 'Management and provisioning keys may ask for inference',
    override: noGate('inference', 'inference-key'),
  },
  {
    id: 'ordinary-key-401-at-guardrail',
    section: '4.2',
    description: 'A key that is no management key gets 401 on the guardrail read',
    override: gateStatus('guardrail-read', 'management-key', 401),
  },
  {
    id: 'ordinary-key-404-at-guardrail',
    section: '4.2',
    description: 'A key that is no management key gets 404 on the guardrail read',
    override: gateStatus('guardrail-read', 'management-key', 404),
  },
  {
    id: 'disabled-key-403-at-guardrail',
    section: '4.2',
    description: 'A disabled key gets 403 on the guardrail read, for it is no management key either',
    override: foremost('management-key'),
  },
  {
    id: 'used-up-key-402-at-key-read',
    section: '8.1',
    description: 'A key whose limit is used up gets 402 on the key read',
    override: withoutCredit(['key-read'], ({ key }) => key?.traits.limitUsedUp === true),
  },
  {
    id: 'overdrawn-402-at-key-read',
    section: '8.1',
    description: 'A key of an overdrawn account gets 402 on the key read',
    override: withoutCredit(['key-read'], ({ key }) => (key?.traits.balance ?? 0) < 0),
  },
  {
    id: 'no-credit-402-everywhere',
    section: '8.1',
    description: 'A used-up key and a key of an overdrawn account get 402 on every route',
    override: withoutCredit(
      ['vault-delete', 'vault-other', 'guardrail-read', 'key-read'],
      ({ key }) => key?.traits.limitUsedUp === true || (key?.traits.balance ?? 0) < 0,
    ),
  },
  {
    id: 'used-up-key-402-on-free-models',
    section: '8.1',
    description: 'A key whose limit is used up gets 402 on free models too',
    override: gate('inference', 'key-limit', ({ key }) =>
      key?.traits.limitUsedUp === true ? NO_CREDIT : undefined,
    ),
  },
];

const NO_CREDIT: Refusal = { status: 402, message: 'Insufficient credits' };

/** The key is what the pattern finds in the header. */
function keyBy(pattern: RegExp): Behaviour['authenticate'] {
  return (authorization, store) => {
    const text = pattern.exec(authorization ?? '')?.[1];
    return text === undefined ? undefined : conforming.authenticate(`Bearer ${text}`, store);
  };
}

/** Management keys are refused on the vault and on the key read. */
function managementOnly(status: 401 | 403 | 404): Pick<Behaviour, 'gates'> {
  return alsoRefused(['vault-delete', 'vault-other', 'key-read'], 'authentication', ({ key }) =>
    key?.traits.kind === 'management' ? { status, message: 'Not with this key' } : undefined,
  );
}

function withoutCredit(
  operations: readonly Operation[],
  lacks: (call: Call) => boolean,
): Pick<Behaviour, 'gates'> {
  return alsoRefused(operations, 'account-balance', (call) => (lacks(call) ? NO_CREDIT : undefined));
}
