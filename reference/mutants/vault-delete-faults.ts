import type { Effect } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { dropGate, editFault, type Mutation, setGateStatus } from '../mutation.js';
import type { Fault } from '../vocabulary.js';
import { all, during, type When, withBody, withQuery } from './conditions.js';
import { claimDone, ignoreFault, makeRefusal, refuseDelete, setGateStatusWhen } from './vault-mutations.js';

const faultRows: readonly FaultRow[] = [
  {
    fault: 'route_deadline',
    requirement: 'vault-delete.408.timeout',
    word: 'deadline',
    what: 'A delete whose deadline passes',
    instead: [504, 499, 204],
  },
  {
    fault: 'vault_rate_limited',
    requirement: 'vault-delete.429.rate-limited',
    word: 'rate-limit',
    what: "A delete beyond the vault's rate limit",
    instead: [503, 204],
    everyday: 503,
  },
  {
    fault: 'scope_lookup_failed',
    requirement: 'vault-delete.500.scope-lookup',
    word: 'scope-lookup',
    what: 'A failed scope lookup',
    instead: [502, 403, 204],
    everyday: 502,
  },
  {
    fault: 'vault_unreachable',
    requirement: 'vault-delete.502.unreachable',
    word: 'unreachable',
    what: 'An unreachable vault',
    instead: [503, 504, 204],
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
    instead: [403, 204],
    everyday: 403,
  },
  {
    fault: 'vault_not_configured',
    requirement: 'vault-delete.503.not-configured',
    word: 'not-configured',
    what: 'A vault that is not configured',
    instead: [404, 501, 204],
    everyday: 404,
  },
  {
    fault: 'vault_timeout',
    requirement: 'vault-delete.504.timeout',
    word: 'vault-timeout',
    what: 'A vault that does not answer in time',
    instead: [502, 508, 204],
    everyday: 502,
  },
];

const undocumented = 'vault-delete.status-documented';

const isStalled: When = ({ body }) => body.state === 'stalled';

