import type { Check } from '../../judge/check.js';
import { freeLimitChains } from './free-limits.js';
import { inferenceChains } from './inference.js';
import { readChains } from './reads.js';
import { vaultRefusalChains } from './vault-refusals.js';
import { vaultSuccessChains } from './vault-successes.js';
import { vaultTroubleChains } from './vault-troubles.js';

/** The chains: much is told by one world, so that they decide the most for each request. */
export const chains: readonly Check[] = [
  ...vaultRefusalChains,
  ...vaultSuccessChains,
  ...vaultTroubleChains,
  ...readChains,
  ...inferenceChains,
  ...freeLimitChains,
];
