import type { Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers } from '../mutation.js';
import {
  all,
  as,
  deletesThough,
  during,
  longName,
  nameOf,
  removeFrom,
  storedFor,
  through,
  withBody,
  withoutKey,
  withUnknownKey,
  worldOfIntern,
} from './vault-delete-builders.js';

/** Mutants of the vault delete that refuse, and delete all the same (§7.1). */
export const vaultDeleteThoughRefusedMutants: readonly Mutant[] = [
  ...makeMutants('7.1', ['vault-delete.400.keeps'], {
    'vault-delete.400-deletes-by-malformed-id': {
      everydayPlain:
        'A malformed internId is refused only after the secret of the intern it looks like is gone',
      override: deletesThough(400, (call) => resemblesOwn(call), removeFrom('own')),
    },
    'vault-delete.400-deletes-by-malformed-encoding': {
      subtle: 'A malformed percent-encoding is refused only after the secret that it looks like is gone',
      override: answers({ operation: 'malformed-target' }, (answer, call) => {
        const [, internId, name] = /\/interns\/([^/?]*)\/secrets\/([^/?]*)/.exec(plainPath(call)) ?? [];
        const { world } = call.key ?? {};
        if (internId === world?.interns.own) world?.secrets.own.delete(name ?? '');
        return answer;
      }),
    },
    'vault-delete.400-deletes-by-malformed-body': {
      subtle: 'A body that is no JSON is refused only after the secret is gone',
      override: deletesThough(400, withBody),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.keeps'], {
    'vault-delete.401-deletes-without-key': {
      everydayPlain: 'A delete without a key is refused and deletes',
      override: deletesThough(401, withoutKey),
    },
    'vault-delete.401-deletes-with-unknown-key': {
      plain: 'A delete with an unknown key is refused and deletes',
      override: deletesThough(401, withUnknownKey),
    },
    'vault-delete.401-deletes-with-provisioning-key': {
      plain: 'A provisioning key is refused and deletes',
      override: deletesThough(401, as('provisioning')),
    },
    'vault-delete.401-deletes-with-disabled-key': {
      plain: 'A disabled key is refused and deletes',
      override: deletesThough(401, as('disabled')),
    },
    'vault-delete.401-deletes-at-the-sibling': {
      subtle: 'A provisioning key is refused, and deletes at the sibling',
      override: deletesThough(401, all(as('provisioning'), through('sibling'))),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.keeps'], {
    'vault-delete.403-deletes-with-unscoped-key': {
      everydayPlain: 'A key without a usable workspace scope is refused and deletes',
      override: deletesThough(403, as('unscoped')),
    },
    'vault-delete.403-deletes-on-regional-host': {
      plain: 'A delete on the regional hostname is refused and deletes',
      override: deletesThough(403, as('member')),
    },
    'vault-delete.403-deletes-long-names': {
      subtle: 'A key without a usable workspace scope is refused, and deletes names of over 64 characters',
      override: deletesThough(403, all(as('unscoped'), longName)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.keeps'], {
    'vault-delete.404-deletes-for-outsiders': {
      everydayPlain: 'A caller outside the intern programme is refused and deletes',
      override: deletesThough(404, as('outsider')),
    },
    'vault-delete.404-deletes-at-the-sibling': {
      plain: 'A secret that only the sibling has is not found, and deleted there',
      override: deletesThough(
        404,
        all(as('member'), through('own'), storedFor('sibling')),
        removeFrom('sibling'),
      ),
    },
    'vault-delete.404-deletes-at-the-workspace': {
      plain: 'A secret that only the workspace has is not found, and deleted there',
      override: deletesThough(404, as('member'), removeFrom('workspace')),
    },
    'vault-delete.404-deletes-at-the-foreign-intern': {
      plain: 'A secret that only a foreign intern has is not found, and deleted there',
      override: deletesThough(404, all(as('member'), through('own')), removeFrom('foreign')),
    },
    'vault-delete.404-deletes-through-the-foreign-intern': {
      subtle: 'A foreign intern is not found, and its secret is deleted',
      override: deletesThough(404, all(as('member'), through('foreign')), removeFrom('foreign')),
    },
    'vault-delete.404-deletes-in-another-workspace': {
      plain:
        'An intern of a workspace that the key has nothing to do with is not found, and its secret deleted',
      override: deletesThough(404, as('member'), (call) => {
        const world = worldOfIntern(call);
        if (world !== call.key?.world) world?.secrets.own.delete(nameOf(call));
      }),
    },
    'vault-delete.404-deletes-by-unknown-intern': {
      plain: 'An intern that exists nowhere is not found, and the secret of that name is deleted at another',
      override: deletesThough(404, (call) => worldOfIntern(call) === undefined, removeFrom('own')),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.429.keeps'], {
    'vault-delete.429-deletes': {
      everydayPlain: 'A delete beyond the rate limit is refused and deletes',
      alsoRed: ['vault-delete.429.rate-limited'],
      override: deletesThough(429),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.500.keeps'], {
    'vault-delete.500-deletes': {
      everydayPlain: 'A delete whose scope lookup fails answers 500 and deletes',
      override: deletesThough(500),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.503.keeps'], {
    'vault-delete.503-deletes-for-write-disabled-key': {
      everydayPlain: 'A caller for whom vault writes are disabled is refused and deletes',
      override: deletesThough(503, as('write_disabled')),
    },
    'vault-delete.503-deletes-while-disabled': {
      plain: 'A delete is refused while vault writes are disabled, and deletes',
      override: deletesThough(503, during('vault_writes_disabled')),
    },
    'vault-delete.503-deletes-where-not-configured': {
      plain: 'A delete is refused where the vault is not configured, and deletes',
      override: deletesThough(503, during('vault_not_configured')),
    },
    'vault-delete.503-deletes-at-the-sibling': {
      subtle: 'A delete at the sibling is refused where the vault is not configured, and deletes',
      override: deletesThough(503, all(during('vault_not_configured'), through('sibling'))),
    },
  }),
];

/** The hex digits of the internId begin like those of the own intern, though it is no UUID. */
function resemblesOwn({ key, parameters, behaviour }: Call): boolean {
  const id = parameters.internId ?? '';
  const digits = id.replace(/^urn:uuid:/, '').replace(/[^0-9a-f]/g, '');
  const known = key?.world.interns.own.replaceAll('-', '') ?? 'none';
  return !behaviour.isInternId(id) && digits.startsWith(known.slice(0, 31));
}

/** The path without its per cent signs, and what follows them where that is no letter of a name. */
function plainPath({ path }: Call): string {
  return path.replace(/%(?:2(?![0-9a-f]))?/gi, '');
}
