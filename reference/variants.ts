import type { Variant } from './variant.js';
import { compressionVariants } from './variants/compression.js';
import { controlAdditionVariants } from './variants/control-additions.js';
import { credentialVariants } from './variants/credential-freedoms.js';
import { envelopeVariants } from './variants/envelope-freedoms.js';
import { guardrailVariants } from './variants/guardrail-freedoms.js';
import { httpVariants } from './variants/http-freedoms.js';
import { inferenceVariants } from './variants/inference-freedoms.js';
import { jsonVariants } from './variants/json-freedoms.js';
import { keyVariants } from './variants/key-freedoms.js';
import { limiterVariants } from './variants/limiters.js';
import { noiseVariants } from './variants/noise.js';
import { offerVariants } from './variants/offers.js';
import { downVariants } from './variants/operations-down.js';
import { precedenceVariants } from './variants/precedence.js';
import { requestVariants } from './variants/request-freedoms.js';
import { routingVariants } from './variants/routing-freedoms.js';
import { streamVariants } from './variants/stream-freedoms.js';
import { streamRefusalVariants } from './variants/stream-refusals.js';
import { vaultVariants } from './variants/vault-freedoms.js';

/** All variants, topic by topic; those that may end incomplete come last. */
export const variants: readonly Variant[] = [
  ...precedenceVariants,
  ...requestVariants,
  ...routingVariants,
  ...httpVariants,
  ...compressionVariants,
  ...jsonVariants,
  ...envelopeVariants,
  ...credentialVariants,
  ...vaultVariants,
  ...guardrailVariants,
  ...keyVariants,
  ...inferenceVariants,
  ...streamVariants,
  ...streamRefusalVariants,
  ...controlAdditionVariants,
  ...offerVariants,
  ...downVariants,
  ...noiseVariants,
  ...limiterVariants,
];
