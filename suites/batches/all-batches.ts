import type { Check } from '../../judge/check.js';
import { freeLimitBatches } from './free-limits.js';
import { inferenceBatches } from './inference.js';
import { readBatches } from './reads.js';
import { vaultRefusalBatches } from './vault-refusals.js';
import { vaultSuccessBatches } from './vault-successes.js';
import { vaultTroubleBatches } from './vault-troubles.js';

/** Checks of many cases that share a world, so that they decide the most for each request. */
export const batches: readonly Check[] = [
  ...vaultRefusalBatches,
  ...vaultSuccessBatches,
  ...vaultTroubleBatches,
  ...readBatches,
  ...inferenceBatches,
  ...freeLimitBatches,
];
