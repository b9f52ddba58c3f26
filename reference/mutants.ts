import { type Mutant, rowsMade } from './mutant.js';
import { authMutants } from './mutants/auth.js';
import { envelopeMutants } from './mutants/envelope.js';
import { guardrailReadMutants } from './mutants/guardrail-read.js';
import { inferenceMutants } from './mutants/inference.js';
import { keyInfoMutants } from './mutants/key-info.js';
import { overTimeMutants } from './mutants/over-time.js';
import { rateLimitMutants } from './mutants/rate-limit.js';
import { secrecyMutants } from './mutants/secrecy.js';
import { secretNameMutants } from './mutants/secret-name.js';
import { streamErrorMutants } from './mutants/stream-error.js';
import { vaultDeleteMutants } from './mutants/vault-delete.js';
import { vaultDeleteRefusalsMutants } from './mutants/vault-delete-refusals.js';

const rows = [
  vaultDeleteMutants,
  vaultDeleteRefusalsMutants,
  secretNameMutants,
  guardrailReadMutants,
  keyInfoMutants,
  authMutants,
  envelopeMutants,
  inferenceMutants,
  streamErrorMutants,
  rateLimitMutants,
  secrecyMutants,
  overTimeMutants,
].flatMap((area) => Object.entries(area));

/** All mutants, area by area. */
export const mutants: readonly Mutant[] = rows.map(([id, row]) => ({ id, ...row }));

const kept = new Set(rows.map(([, row]) => row));
for (const row of rowsMade)
  if (!kept.has(row)) throw new Error(`a later mutant has the id of the one that says: ${row.description}`);
