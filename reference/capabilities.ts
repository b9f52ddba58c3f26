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
export interface Offers {
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
export const ALL_OFFERS: Offers = {
  roles: ROLES,
  faults: FAULTS,
  features: FEATURES,
  scopes: SCOPES,
  inference: true,
  regional: true,
  blockedOrigin: true,
};

/** The inference member of Capabilities. */
const INFERENCE_CAPABILITY = {
  method: 'POST',
  path: '/chat/completions',
  free_model: FREE_MODEL,
  paid_model: PAID_MODEL,
} as const;

/** What `GET {control}` answers. */
export interface Capabilities {
  readonly protocol: '1';
  readonly base_url: string;
  readonly regional_host?: string;
  readonly roles: readonly Role[];
  readonly faults: readonly Fault[];
  readonly features: readonly Feature[];
  readonly scopes: readonly Scope[];
  readonly blocked_origin?: string;
  readonly inference?: typeof INFERENCE_CAPABILITY;
}

/** Capabilities of a server with these offers at this base URL. */
export function describeCapabilities(offers: Offers, baseUrl: string, regionalHost: string): Capabilities {
  return {
    protocol: '1',
    base_url: baseUrl,
    ...(offers.regional ? { regional_host: regionalHost } : {}),
    roles: offers.roles,
    faults: offers.faults,
    features: offers.features,
    scopes: offers.scopes,
    ...(offers.blockedOrigin ? { blocked_origin: BLOCKED_ORIGIN } : {}),
    ...(offers.inference ? { inference: INFERENCE_CAPABILITY } : {}),
  };
}
