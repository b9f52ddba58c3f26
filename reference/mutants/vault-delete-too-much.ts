import type { Mutant } from '../mutant.js';
import { takesAlong, takesLike } from './vault-delete-builders.js';

/** Mutants of the vault delete that take more than the one secret that is named (§1, §4.1). */
export const vaultDeleteTooMuchMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.takes-longer-names',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Every name that begins with the one named goes too',
    hardness: 'plain',
    override: takesLike((name, named) => name.startsWith(named)),
  },
  {
    id: 'vault-delete.takes-names-that-end-alike',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Every name that ends with the one named goes too',
    hardness: 'plain',
    override: takesLike((name, named) => name.endsWith(named)),
  },
  {
    id: 'vault-delete.takes-shorter-names',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Every name that the one named begins with goes too',
    hardness: 'subtle',
    override: takesLike((name, named) => named.startsWith(name)),
  },
  {
    id: 'vault-delete.takes-names-below',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Every name that goes on after the one named with an underscore goes too',
    hardness: 'subtle',
    override: takesLike((name, named) => name.startsWith(`${named}_`)),
  },
  {
    id: 'vault-delete.takes-numbered-names',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Names that differ from the one named by digits at the end go too',
    hardness: 'subtle',
    override: takesLike((name, named) => name.replace(/\d+$/, '') === named.replace(/\d+$/, '')),
  },
  {
    id: 'vault-delete.takes-by-pattern',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'An underscore in the name stands for any one character',
    hardness: 'subtle',
    override: takesLike((name, named) => new RegExp(`^${named.replaceAll('_', '.')}$`).test(name)),
  },
  {
    id: 'vault-delete.takes-without-underscores',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Names that differ by underscores alone go together',
    hardness: 'subtle',
    override: takesLike((name, named) => name.replaceAll('_', '') === named.replaceAll('_', '')),
  },
  {
    id: 'vault-delete.takes-by-64-characters',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Names are compared by their first 64 characters when secrets are taken out',
    hardness: 'subtle',
    override: takesLike((name, named) => name.slice(0, 64) === named.slice(0, 64)),
  },
  {
    id: 'vault-delete.takes-by-254-characters',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'The 255th character of a name is not compared when secrets are taken out',
    hardness: 'subtle',
    override: takesLike((name, named) => name.slice(0, 254) === named.slice(0, 254)),
  },
  {
    id: 'vault-delete.takes-equally-long-names',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Names of the same length as the one named go too',
    hardness: 'subtle',
    override: takesLike((name, named) => name.length === named.length),
  },
  {
    id: 'vault-delete.takes-the-next',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'The secret that was stored after the one named goes too',
    hardness: 'subtle',
    override: {
      removeSecret: ({ key }, { scope, name }) => {
        const secrets = key?.world.secrets[scope];
        const names = [...(secrets?.keys() ?? [])];
        const at = names.indexOf(name);
        for (const gone of names.slice(at, at + 2)) secrets?.delete(gone);
      },
    },
  },
  {
    id: 'vault-delete.takes-the-oldest',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'The secret that was stored first goes in place of the one named',
    hardness: 'subtle',
    override: {
      removeSecret: ({ key }, { scope }) => {
        const secrets = key?.world.secrets[scope];
        for (const name of [...(secrets?.keys() ?? [])].slice(0, 1)) secrets?.delete(name);
      },
    },
  },
  {
    id: 'vault-delete.takes-all-of-the-intern',
    section: '4.1',
    turnsRed: ['vault-delete.204.only-the-named'],
    description: 'Every secret of the intern goes',
    hardness: 'plain',
    override: takesLike(() => true),
  },
  {
    id: 'vault-delete.takes-the-sibling-s-too',
    section: '1',
    turnsRed: ['vault-delete.204.only-this-intern'],
    description: 'The same name goes at the sibling too',
    hardness: 'plain',
    override: takesAlong(({ key }, { name }) => key?.world.secrets.sibling.delete(name)),
  },
  {
    id: 'vault-delete.takes-own-s-with-the-sibling-s',
    section: '1',
    turnsRed: ['vault-delete.204.only-this-intern'],
    description: 'A delete at the sibling takes the same name at the first intern too',
    hardness: 'subtle',
    override: takesAlong(({ key }, { name }) => key?.world.secrets.own.delete(name)),
  },
  {
    id: 'vault-delete.takes-the-sibling-s-instead',
    section: '1',
    turnsRed: ['vault-delete.204.only-this-intern'],
    description: 'Where both interns have the name, a delete at the first takes it at the sibling',
    hardness: 'subtle',
    override: {
      removeSecret: ({ key }, { scope, name }) => {
        const secrets = key?.world.secrets;
        if (scope === 'workspace' || secrets?.sibling.delete(name) !== true) secrets?.[scope].delete(name);
      },
    },
  },
  {
    id: 'vault-delete.last-secret-empties-the-sibling',
    section: '1',
    turnsRed: ['vault-delete.204.only-this-intern'],
    description: 'With the last secret of one intern all secrets of the sibling go',
    hardness: 'subtle',
    override: takesAlong(({ key }, { scope }) => {
      if (scope === 'own' && key?.world.secrets.own.size === 0) key.world.secrets.sibling.clear();
    }),
  },
  {
    id: 'vault-delete.takes-the-workspace-s-too',
    section: '1',
    turnsRed: ['vault-delete.204.only-this-scope'],
    description: 'The same name goes at the workspace too',
    hardness: 'plain',
    override: takesAlong(({ key }, { name }) => key?.world.secrets.workspace.delete(name)),
  },
  {
    id: 'vault-delete.takes-the-foreign-intern-s-too',
    section: '1',
    turnsRed: ['vault-delete.204.only-this-scope'],
    description: 'The same name goes at the foreign intern too',
    hardness: 'plain',
    override: takesAlong(({ key }, { name }) => key?.world.secrets.foreign.delete(name)),
  },
  {
    id: 'vault-delete.takes-from-every-workspace',
    section: '1',
    turnsRed: ['vault-delete.204.only-this-scope'],
    description: 'The same name goes at the interns of every other workspace too',
    hardness: 'plain',
    override: takesAlong(({ server }, { name }) => {
      for (const { secrets } of server.store.worlds()) secrets.own.delete(name);
    }),
  },
];
