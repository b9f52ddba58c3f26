import { everyday, type Mutant, makeMutants, plain, subtle, tabulate } from '../mutant.js';
import { dropGate, editFault, type Mutation, setGateStatus } from '../mutation.js';
import type { Fault } from '../vocabulary.js';
import {
  all,
  during,
  isStored,
  namedIntern,
  type When,
  withBody,
  withoutKey,
  worldOfIntern,
} from './conditions.js';
import { claimDone, refuseDelete } from './vault-mutations.js';

const undocumented = 'vault-delete.status-documented';

const isStalled: When = ({ body }) => body.state === 'stalled';

const storedNowhere: When = (call) =>
  ['own', 'sibling'].includes(namedIntern(call) ?? '') &&
  !(['own', 'sibling', 'workspace', 'foreign'] as const).some((scope) => isStored(call, scope));

/** Mutants of the vault delete whose refusal is another status, or none (§7.1). */
export const vaultDeleteRefusalsMutants: readonly Mutant[] = [
  ...tabulate('vault-delete', everyday.plain, setFaultStatus, [
    [
      '429.rate-limited',
      'rate-limit-503',
      'A delete beyond the rate limit answers 503',
      ['vault_rate_limited', 503],
    ],
    [
      '500.scope-lookup',
      'scope-lookup-502',
      'A failed scope lookup answers 502',
      ['scope_lookup_failed', 502],
    ],
    ['502.unreachable', 'unreachable-503', 'An unreachable vault answers 503', ['vault_unreachable', 503]],
    [
      '502.bad-response',
      'bad-response-500',
      'An unexpected response answers 500',
      ['vault_bad_response', 500],
    ],
    [
      '503.writes-disabled',
      'writes-disabled-403',
      'A disabled delete answers 403',
      ['vault_writes_disabled', 403],
    ],
    [
      '503.not-configured',
      'not-configured-404',
      'A vault not configured answers 404',
      ['vault_not_configured', 404],
    ],
    [
      '504.timeout',
      'vault-timeout-502',
      'A vault that does not answer in time answers 502',
      ['vault_timeout', 502],
    ],
  ]),
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
      dropGate('vault-delete', 'fault', during('vault_rate_limited')),
    ),
  }),
  ...makeMutants('vault-delete.503.writes-disabled', {
    'vault-delete.writes-disabled-ignored': plain(
      'A delete while vault writes are disabled is done',
      dropGate('vault-delete', 'fault', during('vault_writes_disabled')),
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
  ...makeMutants('vault-delete.401.missing-key', {
    'vault-delete.missing-key-404': everyday.plain(
      'A delete without a key answers 404',
      setGateStatus('vault-delete', 'authentication', 404, withoutKey),
    ),
  }),
  ...makeMutants('vault-delete.404.never-stored', {
    'vault-delete.never-stored-204': plain(
      'A delete of a name that is stored nowhere answers 204',
      claimDone(404, storedNowhere),
    ),
  }),
  ...makeMutants('vault-delete.404.other-workspace', {
    'vault-delete.other-workspace-204': everyday.subtle(
      'An intern of a workspace that the key has nothing to do with answers 204, and nothing is deleted',
      claimDone(404, (call) => namedIntern(call) === undefined && worldOfIntern(call) !== undefined),
    ),
  }),
];

function setFaultStatus([fault, status]: readonly [Fault, number]): Mutation {
  return editFault(fault, { status });
}
