import type { Call } from '../call.js';
import type { Mutant } from '../mutant.js';
import { answers } from '../override.js';
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
  {
    id: 'vault-delete.400-deletes-by-malformed-id',
    section: '7.1',
    turnsRed: ['vault-delete.400.keeps'],
    description: 'A malformed internId is refused only after the secret of the intern it looks like is gone',
    hardness: 'plain',
    override: deletesThough(400, (call) => resemblesOwn(call), removeFrom('own')),
  },
  {
    id: 'vault-delete.400-deletes-by-malformed-encoding',
    section: '7.1',
    turnsRed: ['vault-delete.400.keeps'],
    description: 'A malformed percent-encoding is refused only after the secret that it looks like is gone',
    hardness: 'subtle',
    override: answers({ operation: 'malformed-target' }, (answer, call) => {
      const [, internId, name] = /\/interns\/([^/?]*)\/secrets\/([^/?]*)/.exec(plainPath(call)) ?? [];
      const { world } = call.key ?? {};
      if (internId === world?.interns.own) world?.secrets.own.delete(name ?? '');
      return answer;
    }),
  },
  {
    id: 'vault-delete.400-deletes-by-malformed-body',
    section: '7.1',
    turnsRed: ['vault-delete.400.keeps'],
    description: 'A body that is no JSON is refused only after the secret is gone',
    hardness: 'subtle',
    override: deletesThough(400, withBody),
  },
  {
    id: 'vault-delete.401-deletes-without-key',
    section: '7.1',
    turnsRed: ['vault-delete.401.keeps'],
    description: 'A delete without a key is refused and deletes',
    hardness: 'plain',
    override: deletesThough(401, withoutKey),
  },
  {
    id: 'vault-delete.401-deletes-with-unknown-key',
    section: '7.1',
    turnsRed: ['vault-delete.401.keeps'],
    description: 'A delete with an unknown key is refused and deletes',
    hardness: 'plain',
    override: deletesThough(401, withUnknownKey),
  },
  {
    id: 'vault-delete.401-deletes-with-provisioning-key',
    section: '7.1',
    turnsRed: ['vault-delete.401.keeps'],
    description: 'A provisioning key is refused and deletes',
    hardness: 'plain',
    override: deletesThough(401, as('provisioning')),
  },
  {
    id: 'vault-delete.401-deletes-with-disabled-key',
    section: '7.1',
    turnsRed: ['vault-delete.401.keeps'],
    description: 'A disabled key is refused and deletes',
    hardness: 'plain',
    override: deletesThough(401, as('disabled')),
  },
  {
    id: 'vault-delete.401-deletes-at-the-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.401.keeps'],
    description: 'A provisioning key is refused, and deletes at the sibling',
    hardness: 'subtle',
    override: deletesThough(401, all(as('provisioning'), through('sibling'))),
  },
  {
    id: 'vault-delete.403-deletes-with-unscoped-key',
    section: '7.1',
    turnsRed: ['vault-delete.403.keeps'],
    description: 'A key without a usable workspace scope is refused and deletes',
    hardness: 'plain',
    override: deletesThough(403, as('unscoped')),
  },
  {
    id: 'vault-delete.403-deletes-on-regional-host',
    section: '7.1',
    turnsRed: ['vault-delete.403.keeps'],
    description: 'A delete on the regional hostname is refused and deletes',
    hardness: 'plain',
    override: deletesThough(403, as('member')),
  },
  {
    id: 'vault-delete.403-deletes-long-names',
    section: '7.1',
    turnsRed: ['vault-delete.403.keeps'],
    description: 'A key without a usable workspace scope is refused, and deletes names of over 64 characters',
    hardness: 'subtle',
    override: deletesThough(403, all(as('unscoped'), longName)),
  },
  {
    id: 'vault-delete.404-deletes-for-outsiders',
    section: '7.1',
    turnsRed: ['vault-delete.404.keeps'],
    description: 'A caller outside the intern programme is refused and deletes',
    hardness: 'plain',
    override: deletesThough(404, as('outsider')),
  },
  {
    id: 'vault-delete.404-deletes-at-the-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.404.keeps'],
    description: 'A secret that only the sibling has is not found, and deleted there',
    hardness: 'plain',
    override: deletesThough(
      404,
      all(as('member'), through('own'), storedFor('sibling')),
      removeFrom('sibling'),
    ),
  },
  {
    id: 'vault-delete.404-deletes-at-the-workspace',
    section: '7.1',
    turnsRed: ['vault-delete.404.keeps'],
    description: 'A secret that only the workspace has is not found, and deleted there',
    hardness: 'plain',
    override: deletesThough(404, as('member'), removeFrom('workspace')),
  },
  {
    id: 'vault-delete.404-deletes-at-the-foreign-intern',
    section: '7.1',
    turnsRed: ['vault-delete.404.keeps'],
    description: 'A secret that only a foreign intern has is not found, and deleted there',
    hardness: 'plain',
    override: deletesThough(404, all(as('member'), through('own')), removeFrom('foreign')),
  },
  {
    id: 'vault-delete.404-deletes-through-the-foreign-intern',
    section: '7.1',
    turnsRed: ['vault-delete.404.keeps'],
    description: 'A foreign intern is not found, and its secret is deleted',
    hardness: 'subtle',
    override: deletesThough(404, all(as('member'), through('foreign')), removeFrom('foreign')),
  },
  {
    id: 'vault-delete.404-deletes-in-another-workspace',
    section: '7.1',
    turnsRed: ['vault-delete.404.keeps'],
    description:
      'An intern of a workspace that the key has nothing to do with is not found, and its secret deleted',
    hardness: 'plain',
    override: deletesThough(404, as('member'), (call) => {
      const world = worldOfIntern(call);
      if (world !== call.key?.world) world?.secrets.own.delete(nameOf(call));
    }),
  },
  {
    id: 'vault-delete.404-deletes-by-unknown-intern',
    section: '7.1',
    turnsRed: ['vault-delete.404.keeps'],
    description:
      'An intern that exists nowhere is not found, and the secret of that name is deleted at another',
    hardness: 'plain',
    override: deletesThough(404, (call) => worldOfIntern(call) === undefined, removeFrom('own')),
  },
  {
    id: 'vault-delete.429-deletes',
    section: '7.1',
    turnsRed: ['vault-delete.429.keeps'],
    description: 'A delete beyond the rate limit is refused and deletes',
    hardness: 'plain',
    override: deletesThough(429),
  },
  {
    id: 'vault-delete.500-deletes',
    section: '7.1',
    turnsRed: ['vault-delete.500.keeps'],
    description: 'A delete whose scope lookup fails answers 500 and deletes',
    hardness: 'plain',
    override: deletesThough(500),
  },
  {
    id: 'vault-delete.503-deletes-for-write-disabled-key',
    section: '7.1',
    turnsRed: ['vault-delete.503.keeps'],
    description: 'A caller for whom vault writes are disabled is refused and deletes',
    hardness: 'plain',
    override: deletesThough(503, as('write_disabled')),
  },
  {
    id: 'vault-delete.503-deletes-while-disabled',
    section: '7.1',
    turnsRed: ['vault-delete.503.keeps'],
    description: 'A delete is refused while vault writes are disabled, and deletes',
    hardness: 'plain',
    override: deletesThough(503, during('vault_writes_disabled')),
  },
  {
    id: 'vault-delete.503-deletes-where-not-configured',
    section: '7.1',
    turnsRed: ['vault-delete.503.keeps'],
    description: 'A delete is refused where the vault is not configured, and deletes',
    hardness: 'plain',
    override: deletesThough(503, during('vault_not_configured')),
  },
  {
    id: 'vault-delete.503-deletes-at-the-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.503.keeps'],
    description: 'A delete at the sibling is refused where the vault is not configured, and deletes',
    hardness: 'subtle',
    override: deletesThough(503, all(during('vault_not_configured'), through('sibling'))),
  },
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
