import { type Mutant, makeMutants } from '../mutant.js';
import { fault, gateStatus, noGate } from '../override.js';
import { claimsDone, during, gateStatusWhen, ignoresFault } from './vault-delete-builders.js';

/** Mutants of the vault delete whose 408, 429 or 5xx is another status, or no refusal (§7.1). */
export const vaultDeleteFaultMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.408.timeout'], {
    'vault-delete.deadline-504': {
      plain: 'A delete whose deadline passes answers 504',
      override: fault('route_deadline', { status: 504 }),
    },
    'vault-delete.deadline-500': {
      plain: 'A delete whose deadline passes answers 500',
      override: fault('route_deadline', { status: 500 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.408.timeout', 'vault-delete.status-documented'], {
    'vault-delete.deadline-499': {
      plain: 'A delete whose deadline passes answers 499',
      override: fault('route_deadline', { status: 499 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.408.timeout'], {
    'vault-delete.deadline-204': {
      plain: 'A delete whose deadline passes answers 204, and nothing is deleted',
      override: claimsDone(408, during('route_deadline')),
    },
    'vault-delete.stalled-body-500': {
      everydayPlain: 'A body that stops arriving answers 500',
      override: gateStatusWhen('request-body', 500, ({ body }) => body.state === 'stalled'),
    },
    'vault-delete.stalled-body-504': {
      plain: 'A body that stops arriving answers 504',
      override: gateStatusWhen('request-body', 504, ({ body }) => body.state === 'stalled'),
    },
    'vault-delete.stalled-body-413': {
      plain: 'A body that stops arriving answers 413',
      override: gateStatusWhen('request-body', 413, ({ body }) => body.state === 'stalled'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.429.rate-limited'], {
    'vault-delete.rate-limit-503': {
      everydayPlain: "A delete beyond the vault's rate limit answers 503",
      override: fault('vault_rate_limited', { status: 503 }),
    },
    'vault-delete.rate-limit-403': {
      plain: "A delete beyond the vault's rate limit answers 403",
      override: fault('vault_rate_limited', { status: 403 }),
    },
    'vault-delete.rate-limit-204': {
      plain: "A delete beyond the vault's rate limit answers 204, and nothing is deleted",
      override: claimsDone(429, during('vault_rate_limited')),
    },
    'vault-delete.rate-limit-ignored': {
      plain: "A delete beyond the vault's rate limit is done",
      override: ignoresFault('vault_rate_limited'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.500.scope-lookup'], {
    'vault-delete.scope-lookup-502': {
      everydayPlain: 'A failed scope lookup answers 502',
      override: fault('scope_lookup_failed', { status: 502 }),
    },
    'vault-delete.scope-lookup-403': {
      plain: 'A failed scope lookup answers 403',
      override: fault('scope_lookup_failed', { status: 403 }),
    },
    'vault-delete.scope-lookup-404': {
      plain: 'A failed scope lookup answers 404',
      override: fault('scope_lookup_failed', { status: 404 }),
    },
    'vault-delete.scope-lookup-204': {
      plain: 'A failed scope lookup answers 204, and nothing is deleted',
      override: claimsDone(500, during('scope_lookup_failed')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.502.unreachable'], {
    'vault-delete.unreachable-500': {
      plain: 'An unreachable vault answers 500',
      override: fault('vault_unreachable', { status: 500 }),
    },
    'vault-delete.unreachable-503': {
      everydayPlain: 'An unreachable vault answers 503',
      override: fault('vault_unreachable', { status: 503 }),
    },
    'vault-delete.unreachable-504': {
      plain: 'An unreachable vault answers 504',
      override: fault('vault_unreachable', { status: 504 }),
    },
    'vault-delete.unreachable-204': {
      plain: 'An unreachable vault answers 204, and nothing is deleted',
      override: claimsDone(502, during('vault_unreachable')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.502.bad-response'], {
    'vault-delete.bad-response-500': {
      everydayPlain: 'An unexpected response of the vault answers 500',
      override: fault('vault_bad_response', { status: 500 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.502.bad-response', 'vault-delete.status-documented'], {
    'vault-delete.bad-response-422': {
      plain: 'An unexpected response of the vault answers 422',
      override: fault('vault_bad_response', { status: 422 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.502.bad-response'], {
    'vault-delete.bad-response-204': {
      plain: 'An unexpected response of the vault answers 204, and nothing is deleted',
      override: claimsDone(502, during('vault_bad_response')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.writes-disabled-403': {
      everydayPlain: 'A delete while vault writes are disabled answers 403',
      override: fault('vault_writes_disabled', { status: 403 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled', 'vault-delete.status-documented'], {
    'vault-delete.writes-disabled-405': {
      plain: 'A delete while vault writes are disabled answers 405',
      override: fault('vault_writes_disabled', { status: 405 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.writes-disabled-204': {
      plain: 'A delete while vault writes are disabled answers 204, and nothing is deleted',
      override: claimsDone(503, during('vault_writes_disabled')),
    },
    'vault-delete.writes-disabled-ignored': {
      plain: 'A delete while vault writes are disabled is done',
      override: ignoresFault('vault_writes_disabled'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.not-configured'], {
    'vault-delete.not-configured-404': {
      everydayPlain: 'A vault that is not configured answers 404',
      override: fault('vault_not_configured', { status: 404 }),
    },
    'vault-delete.not-configured-500': {
      plain: 'A vault that is not configured answers 500',
      override: fault('vault_not_configured', { status: 500 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.not-configured', 'vault-delete.status-documented'], {
    'vault-delete.not-configured-501': {
      plain: 'A vault that is not configured answers 501',
      override: fault('vault_not_configured', { status: 501 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.not-configured'], {
    'vault-delete.not-configured-204': {
      plain: 'A vault that is not configured answers 204, and nothing is deleted',
      override: claimsDone(503, during('vault_not_configured')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.write-disabled-key-403': {
      plain: 'A caller for whom vault writes are disabled gets 403',
      override: gateStatus('vault-delete', 'vault-writes', 403),
    },
    'vault-delete.write-disabled-key-500': {
      plain: 'A caller for whom vault writes are disabled gets 500',
      override: gateStatus('vault-delete', 'vault-writes', 500),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled', 'vault-delete.status-documented'], {
    'vault-delete.write-disabled-key-423': {
      plain: 'A caller for whom vault writes are disabled gets 423',
      override: gateStatus('vault-delete', 'vault-writes', 423),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.write-disabled-key-accepted': {
      plain: 'A caller for whom vault writes are disabled may delete',
      override: noGate('vault-delete', 'vault-writes'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.504.timeout'], {
    'vault-delete.vault-timeout-502': {
      everydayPlain: 'A vault that does not answer in time answers 502',
      override: fault('vault_timeout', { status: 502 }),
    },
    'vault-delete.vault-timeout-408': {
      plain: 'A vault that does not answer in time answers 408',
      override: fault('vault_timeout', { status: 408 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.504.timeout', 'vault-delete.status-documented'], {
    'vault-delete.vault-timeout-508': {
      plain: 'A vault that does not answer in time answers 508',
      override: fault('vault_timeout', { status: 508 }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.504.timeout'], {
    'vault-delete.vault-timeout-204': {
      plain: 'A vault that does not answer in time answers 204, and nothing is deleted',
      override: claimsDone(504, during('vault_timeout')),
    },
  }),
];
