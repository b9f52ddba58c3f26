import type { Check } from '../../judge/check.js';
import { freeLimitBatches } from './free-limits.js';
import { inferenceBatches } from './inference.js';
import { readBatches } from './reads.js';
import { vaultOutcomeBatches } from './vault-outcomes.js';
import { vaultRefusalBatches } from './vault-refusals.js';

/** Checks of many cases that share a world, so that they decide the most for each request. */
export const batches: readonly Check[] = [
  ...vaultRefusalBatches,
  ...vaultOutcomeBatches,
  ...readBatches,
  ...inferenceBatches,
  ...freeLimitBatches,
];
