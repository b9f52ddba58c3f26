import type { Variant } from './variant.js';
import { bodiesVariants } from './variants/bodies.js';
import { capabilitiesVariants } from './variants/capabilities.js';
import { disturbancesVariants } from './variants/disturbances.js';
import { httpVariants } from './variants/http.js';
import { inferenceVariants } from './variants/inference.js';
import { precedenceVariants } from './variants/precedence.js';
import { readsVariants } from './variants/reads.js';
import { requestsVariants } from './variants/requests.js';
import { streamsVariants } from './variants/streams.js';
import { vaultVariants } from './variants/vault.js';

/** All variants, topic by topic; those that may end incomplete come last. */
export const variants: readonly Variant[] = [
  precedenceVariants,
  requestsVariants,
  httpVariants,
  bodiesVariants,
  vaultVariants,
  readsVariants,
  inferenceVariants,
  streamsVariants,
  capabilitiesVariants,
  disturbancesVariants,
].flatMap((rows) => Object.entries(rows).map(([id, row]) => ({ id, ...row })));
