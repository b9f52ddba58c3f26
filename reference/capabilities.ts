import { BLOCKED_ORIGIN } from './authentication.js';
import { FREE_MODEL, PAID_MODEL } from './inference.js';
import { FAULTS, type Fault, FEATURES, type Feature, SCOPES, type Scope } from './vocabulary.js';
import { ROLES, type Role } from './world.js';

/** What the control offers; fewer than all makes a target that can arrange less. */
export type Capabilities = Readonly<typeof ALL_CAPABILITIES>;

/** Everything the control protocol knows. */
export const ALL_CAPABILITIES = {
  roles: ROLES,
  faults: FAULTS as readonly Fault[],
  features: FEATURES as readonly Feature[],
  /** Where secrets can be stored. */
  scopes: SCOPES as readonly Scope[],
  /** Whether the server routes inference. */
  inference: true,
  /** Whether the control protocol offers the regional hostname. */
  regional: true,
  /** Whether the control protocol offers the origin that CORS blocks. */
  blockedOrigin: true,
  /** The roles for which every world is given the same key. */
  sharedKeys: [] as readonly Role[],
};

/** What `GET {control}` answers for a server at this base URL. */
export function describeCapabilities(
  { roles, faults, features, scopes, regional, blockedOrigin, inference }: Capabilities,
  baseUrl: string,
  regionalHost: string,
) {
  const models = { free_model: FREE_MODEL, paid_model: PAID_MODEL };
  return {
    protocol: '1',
    base_url: baseUrl,
    ...(regional ? { regional_host: regionalHost } : {}),
    ...{ roles, faults, features, scopes },
    ...(blockedOrigin ? { blocked_origin: BLOCKED_ORIGIN } : {}),
    ...(inference ? { inference: { method: 'POST', path: '/chat/completions', ...models } } : {}),
  };
}
