import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { noGate } from '../override.js';
import type { Scope } from '../vocabulary.js';
import {
  all,
  elseFinds,
  isStored,
  longName,
  namedIntern,
  nameOf,
  storedFor,
  through,
  type When,
  worldOfIntern,
} from './vault-delete-builders.js';

/** Mutants of the area vault-delete: a delete looks for its secret in the wrong place (§1, §7.1). */
export const vaultDeleteMutants: readonly Mutant[] = [
  {
    id: 'vault-delete.sibling-secret-through-own',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-intern'],
    description: "A secret that only the sibling intern has is deleted through the other intern's path",
    hardness: 'plain',
    override: {
      findSecret: (call) => {
        const place = conforming.findSecret(call);
        const name = call.parameters.name ?? '';
        if (place !== undefined || call.key === undefined) return place;
        const { world } = call.key;
        const intern = call.behaviour.findIntern(world, call.parameters.internId ?? '');
        return intern === 'own' && world.secrets.sibling.has(name) ? { scope: 'sibling', name } : undefined;
      },
    },
  },
  {
    id: 'vault-delete.own-secret-through-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-intern'],
    description: "A secret that only the first intern has is deleted through the sibling's path",
    hardness: 'subtle',
    override: fallsBackTo('own', through('sibling')),
  },
  {
    id: 'vault-delete.sibling-secret-by-long-name',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-intern'],
    description:
      "The sibling's secret is deleted through the other intern if its name has over 64 characters",
    hardness: 'subtle',
    override: fallsBackTo('sibling', all(through('own'), longName)),
  },
  {
    id: 'vault-delete.workspace-fallback',
    section: '1',
    turnsRed: ['vault-delete.404.workspace-secret'],
    description: 'A secret that the intern lacks is looked for in the workspace, and deleted there',
    hardness: 'plain',
    override: fallsBackTo('workspace'),
  },
  {
    id: 'vault-delete.workspace-fallback-for-sibling',
    section: '1',
    turnsRed: ['vault-delete.404.workspace-secret'],
    description: 'The secrets of the workspace are reached through the sibling intern only',
    hardness: 'subtle',
    override: fallsBackTo('workspace', through('sibling')),
  },
  {
    id: 'vault-delete.workspace-fallback-by-long-name',
    section: '1',
    turnsRed: ['vault-delete.404.workspace-secret'],
    description: 'A secret of the workspace is reached through an intern if its name has over 64 characters',
    hardness: 'subtle',
    override: fallsBackTo('workspace', longName),
  },
  {
    id: 'vault-delete.foreign-secret-through-own',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-secret'],
    description:
      'A secret that only an intern of another workspace has is deleted through an intern of this one',
    hardness: 'plain',
    override: fallsBackTo('foreign', through('own')),
  },
  {
    id: 'vault-delete.foreign-secret-through-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-secret'],
    description: 'A secret that only an intern of another workspace has is deleted through the sibling',
    hardness: 'subtle',
    override: fallsBackTo('foreign', through('sibling')),
  },
  {
    id: 'vault-delete.foreign-intern-served',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-intern'],
    description: 'An intern of another workspace is served like one of the own workspace',
    hardness: 'plain',
    override: {
      findIntern: (world, id) =>
        conforming.findIntern(world, id) ?? (id === world.interns.foreign ? 'foreign' : undefined),
    },
  },
  {
    id: 'vault-delete.foreign-intern-stands-for-own',
    section: '7.1',
    turnsRed: ['vault-delete.404.foreign-intern'],
    description: 'A delete at an intern of another workspace takes the secret of that name at the own intern',
    hardness: 'subtle',
    override: {
      findIntern: (world, id) =>
        conforming.findIntern(world, id) ?? (id === world.interns.foreign ? 'own' : undefined),
    },
  },
  {
    id: 'vault-delete.any-workspace',
    section: '7.1',
    turnsRed: ['vault-delete.404.other-workspace'],
    description: 'An intern is looked for in all workspaces, whatever workspace the key selects',
    hardness: 'plain',
    override: {
      ...noGate('vault-delete', 'intern-in-workspace', (call) => worldOfIntern(call) !== undefined),
      findSecret: (call) => conforming.findSecret(inWorldOfIntern(call)),
      removeSecret: (call, place) => conforming.removeSecret(inWorldOfIntern(call), place),
    },
  },
  {
    id: 'vault-delete.secret-of-any-workspace',
    section: '7.1',
    turnsRed: ['vault-delete.404.never-stored'],
    description:
      'A name that is stored nowhere in the workspace is looked for in every other one, and deleted there',
    hardness: 'subtle',
    override: {
      ...elseFinds((call) =>
        namedIntern(call) !== undefined && worldsWithName(call).length > 0
          ? { scope: 'own', name: nameOf(call) }
          : undefined,
      ),
      removeSecret: (call, place) => {
        if (conforming.findSecret(call) !== undefined) conforming.removeSecret(call, place);
        else worldsWithName(call)[0]?.secrets.own.delete(place.name);
      },
    },
  },
  {
    id: 'vault-delete.intern-by-first-block',
    section: '7.1',
    turnsRed: ['vault-delete.404.similar-intern'],
    description: 'An unknown internId that begins like a known one, up to the first dash, is taken for it',
    hardness: 'plain',
    override: internLike((id, known) => id.slice(0, 8) === known.slice(0, 8)),
  },
  {
    id: 'vault-delete.intern-by-four-blocks',
    section: '7.1',
    turnsRed: ['vault-delete.404.similar-intern'],
    description: 'The last block of an internId is not compared',
    hardness: 'subtle',
    override: internLike((id, known) => id.slice(0, 24) === known.slice(0, 24)),
  },
  {
    id: 'vault-delete.intern-without-last-digit',
    section: '7.1',
    turnsRed: ['vault-delete.404.similar-intern'],
    description: 'The last digit of an internId is not compared',
    hardness: 'subtle',
    override: internLike((id, known) => id.slice(0, 35) === known.slice(0, 35)),
  },
  {
    id: 'vault-delete.intern-by-last-block',
    section: '7.1',
    turnsRed: ['vault-delete.404.similar-intern'],
    description: 'Only the last block of an internId is compared',
    hardness: 'subtle',
    override: internLike((id, known) => id.slice(24) === known.slice(24)),
  },
  {
    id: 'vault-delete.sibling-taken-for-own',
    section: '7.1',
    turnsRed: ['vault-delete.404.similar-intern', 'vault-delete.204.deleted'],
    description:
      'Interns are told apart by the first block of their ids alone, so that the sibling is the other one',
    hardness: 'subtle',
    override: {
      findIntern: (world, id) => (id.slice(0, 8) === world.interns.own.slice(0, 8) ? 'own' : undefined),
    },
  },
  {
    id: 'vault-delete.any-intern',
    section: '7.1',
    turnsRed: ['vault-delete.404.unknown-intern'],
    description:
      'Any UUID will do for the internId: a delete takes the secret of that name at the first intern',
    hardness: 'plain',
    override: { findIntern: (world, id) => conforming.findIntern(world, id) ?? 'own' },
  },
  {
    id: 'vault-delete.unknown-intern-is-the-workspace',
    section: '7.1',
    turnsRed: ['vault-delete.404.unknown-intern'],
    description: 'A delete at an intern that does not exist takes the secret of that name at the workspace',
    hardness: 'subtle',
    override: {
      ...noGate('vault-delete', 'intern-in-workspace', (call) => isStored(call, 'workspace')),
      ...elseFinds((call) =>
        namedIntern(call) === undefined && isStored(call, 'workspace')
          ? { scope: 'workspace', name: nameOf(call) }
          : undefined,
      ),
    },
  },
  {
    id: 'vault-delete.unknown-intern-is-the-sibling',
    section: '7.1',
    turnsRed: ['vault-delete.404.unknown-intern'],
    description: 'A delete at an intern that does not exist takes the secret of that name at the sibling',
    hardness: 'subtle',
    override: {
      findIntern: (world, id) =>
        conforming.findIntern(world, id) ?? (id === world.interns.foreign ? undefined : 'sibling'),
    },
  },
  {
    id: 'vault-delete.found-by-beginning',
    section: '7.1',
    turnsRed: ['vault-delete.404.never-stored'],
    description: 'Where a name is not stored, the first stored name that begins with it is deleted instead',
    hardness: 'subtle',
    override: elseFinds((call) => {
      const scope = namedIntern(call);
      if (call.key === undefined || scope === undefined || scope === 'foreign') return undefined;
      const names = [...call.key.world.secrets[scope].keys()];
      const name = names.find((stored) => stored.startsWith(nameOf(call)));
      return name === undefined ? undefined : { scope, name };
    }),
  },
];

/** A secret that is not found where the path says is taken from another scope of the caller's world. */
function fallsBackTo(scope: Scope, when: When = () => true): Override {
  const isThere = all(storedFor(scope), (call) => ['own', 'sibling'].includes(namedIntern(call) ?? ''), when);
  return elseFinds((call) => (isThere(call) ? { scope, name: nameOf(call) } : undefined));
}

/** An id that no intern has is taken for the own intern's if it is like that. */
function internLike(isLike: (id: string, known: string) => boolean): Override {
  return {
    findIntern: (world, id) =>
      conforming.findIntern(world, id) ?? (isLike(id, world.interns.own) ? 'own' : undefined),
  };
}

/** The call as if its key belonged to the world whose intern it names. */
function inWorldOfIntern(call: Call): Call {
  const world = worldOfIntern(call);
  return call.key === undefined || world === undefined ? call : { ...call, key: { ...call.key, world } };
}

/** The worlds other than the caller's whose own intern has the secret of the path. */
function worldsWithName({ server, key, parameters }: Call) {
  return [...server.store.worlds()].filter(
    (world) => world !== key?.world && world.secrets.own.has(parameters.name ?? ''),
  );
}
