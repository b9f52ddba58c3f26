import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, rare, subtle } from '../mutant.js';
import { countUp, dropGate, editAnswer, editGate, keepForConnection, type Mutation } from '../mutation.js';
import type { Operation, Scope } from '../vocabulary.js';
import {
  all,
  as,
  during,
  encodedName,
  hasHeader,
  isStored,
  longName,
  namedIntern,
  nameOf,
  onRegionalHost,
  through,
  upperCaseIntern,
  type When,
  withBody,
  withQuery,
} from './conditions.js';
import { findOwner, serveAs } from './credential-mutations.js';
import { claimDone, DONE, makeRefusal, removeNamed } from './vault-mutations.js';

const FORM = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/i;

const shortName: When = (call) => nameOf(call).length === 1;

/** Mutants of the vault delete that are wrong only where two circumstances meet (§4.1, §5, §7.1). */
export const vaultDeleteCombinationsMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.401.missing-key', {
    'vault-delete.form-without-key-deletes': subtle(
      'A delete without a key is done if its Content-Type is that of a form',
      serveAs('vault-delete', (call) =>
        !hasHeader(call) && FORM.test(call.headers['content-type'] ?? '') ? findOwner(call) : undefined,
      ),
    ),
  }),
  ...makeMutants('vault-delete.404.outside-programme', {
    'vault-delete.long-name-lets-outsider-in-on-regional-host': rare(
      'A caller outside the intern programme may delete names of over 64 characters on the regional hostname',
      dropGate(
        'vault-delete',
        ['intern-programme', 'regional-host'],
        all(as('outsider'), onRegionalHost, longName),
      ),
    ),
    'vault-delete.query-lets-outsider-in': everyday.subtle(
      'A caller outside the intern programme may delete if the request has a query string',
      dropGate('vault-delete', 'intern-programme', withQuery),
    ),
    'vault-delete.short-name-lets-outsider-in': rare(
      'A caller outside the intern programme may delete names of one character',
      dropGate('vault-delete', 'intern-programme', shortName),
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
    'vault-delete.query-and-upper-case-let-write-disabled-in': rare(
      'A caller with vault writes disabled may delete with a query string and an internId in upper case',
      dropGate('vault-delete', 'vault-writes', all(upperCaseIntern, withQuery)),
    ),
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
    'vault-delete.reused-connection-lets-unscoped-key-in': subtle(
      'A key without workspace scope acts on the workspace of the last delete on the connection',
      {
        ...dropGate('vault-delete', 'workspace-scope', (call) => scopeOfConnection(call).isSet),
        receive: (call) => {
          if (call.operation === 'vault-delete' && call.key?.traits.scoped === true)
            scopeOfConnection(call).isSet = true;
          return call;
        },
      },
    ),
    'vault-delete.body-lets-unscoped-key-in': everyday.subtle(
      'A key without workspace scope may delete if the request has a body',
      dropGate('vault-delete', 'workspace-scope', withBody),
    ),
    'vault-delete.every-fourth-unscoped-key-in': everyday.intermittent(
      'Every fourth delete with a key without workspace scope is done',
      passEveryNth(4, 403, as('unscoped')),
    ),
  }),
  ...makeMutants('vault-delete.503.not-configured', {
    'vault-delete.not-configured-204-for-encoded-names': subtle(
      'A vault that is not configured answers 204 to a percent-encoded name, and nothing is deleted',
      claimDone(503, all(during('vault_not_configured'), encodedName)),
    ),
  }),
  ...makeMutants('vault-delete.429.rate-limited', {
    'vault-delete.every-second-rate-limit-204': everyday.intermittent(
      'Every second delete beyond the rate limit is done',
      passEveryNth(2, 429, () => true),
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
    'vault-delete.provisioning-key-on-regional-host': subtle(
      'A provisioning key may delete on the regional hostname',
      dropGate(
        'vault-delete',
        ['no-provisioning-key', 'regional-host'],
        all(as('provisioning'), onRegionalHost),
      ),
    ),
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
  ...makeMutants('vault-delete.204.only-this-scope', {
    'vault-delete.takes-the-workspace-s-instead-with-body-by-upper-case-intern': rare(
      'Where intern and workspace both have the name, a delete with a body and an internId in upper case takes that of the workspace',
      {
        findSecret: (call) => {
          const place = conforming.findSecret(call);
          const isMistaken = all(upperCaseIntern, withBody)(call) && isStored(call, 'workspace');
          return place !== undefined && namedIntern(call) !== 'foreign' && isMistaken
            ? { scope: 'workspace', name: nameOf(call) }
            : place;
        },
      },
    ),
  }),
  ...makeMutants('vault-delete.404.keeps', {
    'vault-delete.404-stores-at-the-workspace': subtle(
      'A delete that finds nothing leaves a secret of that name at the workspace',
      meanwhile('vault-delete', 404, (call) => {
        call.key?.world.secrets.workspace.set(nameOf(call), '');
      }),
    ),
  }),
  ...makeMutants('vault-delete.400.keeps', {
    'vault-delete.400-takes-from-the-foreign-intern': subtle(
      'A delete that is malformed takes a secret of the foreign intern',
      meanwhile('vault-delete', 400, takeFirst('foreign')),
    ),
  }),
  ...makeMutants('vault-delete.500.scope-lookup', {
    'vault-delete.scope-lookup-403-at-the-sibling': everyday.subtle(
      'A failed scope lookup answers 403 at the sibling',
      editGate('vault-delete', 'fault', (call, original) => {
        const refused = original(call);
        return refused !== undefined && during('scope_lookup_failed')(call) && through('sibling')(call)
          ? { ...refused, status: 403 }
          : refused;
      }),
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

function scopeOfConnection(call: Call): { isSet: boolean } {
  return keepForConnection(call, 'scope of the connection', () => ({ isSet: false }));
}

/** The answers to an operation stay, and something is done to what the caller's world holds. */
function meanwhile(operation: Operation, status: number, act: (call: Call) => void): Mutation {
  return editAnswer({ operation, status }, (answer, call) => {
    act(call);
    return answer;
  });
}

/** Takes the first secret of a scope of the caller's world. */
function takeFirst(scope: Scope): (call: Call) => void {
  return ({ key }) => {
    const secrets = key?.world.secrets[scope];
    for (const name of [...(secrets?.keys() ?? [])].slice(0, 1)) secrets?.delete(name);
  };
}

/** Every so many of some refusals is none: the secret goes, and the answer is 204. */
function passEveryNth(often: number, status: number, when: When): Mutation {
  return editAnswer({ operation: 'vault-delete', status, when }, (answer, call) => {
    if (countUp(call, `refused with ${status}`) % often !== 0) return answer;
    removeNamed(call);
    return DONE;
  });
}
