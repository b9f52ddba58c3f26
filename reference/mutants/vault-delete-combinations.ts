import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, rare, subtle } from '../mutant.js';
import { countUp, dropGate, editAnswer, editGate, type Mutation, setGateStatus } from '../mutation.js';
import {
  all,
  as,
  during,
  encodedName,
  nameOf,
  through,
  type When,
  withBody,
  withQuery,
} from './conditions.js';
import { claimDone, DONE, deleteThough, makeRefusal, removeNamed } from './vault-mutations.js';

/** Mutants of the vault delete that are wrong only where two circumstances meet (§4.1, §5, §7.1). */
export const vaultDeleteCombinationsMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.404.outside-programme', {
    'vault-delete.query-lets-outsider-in': everyday.subtle(
      'A caller outside the intern programme may delete if the request has a query string',
      dropGate('vault-delete', 'intern-programme', withQuery),
    ),
    'vault-delete.every-third-outsider-in': everyday.intermittent(
      'Every third delete by a caller outside the intern programme is done',
      passEveryNth(3, 404, as('outsider')),
    ),
  }),
  ...makeMutants('vault-delete.404.foreign-intern', {
    'vault-delete.foreign-intern-in-upper-case-served': subtle(
      'An intern of another workspace is served if its id is in upper case',
      {
        findIntern: (world, internId) =>
          conforming.findIntern(world, internId) ??
          (/[A-F]/.test(internId) && internId.toLowerCase() === world.interns.foreign
            ? 'foreign'
            : undefined),
      },
    ),
    'vault-delete.foreign-intern-with-query': everyday.subtle(
      'A foreign intern answers 204 if the request has a query string, and nothing is deleted',
      claimDone(404, all(through('foreign'), withQuery)),
    ),
    'vault-delete.every-third-foreign-intern-204': everyday.intermittent(
      'Every third delete at a foreign intern answers 204',
      passEveryNth(3, 404, all(as('member'), through('foreign'))),
    ),
  }),
  ...makeMutants('vault-delete.503.writes-disabled', {
    'vault-delete.force-lifts-disabled-writes': subtle(
      'The query force=true lets a caller with vault writes disabled delete',
      dropGate('vault-delete', 'vault-writes', ({ path }) => path.includes('force=true')),
    ),
    'vault-delete.every-third-write-disabled-in': everyday.intermittent(
      'Every third delete by a caller with vault writes disabled is done',
      passEveryNth(3, 503, as('write_disabled')),
    ),
  }),
  ...makeMutants('vault-delete.403.no-scope', {
    'vault-delete.body-lets-unscoped-key-in': everyday.subtle(
      'A key without workspace scope may delete if the request has a body',
      dropGate('vault-delete', 'workspace-scope', withBody),
    ),
    'vault-delete.every-fourth-unscoped-key-in': everyday.intermittent(
      'Every fourth delete with a key without workspace scope is done',
      passEveryNth(4, 403, as('unscoped')),
    ),
  }),
  ...makeMutants('vault-delete.429.rate-limited', {
    'vault-delete.every-second-rate-limit-204': everyday.intermittent(
      'Every second delete beyond the rate limit is done',
      passEveryNth(2, 429),
    ),
  }),
  ...makeMutants('vault-delete.204.deleted', {
    'vault-delete.json-without-body-500': subtle(
      'A delete that announces JSON and has no body answers 500, for its empty body is parsed',
      editGate('vault-delete', 'request-body', (call, original) =>
        call.body.state === 'none' && /json/i.test(call.headers['content-type'] ?? '')
          ? makeRefusal(500)
          : original(call),
      ),
    ),
  }),
  ...makeMutants('vault-delete.401.provisioning-key', {
    'vault-delete.query-lets-provisioning-key-in': everyday.subtle(
      'A provisioning key may delete if the request has a query string',
      dropGate('vault-delete', 'no-provisioning-key', withQuery),
    ),
    'vault-delete.every-third-provisioning-key-in': everyday.intermittent(
      'Every third delete with a provisioning key is done',
      passEveryNth(3, 401, as('provisioning')),
    ),
  }),
  ...makeMutants('vault-delete.403.regional-host-spelling', {
    'vault-delete.host-in-capitals-passes-for-encoded-names-at-the-sibling': rare(
      'The regional hostname passes in upper case for a percent-encoded name at the sibling, which a legacy route serves',
      dropGate(
        'vault-delete',
        'regional-host',
        all(({ host }) => /[A-Z]/.test(host ?? ''), through('sibling'), encodedName),
      ),
    ),
  }),
  ...makeMutants('vault-delete.404.keeps', {
    'vault-delete.404-stores-at-the-workspace': subtle(
      'A delete that finds nothing leaves a secret of that name at the workspace',
      deleteThough(404, undefined, (call) => call.key?.world.secrets.workspace.set(nameOf(call), '')),
    ),
  }),
  ...makeMutants('vault-delete.400.keeps', {
    'vault-delete.400-takes-from-the-foreign-intern': subtle(
      'A delete that is malformed takes a secret of the foreign intern',
      deleteThough(400, undefined, takeFirstForeign),
    ),
  }),
  ...makeMutants('vault-delete.500.scope-lookup', {
    'vault-delete.scope-lookup-403-at-the-sibling': everyday.subtle(
      'A failed scope lookup answers 403 at the sibling',
      setGateStatus('vault-delete', 'fault', 403, all(during('scope_lookup_failed'), through('sibling'))),
    ),
  }),
  ...makeMutants('vault-delete.404.never-stored', {
    'vault-delete.never-stored-with-body': everyday.subtle(
      'A delete of a name that is not stored answers 204 if the request has a body',
      claimDone(404, all(as('member'), through('own'), withBody)),
    ),
  }),
  ...makeMutants('envelope.error.code-is-status', {
    'vault-delete.every-tenth-404-other-code': everyday.intermittent(
      'Every tenth 404 of a delete says 500 in its envelope',
      editAnswer({ operation: 'vault-delete', status: 404 }, (answer, call) =>
        countUp(call, 'not found') % 10 === 0
          ? { ...answer, body: call.behaviour.envelope(call, { status: 500, message: 'Not found' }) }
          : answer,
      ),
    ),
  }),
];

function takeFirstForeign({ key }: Call): void {
  const secrets = key?.world.secrets.foreign;
  for (const name of [...(secrets?.keys() ?? [])].slice(0, 1)) secrets?.delete(name);
}

/** Every so many of some refusals is none: the secret goes, and the answer is 204. */
function passEveryNth(often: number, status: number, when: When = () => true): Mutation {
  return editAnswer({ operation: 'vault-delete', status, when }, (answer, call) => {
    if (countUp(call, `refused with ${status}`) % often !== 0) return answer;
    removeNamed(call);
    return DONE;
  });
}