const UUID_AND_MORE = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** Mutants of the vault delete whose 408, 429 or 5xx is another status, or no refusal (§7.1). */
export const vaultDeleteFaultsMutants: readonly Mutant[] = [
  ...faultRows.flatMap((row) => row.instead.flatMap((status) => makeFaultMutants(row, status))),
  ...makeMutants('vault-delete.408.timeout', {
    'vault-delete.stalled-body-500': everyday.plain(
      'A body that stops arriving answers 500',
      setGateStatusWhen('request-body', 500, isStalled),
    ),
  }),
  ...makeMutants('vault-delete.429.rate-limited', {
    'vault-delete.rate-limit-ignored': plain(
      "A delete beyond the vault's rate limit is done",
      ignoreFault('vault_rate_limited'),
    ),
  }),
  ...makeMutants('vault-delete.503.writes-disabled', {
    'vault-delete.writes-disabled-ignored': plain(
      'A delete while vault writes are disabled is done',
      ignoreFault('vault_writes_disabled'),
    ),
    'vault-delete.write-disabled-key-accepted': plain(
      'A caller with vault writes disabled may delete',
      dropGate('vault-delete', 'vault-writes'),
    ),
  }),
  ...makeMutants('vault-delete.400.intern-id', {
    'vault-delete.intern-id-not-looked-at': everyday.plain(
      'An internId of any shape is looked for, and answers 404 where there is none',
      dropGate('vault-delete', 'intern-id'),
    ),
    'vault-delete.intern-id-36-characters': everyday.subtle('Any 36 characters pass for a UUID', {
      isInternId: (text) => text.length === 36,
    }),
    'vault-delete.intern-id-any-letter': subtle('A letter that is no hex digit passes in a UUID', {
      isInternId: (text) => /^[0-9a-z]{8}(?:-[0-9a-z]{4}){3}-[0-9a-z]{12}$/i.test(text),
    }),
    'vault-delete.intern-id-open-end': subtle('A UUID with more behind it passes for a UUID', {
      isInternId: (text) => UUID_AND_MORE.test(text),
    }),
    'vault-delete.intern-id-without-dashes': subtle(
      'An internId without its dashes is read as the UUID, and the secret is deleted',
      readInternId((text) => text.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')),
    ),
    'vault-delete.intern-id-in-braces': subtle(
      'An internId in braces is read as the UUID, and the secret is deleted',
      readInternId((text) => text.replace(/^\{(.*)\}$/, '$1')),
    ),
    'vault-delete.intern-id-as-urn': subtle(
      'An internId written as a URN is read as the UUID, and the secret is deleted',
      readInternId((text) => text.replace(/^urn:uuid:/, '')),
    ),
    'vault-delete.intern-id-trimmed': subtle(
      'White space around an internId is dropped, and the secret is deleted',
      readInternId((text) => text.trim()),
    ),
  }),
  ...makeMutants(['vault-delete.400.intern-id', 'vault-delete.status-documented'], {
    'vault-delete.intern-id-422': plain(
      'An internId that is not a UUID answers 422',
      setGateStatus('vault-delete', 'intern-id', 422),
    ),
  }),
  ...makeMutants('vault-delete.400.percent-encoding', {
    'vault-delete.malformed-encoding-404': plain(
      'A malformed percent-encoding in the path answers 404',
      setMalformedStatus(404),
    ),
    'vault-delete.malformed-encoding-dropped': everyday.subtle(
      'A percent sign that encodes nothing is dropped, and the secret is deleted',
      { rewriteTarget: (target) => target.replace(/%(?![0-9a-f]{2})/gi, '') },
      ['secret-name.identity'],
    ),
    'vault-delete.percent-u-decoded': everyday.subtle(
      'The encoding %u0061, which URIs do not know, is decoded',
      {
        rewriteTarget: (target) => target.replace(/%u00([0-9a-f]{2})/gi, (_, hex: string) => `%${hex}`),
      },
      ['secret-name.identity'],
    ),
  }),
  ...makeMutants(['vault-delete.400.query', 'vault-delete.status-documented'], {
    'vault-delete.query-422': subtle(
      'A delete with a query string answers 422',
      refuseDelete(422, withQuery),
    ),
  }),
  ...makeMutants(['vault-delete.400.body', 'vault-delete.status-documented'], {
    'vault-delete.text-body-415': subtle(
      'A body of plain text answers 415',
      refuseDelete(
        415,
        all(withBody, ({ headers }) => headers['content-type']?.startsWith('text/plain') === true),
      ),
    ),
  }),
  ...makeMutants('vault-delete.400.body', {
    'vault-delete.malformed-body-500': everyday.subtle(
      'A body that is not valid JSON answers 500',
      setGateStatusWhen('request-body', 500, withBody),
    ),
  }),
];

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

function makeFaultMutants(
  { fault: name, requirement, word, what, everyday: everydayStatus }: FaultRow,
  status: number,
): readonly Mutant[] {
  const isDocumented = [204, 400, 401, 403, 404, 408, 429, 500, 502, 503, 504].includes(status);
  const description = `${what} answers ${status}${status === 204 ? ', and nothing is deleted' : ''}`;
  const due = conforming.faults[name].refusal.status;
  const mutation = status === 204 ? claimDone(due, during(name)) : editFault(name, { status });
  const row = status === everydayStatus ? everyday.plain : plain;
  return makeMutants(isDocumented ? requirement : [requirement, undocumented], {
    [`vault-delete.${word}-${status}`]: row(description, mutation),
  });
}

/** An internId is read leniently. */
function readInternId(read: (text: string) => string): Mutation {
  return {
    isInternId: (text) => conforming.isInternId(read(text)),
    findIntern: (world, id) => conforming.findIntern(world, read(id)),
  };
}

/** A target that cannot be decoded gets this status. */
function setMalformedStatus(status: number): Mutation {
  const effect: Effect = (call) => call.behaviour.refuse(call, makeRefusal(status));
  return { effects: { ...conforming.effects, 'malformed-target': effect } };
}
