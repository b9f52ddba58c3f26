import type { Capabilities } from '../capabilities.js';
import { onRegionalHost } from '../mutants/conditions.js';
import { closeConnection } from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import { FAULTS, FEATURES, type Feature } from '../vocabulary.js';
import { ROLES } from '../world.js';

/** Targets whose control offers less, or the same to several worlds. What they cannot arrange is not exercised, and fails nothing. */
export const capabilitiesVariants: VariantRows = {
  'offers-no-inference': offerLess(permitted, 'The target routes no inference', { inference: false }),
  'offers-no-regional-hostname': offerLess(permitted, 'The control gives no regional hostname', {
    regional: false,
  }),
  'regional-hostname-dropped': everyday('5')(
    'Something in front closes every connection for the regional hostname unanswered',
    closeConnection(onRegionalHost),
    { mayEnd: 'incomplete' },
  ),
  'offers-no-faults': offerLess(everyday, 'The control can arrange no fault', { faults: [] }),
  'offers-member-only': offerLess(everyday, 'The control has keys of the role member only', {
    roles: ['member'],
  }),
  'offers-no-member-role': offerLess(permitted, 'The control has no key of the role member', {
    roles: ROLES.filter((role) => role !== 'member'),
  }),
  'offers-no-stored-secrets': offerLess(permitted, 'The control can store no secret', without('secrets')),
  'offers-no-inspection': offerLess(permitted, 'The control lists nothing stored', without('inspect')),
  'offers-no-settings': offerLess(
    permitted,
    'The control can set neither Key information nor fields of the guardrail',
    without('key_info', 'guardrail'),
  ),
  'offers-no-free-usage': offerLess(permitted, 'The control cannot set free usage', without('free_usage')),
  'offers-no-additions': offer(everyday, 'The control offers none of the optional additions', {
    // The additions come last in each list.
    roles: ROLES.slice(0, ROLES.indexOf('free_large_exactly')),
    features: FEATURES.slice(0, FEATURES.indexOf('credit')),
    faults: FAULTS.slice(0, FAULTS.indexOf('provider_bad_response')),
    blockedOrigin: false,
  }),
  'shared-keys-of-the-refused': offer(
    everyday,
    'All worlds are given the same keys of those who may not call the vault',
    { sharedKeys: ['provisioning', 'unscoped', 'outsider', 'disabled', 'expired_session'] },
  ),
  'offers-secrets-only': offerLess(
    permitted,
    'The control can store secrets for one member, and nothing else',
    {
      ...{ roles: ['member'], faults: [], features: ['secrets'] },
      ...{ inference: false, regional: false, blockedOrigin: false },
    },
  ),
};

function offer(row: typeof permitted, description: string, capabilities: Partial<Capabilities>) {
  return row('1')(description, {}, { capabilities });
}

/** Makes the same where what is not offered leaves requirements not exercised. */
function offerLess(...of: Parameters<typeof offer>) {
  return { ...offer(...of), mayEnd: 'incomplete' } as const;
}

function without(...features: readonly Feature[]): Pick<Capabilities, 'features'> {
  return { features: FEATURES.filter((feature) => !features.includes(feature)) };
}
