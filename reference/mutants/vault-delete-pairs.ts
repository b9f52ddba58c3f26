import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, gate, keptForConnection, noGate, type Override } from '../mutation.js';
import { hasHeader, ownerOf, servesAs } from './credential-rule.js';
import {
  all,
  as,
  claimsDone,
  DONE,
  during,
  elseFinds,
  encodedName,
  gateStatusWhen,
  ignoresFault,
  isStored,
  namedIntern,
  nameOf,
  refusal,
  through,
  upperCaseIntern,
  type When,
  withBody,
  worldOfIntern,
} from './vault-delete-builders.js';

/** Mutants of the vault delete that are wrong only where two circumstances meet (§4.1, §5, §7.1). */
export const vaultDeletePairMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.401.missing-key'], {
    'vault-delete.form-without-key-deletes': {
      subtle: 'A delete without a key is done if its Content-Type is that of a form',
      override: servesAs('vault-delete', (call) =>
        !hasHeader(call) && FORM.test(call.headers['content-type'] ?? '') ? ownerOf(call) : undefined,
      ),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.upper-case-intern-lets-outsider-in': {
      subtle: 'A caller outside the intern programme may delete if the internId is in upper case',
      override: noGate('vault-delete', 'intern-programme', upperCaseIntern),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.foreign-intern'], {
    'vault-delete.foreign-intern-in-upper-case-served': {
      subtle: 'An intern of another workspace is served if its id is in upper case',
      override: {
        findIntern: (world, internId) =>
          conforming.findIntern(world, internId) ??
          (/[A-F]/.test(internId) && internId.toLowerCase() === world.interns.foreign
            ? 'foreign'
            : undefined),
      },
    },
  }),
  ...makeMutants('1', ['vault-delete.404.workspace-secret'], {
    'vault-delete.workspace-fallback-by-upper-case-intern': {
      subtle: 'A secret of the workspace is reached through an intern whose id is in upper case',
      override: workspaceFallback(upperCaseIntern),
    },
    'vault-delete.workspace-fallback-by-last-digit': {
      subtle: 'A secret of the workspace is reached through an intern if its name ends with a digit',
      override: workspaceFallback((call) => /\d$/.test(nameOf(call))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.writes-disabled'], {
    'vault-delete.encoded-name-lets-write-disabled-in': {
      subtle: 'A caller for whom vault writes are disabled may delete if the name is percent-encoded',
      override: noGate('vault-delete', 'vault-writes', encodedName),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.no-scope'], {
    'vault-delete.reused-connection-lets-unscoped-key-in': {
      subtle:
        'A key without a usable workspace scope acts on the workspace of the last delete on the connection',
      override: {
        ...noGate('vault-delete', 'workspace-scope', (call) => scopeOfConnection(call).isSet),
        receive: (call) => {
          if (call.operation === 'vault-delete' && call.key?.traits.scoped === true)
            scopeOfConnection(call).isSet = true;
          return call;
        },
      },
    },
  }),
  ...makeMutants('7.1', ['vault-delete.504.timeout'], {
    'vault-delete.vault-timeout-502-at-the-sibling': {
      subtle: 'A vault that does not answer in time answers 502 at the sibling, which is on another shard',
      override: gateStatusWhen('fault', 502, all(during('vault_timeout'), through('sibling'))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.408.timeout'], {
    'vault-delete.deadline-500-with-body': {
      subtle: 'A delete whose deadline passes answers 500 if it has a body',
      override: gateStatusWhen('fault', 500, all(during('route_deadline'), withBody)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.not-configured'], {
    'vault-delete.not-configured-204-for-encoded-names': {
      subtle: 'A vault that is not configured answers 204 to a percent-encoded name, and nothing is deleted',
      override: claimsDone(503, all(during('vault_not_configured'), encodedName)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.429.rate-limited'], {
    'vault-delete.upper-case-intern-lifts-rate-limit': {
      subtle: 'A delete beyond the rate limit is done if the internId is in upper case',
      override: ignoresFault('vault_rate_limited', upperCaseIntern),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.other-workspace'], {
    'vault-delete.any-workspace-with-body': {
      subtle: 'An intern is looked for in all workspaces if the delete has a body',
      override: answers(
        { operation: 'vault-delete', status: 404, when: all(as('member'), withBody) },
        (answer, call) => {
          const world = worldOfIntern(call);
          const intern = world && conforming.findIntern(world, call.parameters.internId ?? '');
          const isTaken = intern !== undefined && world?.secrets[intern].delete(nameOf(call)) === true;
          return isTaken ? DONE : answer;
        },
      ),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.204.deleted'], {
    'vault-delete.json-without-body-500': {
      subtle: 'A delete that announces JSON and has no body answers 500, for its empty body is parsed',
      override: gate('vault-delete', 'request-body', (call, original) =>
        call.body.state === 'none' && /json/i.test(call.headers['content-type'] ?? '')
          ? refusal(500)
          : original(call),
      ),
    },
  }),
];

const FORM = /^(?:multipart\/form-data|application\/x-www-form-urlencoded)/i;

/** Where an intern of the workspace lacks the secret, some calls get that of the workspace. */
function workspaceFallback(when: When): Override {
  return elseFinds((call) => {
    const intern = namedIntern(call);
    const isFound = intern !== undefined && intern !== 'foreign' && isStored(call, 'workspace') && when(call);
    return isFound ? { scope: 'workspace', name: nameOf(call) } : undefined;
  });
}

function scopeOfConnection(call: Call): { isSet: boolean } {
  return keptForConnection(call, 'scope of the connection', () => ({ isSet: false }));
}
