import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { dropGate, editFault, setGateStatus } from '../mutation.js';
import type { Fault } from '../vocabulary.js';
import { all, during, type When, withBody, withQuery } from './conditions.js';
import { claimDone, ignoreFault, refuseDelete } from './vault-mutations.js';

/** A fault, what it violates, the word of the id, what becomes of a delete that meets it, and the status it gets instead. */
type FaultRow = readonly [fault: Fault, requirement: string, word: string, what: string, status: number];

const faultRows: readonly FaultRow[] = [
  ['vault_rate_limited', '429.rate-limited', 'rate-limit', 'A delete beyond the rate limit', 503],
  ['scope_lookup_failed', '500.scope-lookup', 'scope-lookup', 'A failed scope lookup', 502],
  ['vault_unreachable', '502.unreachable', 'unreachable', 'An unreachable vault', 503],
  ['vault_bad_response', '502.bad-response', 'bad-response', 'An unexpected response', 500],
  ['vault_writes_disabled', '503.writes-disabled', 'writes-disabled', 'A disabled delete', 403],
  ['vault_not_configured', '503.not-configured', 'not-configured', 'A vault not configured', 404],
  ['vault_timeout', '504.timeout', 'vault-timeout', 'A vault that does not answer in time', 502],
];

const undocumented = 'vault-delete.status-documented';

const isStalled: When = ({ body }) => body.state === 'stalled';

/** Mutants of the vault delete whose 408, 429 or 5xx is another status, or no refusal (§7.1). */
export const vaultDeleteFaultsMutants: readonly Mutant[] = [
  ...faultRows.flatMap(([fault, requirement, word, what, status]) =>
    makeMutants(`vault-delete.${requirement}`, {
      [`vault-delete.${word}-${status}`]: everyday.plain(
        `${what} answers ${status}`,
        editFault(fault, { status }),
      ),
    }),
  ),
  ...makeMutants('vault-delete.408.timeout', {
    'vault-delete.deadline-504': plain(
      'A delete whose deadline passes answers 504',
      editFault('route_deadline', { status: 504 }),
    ),
    'vault-delete.stalled-body-500': everyday.plain(
      'A body that stops arriving answers 500',
      setGateStatus('vault-delete', 'request-body', 500, isStalled),
    ),
  }),
  ...makeMutants('vault-delete.429.rate-limited', {
    'vault-delete.rate-limit-204': plain(
      'A delete beyond the rate limit answers 204, and nothing is deleted',
      claimDone(429, during('vault_rate_limited')),
    ),
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
    'vault-delete.intern-id-without-dashes': subtle(
      'An internId without dashes is read as the UUID, and the secret is deleted',
      {
        isInternId: (text) => conforming.isInternId(addDashes(text)),
        findIntern: (world, id) => conforming.findIntern(world, addDashes(id)),
      },
    ),
  }),
  ...makeMutants('vault-delete.400.percent-encoding', {
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
  ...makeMutants(['vault-delete.400.query', undocumented], {
    'vault-delete.query-422': subtle(
      'A delete with a query string answers 422',
      refuseDelete(422, withQuery),
    ),
  }),
  ...makeMutants(['vault-delete.400.body', undocumented], {
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
      setGateStatus('vault-delete', 'request-body', 500, withBody),
    ),
  }),
];

function addDashes(id: string): string {
  return id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
