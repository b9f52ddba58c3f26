import { BLOCKED_ORIGIN } from './authentication.js';
import { FREE_MODEL, PAID_MODEL } from './inference.js';
import {
  FAULTS,
  type Fault,
  FEATURES,
  type Feature,
  ROLES,
  type Role,
  SCOPES,
  type Scope,
} from './vocabulary.js';

/** What the control offers; fewer than all makes a target that can arrange less. */
export interface Capabilities {
  readonly roles: readonly Role[];
  readonly faults: readonly Fault[];
  readonly features: readonly Feature[];
  /** Where secrets can be stored. */
  readonly scopes: readonly Scope[];
  /** Whether the server routes inference. */
  readonly inference: boolean;
  /** Whether the control tells the regional hostname. */
  readonly regional: boolean;
  /** Whether the control tells the origin that CORS blocks. */
  readonly blockedOrigin: boolean;
  /** The roles for which every world is given the same key; none where absent. */
  readonly sharedKeys?: readonly Role[];
}

/** Everything the control protocol knows. */
export const ALL_CAPABILITIES: Capabilities = {
  roles: ROLES,
  faults: FAULTS,
  features: FEATURES,
  scopes: SCOPES,
  inference: true,
  regional: true,
  blockedOrigin: true,
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
