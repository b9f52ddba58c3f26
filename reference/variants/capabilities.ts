import type { Capabilities } from '../capabilities.js';
import type { Variant } from '../variant.js';
import { FAULTS, type Fault, FEATURES, type Feature, ROLES, type Role } from '../vocabulary.js';

// What is an optional addition to version 1 of the protocol.
const laterRoles: readonly Role[] = ['free_large_exactly', 'free_small_second', 'expired_session'];

const laterFeatures: readonly Feature[] = ['credit', 'usage'];

const laterFaults: readonly Fault[] = [
  'provider_bad_response',
  'inference_deadline',
  'guardrail_blocks',
  'moderation_flags',
  'one_provider_limited',
];

/** Targets whose control offers less, or the same to several worlds; what they cannot arrange stays unproven, and accuses nobody. */
export const capabilitiesVariants: readonly Variant[] = [
  offerLess('no-inference', 'The target routes no inference', { inference: false }),
  offerLess('no-regional-hostname', 'The control gives no regional hostname', { regional: false }),
  { ...offerLess('no-faults', 'The control can arrange no fault', { faults: [] }), everyday: true },
  offerLess('some-faults', 'The control can arrange every other fault', {
    faults: FAULTS.filter((_fault, at) => at % 2 === 0),
  }),
  {
    ...offerLess('member-only', 'The control has keys of the role member only', { roles: ['member'] }),
    everyday: true,
  },
  offerLess('no-member-role', 'The control has no key of the role member', { roles: rolesWithout('member') }),
  offerLess('no-stored-secrets', 'The control can store no secret', { features: featuresWithout('secrets') }),
  offerLess('no-inspection', 'The control does not list what is stored', {
    features: featuresWithout('inspect'),
  }),
  offerLess('no-settings', 'The control can set neither Key information nor fields of the guardrail', {
    features: featuresWithout('key_info', 'guardrail'),
  }),
  offerLess('no-free-usage', 'The control cannot set how much of the free models was used', {
    features: featuresWithout('free_usage'),
  }),
  {
    ...omitOptional('no-additions', 'The control offers none of the optional additions', {
      roles: rolesWithout(...laterRoles),
      features: featuresWithout(...laterFeatures),
      faults: FAULTS.filter((fault) => !laterFaults.includes(fault)),
      blockedOrigin: false,
    }),
    everyday: true,
  },
  omitOptional('no-credit', 'The control does not offer credit', { features: featuresWithout('credit') }),
  {
    id: 'shared-disabled-key',
    section: '1',
    description: 'All worlds are given the same disabled key',
    everyday: true,
    mutation: {},
    capabilities: { sharedKeys: ['disabled'] },
  },
  offerLess('secrets-only', 'The control can store secrets for one member, and nothing else', {
    roles: ['member'],
    faults: [],
    features: ['secrets'],
    inference: false,
    regional: false,
    blockedOrigin: false,
  }),
];

function offerLess(id: string, description: string, capabilities: Partial<Capabilities>): Variant {
  return { ...omitOptional(id, description, capabilities), mayEnd: 'incomplete' };
}

function omitOptional(id: string, description: string, capabilities: Partial<Capabilities>): Variant {
  return { id: `offers-${id}`, section: '1', description, everyday: false, mutation: {}, capabilities };
}

function rolesWithout(...roles: readonly Role[]): readonly Role[] {
  return ROLES.filter((role) => !roles.includes(role));
}

function featuresWithout(...features: readonly Feature[]): readonly Feature[] {
  return FEATURES.filter((feature) => !features.includes(feature));
}
