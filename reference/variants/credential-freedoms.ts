import type { Behaviour, Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { isLimitUsedUp } from '../inference.js';
import { alsoKnows } from '../mutants/credential-rule.js';
import { gate, gateStatus, noGate } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';
import { alsoRefused, foremost } from './gate-order.js';

/** Variants of who may call: spellings of the header, and keys whose use is not stated (§5). */
export const credentialVariants: readonly Variant[] = [
  ...makeVariants('5', {
    'bearer-strict': {
      everyday: 'Only the word Bearer, one blank and the key are taken for a key',
      override: { authenticate: keyBy(/^Bearer (\S+)$/) },
    },
    'bearer-lenient': {
      everyday:
        'The scheme may be in any case, blanks and tabs may be many, and the first of two headers counts',
      override: { authenticate: keyBy(/^\s*bearer\s+([^\s,]+)\s*(?:,\s*bearer\s.*)?$/i) },
    },
    'basic-accepted': {
      everyday: 'A key is accepted as the user name of the scheme Basic too, encoded or as it stands',
      override: alsoKnows((header, key) => {
        const given = /^Basic +(\S+)$/i.exec(header)?.[1] ?? '';
        return given === key || Buffer.from(given, 'base64').toString('latin1') === `${key}:`;
      }),
    },
    'any-scheme-accepted': {
      description: 'A key is accepted after any scheme',
      override: alsoKnows((header, key) => /^\w+ +(\S+)$/.exec(header)?.[1] === key),
    },
    'scheme-optional': {
      everyday: 'A key is accepted without a scheme too',
      override: alsoKnows((header, key) => header === key),
    },
    'scheme-loosely-parted': {
      description: 'A colon or nothing may part the word Bearer from the key',
      override: alsoKnows((header, key) => /^Bearer:? *(\S+)$/.exec(header)?.[1] === key),
    },
    'management-key-401-elsewhere': {
      description: 'A management key gets 401 on the vault and on the key read',
      override: managementOnly(401),
    },
    'management-key-403-elsewhere': {
      description: 'A management key gets 403 on the vault and on the key read',
      override: managementOnly(403),
    },
    'management-key-404-elsewhere': {
      description: 'A management key gets 404 on the vault and on the key read',
      override: managementOnly(404),
    },
    'provisioning-key-401-everywhere': {
      description: 'A provisioning key gets 401 on every route',
      override: alsoRefused(['guardrail-read', 'key-read', 'inference'], 'authentication', ({ key }) =>
        key?.traits.kind === 'provisioning' ? { status: 401, message: 'Not with this key' } : undefined,
      ),
    },
    'provisioning-key-reads-guardrails': {
      description: 'A provisioning key is a management key too',
      override: noGate('guardrail-read', 'management-key', ({ key }) => key?.traits.kind === 'provisioning'),
    },
    'every-key-infers': {
      description: 'Management and provisioning keys may ask for inference',
      override: noGate('inference', 'inference-key'),
    },
  }),
  ...makeVariants('4.2', {
    'ordinary-key-401-at-guardrail': {
      description: 'A key that is no management key gets 401 on the guardrail read',
      override: gateStatus('guardrail-read', 'management-key', 401),
    },
    'ordinary-key-404-at-guardrail': {
      everyday: 'A key that is no management key gets 404 on the guardrail read',
      override: gateStatus('guardrail-read', 'management-key', 404),
    },
    'disabled-key-403-at-guardrail': {
      description: 'A disabled key gets 403 on the guardrail read, for it is no management key either',
      override: foremost('management-key'),
    },
  }),
  ...makeVariants('8.1', {
    'used-up-key-402-at-key-read': {
      description: 'A key whose limit is used up gets 402 on the key read',
      override: withoutCredit(['key-read'], isLimitUsedUp),
    },
    'overdrawn-402-at-key-read': {
      description: 'A key of an overdrawn account gets 402 on the key read',
      override: withoutCredit(['key-read'], isInDebt),
    },
    'no-credit-402-everywhere': {
      everyday: 'A used-up key and a key of an overdrawn account get 402 on every route',
      override: withoutCredit(
        ['vault-delete', 'vault-other', 'guardrail-read', 'key-read'],
        (call) => isLimitUsedUp(call) || isInDebt(call),
      ),
    },
    'used-up-key-402-on-free-models': {
      description: 'A key whose limit is used up gets 402 on free models too',
      override: gate('inference', 'key-limit', (call) => (isLimitUsedUp(call) ? NO_CREDIT : undefined)),
    },
  }),
];

function isInDebt({ key }: Call): boolean {
  return key?.balance.isOwed === true;
}

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
