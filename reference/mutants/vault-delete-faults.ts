import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { fault, gateStatus, noGate } from '../mutation.js';
import type { Fault } from '../vocabulary.js';
import { claimsDone, during, gateStatusWhen, ignoresFault, type When } from './vault-delete-builders.js';

/** A fault, what becomes of a delete that meets it, and the statuses that a mutant each answers in place of its own. */
interface FaultRow {
  readonly fault: Fault;
  readonly requirement: string;
  /** What the ids are made of: `vault-delete.deadline-504`. */
  readonly word: string;
  readonly what: string;
  readonly instead: readonly number[];
  /** The one of these that is judged every day. */
  readonly everyday?: number;
}

const faultRows: readonly FaultRow[] = [
  {
    fault: 'route_deadline',
    requirement: 'vault-delete.408.timeout',
    word: 'deadline',
    what: 'A delete whose deadline passes',
    instead: [504, 500, 499, 204],
  },
  {
    fault: 'vault_rate_limited',
    requirement: 'vault-delete.429.rate-limited',
    word: 'rate-limit',
    what: "A delete beyond the vault's rate limit",
    instead: [503, 403, 204],
    everyday: 503,
  },
  {
    fault: 'scope_lookup_failed',
    requirement: 'vault-delete.500.scope-lookup',
    word: 'scope-lookup',
    what: 'A failed scope lookup',
    instead: [502, 403, 404, 204],
    everyday: 502,
  },
  {
    fault: 'vault_unreachable',
    requirement: 'vault-delete.502.unreachable',
    word: 'unreachable',
    what: 'An unreachable vault',
    instead: [500, 503, 504, 204],
    everyday: 503,
  },
  {
    fault: 'vault_bad_response',
    requirement: 'vault-delete.502.bad-response',
    word: 'bad-response',
    what: 'An unexpected response of the vault',
    instead: [500, 422, 204],
    everyday: 500,
  },
  {
    fault: 'vault_writes_disabled',
    requirement: 'vault-delete.503.writes-disabled',
    word: 'writes-disabled',
    what: 'A delete while vault writes are disabled',
    instead: [403, 405, 204],
    everyday: 403,
  },
  {
    fault: 'vault_not_configured',
    requirement: 'vault-delete.503.not-configured',
    word: 'not-configured',
    what: 'A vault that is not configured',
    instead: [404, 500, 501, 204],
    everyday: 404,
  },
  {
    fault: 'vault_timeout',
    requirement: 'vault-delete.504.timeout',
    word: 'vault-timeout',
    what: 'A vault that does not answer in time',
    instead: [502, 408, 508, 204],
    everyday: 502,
  },
];

const undocumented = 'vault-delete.status-documented';
const isStalled: When = ({ body }) => body.state === 'stalled';

/** Mutants of the vault delete whose 408, 429 or 5xx is another status, or no refusal (§7.1). */
export const vaultDeleteFaultMutants: readonly Mutant[] = [
  ...faultRows.flatMap((row) => row.instead.flatMap((status) => answersInstead(row, status))),
  ...makeMutants('7.1', ['vault-delete.408.timeout'], {
    'vault-delete.stalled-body-500': {
      everydayPlain: 'A body that stops arriving answers 500',
      override: gateStatusWhen('request-body', 500, isStalled),
    },
    'vault-delete.stalled-body-504': {
      plain: 'A body that stops arriving answers 504',
      override: gateStatusWhen('request-body', 504, isStalled),
    },
    'vault-delete.stalled-body-413': {
      plain: 'A body that stops arriving answers 413',
      override: gateStatusWhen('request-body', 413, isStalled),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.429.rate-limited'], {
    'vault-delete.rate-limit-ignored': {
      plain: "A delete beyond the vault's rate limit is done",
      override: ignoresFault('vault_rate_limited'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.writes-disabled-ignored': {
      plain: 'A delete while vault writes are disabled is done',
      override: ignoresFault('vault_writes_disabled'),
    },
    'vault-delete.write-disabled-key-403': {
      plain: 'A caller for whom vault writes are disabled gets 403',
      override: gateStatus('vault-delete', 'vault-writes', 403),
    },
    'vault-delete.write-disabled-key-500': {
      plain: 'A caller for whom vault writes are disabled gets 500',
      override: gateStatus('vault-delete', 'vault-writes', 500),
    },
    'vault-delete.write-disabled-key-accepted': {
      plain: 'A caller for whom vault writes are disabled may delete',
      override: noGate('vault-delete', 'vault-writes'),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled', undocumented], {
    'vault-delete.write-disabled-key-423': {
      plain: 'A caller for whom vault writes are disabled gets 423',
      override: gateStatus('vault-delete', 'vault-writes', 423),
    },
  }),
];

function answersInstead(
  { fault: name, requirement, word, what, everyday }: FaultRow,
  status: number,
): readonly Mutant[] {
  const isDocumented = [204, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504].includes(status);
  const description = `${what} answers ${status}${status === 204 ? ', and nothing is deleted' : ''}`;
  const due = conforming.faults[name].refusal.status;
  const override = status === 204 ? claimsDone(due, during(name)) : fault(name, { status });
  return makeMutants('7.1', isDocumented ? [requirement] : [requirement, undocumented], {
    [`vault-delete.${word}-${status}`]:
      status === everyday ? { everydayPlain: description, override } : { plain: description, override },
  });
}
