import { type Mutant, makeMutants } from '../mutant.js';
import { takesAlong, takesLike } from './vault-delete-builders.js';

/** Mutants of the vault delete that take more than the one secret that is named (§1, §4.1). */
export const vaultDeleteTooMuchMutants: readonly Mutant[] = [
  ...makeMutants('4.1', ['vault-delete.204.only-the-named'], {
    'vault-delete.takes-longer-names': {
      plain: 'Every name that begins with the one named goes too',
      override: takesLike((name, named) => name.startsWith(named)),
    },
    'vault-delete.takes-names-that-end-alike': {
      everydayPlain: 'Every name that ends with the one named goes too',
      override: takesLike((name, named) => name.endsWith(named)),
    },
    'vault-delete.takes-shorter-names': {
      subtle: 'Every name that the one named begins with goes too',
      override: takesLike((name, named) => named.startsWith(name)),
    },
    'vault-delete.takes-names-below': {
      subtle: 'Every name that goes on after the one named with an underscore goes too',
      override: takesLike((name, named) => name.startsWith(`${named}_`)),
    },
    'vault-delete.takes-numbered-names': {
      subtle: 'Names that differ from the one named by digits at the end go too',
      override: takesLike((name, named) => name.replace(/\d+$/, '') === named.replace(/\d+$/, '')),
    },
    'vault-delete.takes-by-pattern': {
      subtle: 'An underscore in the name stands for any one character',
      override: takesLike((name, named) => new RegExp(`^${named.replaceAll('_', '.')}$`).test(name)),
    },
    'vault-delete.takes-without-underscores': {
      subtle: 'Names that differ by underscores alone go together',
      override: takesLike((name, named) => name.replaceAll('_', '') === named.replaceAll('_', '')),
    },
    'vault-delete.takes-by-64-characters': {
      subtle: 'Names are compared by their first 64 characters when secrets are taken out',
      override: takesLike((name, named) => name.slice(0, 64) === named.slice(0, 64)),
    },
    'vault-delete.takes-by-254-characters': {
      subtle: 'The 255th character of a name is not compared when secrets are taken out',
      override: takesLike((name, named) => name.slice(0, 254) === named.slice(0, 254)),
    },
    'vault-delete.takes-equally-long-names': {
      subtle: 'Names of the same length as the one named go too',
      override: takesLike((name, named) => name.length === named.length),
    },
    'vault-delete.takes-the-next': {
      subtle: 'The secret that was stored after the one named goes too',
      override: {
        removeSecret: ({ key }, { scope, name }) => {
          const secrets = key?.world.secrets[scope];
          const names = [...(secrets?.keys() ?? [])];
          const at = names.indexOf(name);
          for (const gone of names.slice(at, at + 2)) secrets?.delete(gone);
        },
      },
    },
    'vault-delete.takes-the-oldest': {
      subtle: 'The secret that was stored first goes in place of the one named',
      override: {
        removeSecret: ({ key }, { scope }) => {
          const secrets = key?.world.secrets[scope];
          for (const name of [...(secrets?.keys() ?? [])].slice(0, 1)) secrets?.delete(name);
        },
      },
    },
    'vault-delete.takes-all-of-the-intern': {
      plain: 'Every secret of the intern goes',
      override: takesLike(() => true),
    },
  }),
  ...makeMutants('1', ['vault-delete.204.only-this-intern'], {
    'vault-delete.takes-the-sibling-s-too': {
      plain: 'The same name goes at the sibling too',
      override: takesAlong(({ key }, { name }) => key?.world.secrets.sibling.delete(name)),
    },
    'vault-delete.takes-own-s-with-the-sibling-s': {
      subtle: 'A delete at the sibling takes the same name at the first intern too',
      override: takesAlong(({ key }, { name }) => key?.world.secrets.own.delete(name)),
    },
    'vault-delete.takes-the-sibling-s-instead': {
      subtle: 'Where both interns have the name, a delete at the first takes it at the sibling',
      override: {
        removeSecret: ({ key }, { scope, name }) => {
          const secrets = key?.world.secrets;
          if (scope === 'workspace' || secrets?.sibling.delete(name) !== true) secrets?.[scope].delete(name);
        },
      },
    },
    'vault-delete.last-secret-empties-the-sibling': {
      everydaySubtle: 'With the last secret of one intern all secrets of the sibling go',
      alsoRed: ['vault-delete.204.only-the-named', 'vault-delete.404.keeps', 'vault-delete.500.keeps'],
      override: takesAlong(({ key }, { scope }) => {
        if (scope === 'own' && key?.world.secrets.own.size === 0) key.world.secrets.sibling.clear();
      }),
    },
  }),
  ...makeMutants('1', ['vault-delete.204.only-this-scope'], {
    'vault-delete.takes-the-workspace-s-too': {
      everydayPlain: 'The same name goes at the workspace too',
      override: takesAlong(({ key }, { name }) => key?.world.secrets.workspace.delete(name)),
    },
    'vault-delete.takes-the-foreign-intern-s-too': {
      plain: 'The same name goes at the foreign intern too',
      override: takesAlong(({ key }, { name }) => key?.world.secrets.foreign.delete(name)),
    },
    'vault-delete.takes-from-every-workspace': {
      plain: 'The same name goes at the interns of every other workspace too',
      override: takesAlong(({ server }, { name }) => {
        for (const { secrets } of server.store.worlds()) secrets.own.delete(name);
      }),
    },
  }),
];
