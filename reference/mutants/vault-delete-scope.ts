import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { dropGate, type Mutation } from '../mutation.js';
import type { Scope } from '../vocabulary.js';
import {
  all,
  isStored,
  longName,
  namedIntern,
  nameOf,
  storedFor,
  through,
  type When,
  worldOfIntern,
} from './conditions.js';
import { elseFind } from './vault-mutations.js';

/** Mutants of the area vault-delete: a delete looks for its secret in the wrong place (§1, §7.1). */
export const vaultDeleteScopeMutants: readonly Mutant[] = [
  ...makeMutants('vault-delete.404.other-intern', {
    'vault-delete.sibling-secret-through-own': plain(
      "A secret that only the sibling intern has is deleted through the other intern's path",
      fallBackTo('sibling', through('own')),
    ),
    'vault-delete.own-secret-through-sibling': everyday.subtle(
      "A secret that only the first intern has is deleted through the sibling's path",
      fallBackTo('own', through('sibling')),
    ),
    'vault-delete.sibling-secret-by-long-name': everyday.subtle(
      "The sibling's secret is deleted through the other intern if its name has over 64 characters",
      fallBackTo('sibling', all(through('own'), longName)),
    ),
  }),
  ...makeMutants('vault-delete.404.workspace-secret', {
    'vault-delete.workspace-fallback': plain(
      'A secret that the intern lacks is looked for in the workspace, and deleted there',
      fallBackTo('workspace'),
    ),
    'vault-delete.workspace-fallback-by-long-name': everyday.subtle(
      'A secret of the workspace is reached through an intern if its name has over 64 characters',
      fallBackTo('workspace', longName),
    ),
  }),
  ...makeMutants('vault-delete.404.foreign-secret', {
    'vault-delete.foreign-secret-through-sibling': everyday.subtle(
      'A secret that only an intern of another workspace has is deleted through the sibling',
      fallBackTo('foreign', through('sibling')),
    ),
  }),
  ...makeMutants('vault-delete.404.other-workspace', {
    'vault-delete.any-workspace': everyday.plain(
      'An intern is looked for in all workspaces, whatever workspace the key selects',
      {
        ...dropGate('vault-delete', 'intern-in-workspace', (call) => worldOfIntern(call) !== undefined),
        findSecret: (call) => conforming.findSecret(inWorldOfIntern(call)),
        removeSecret: (call, place) => conforming.removeSecret(inWorldOfIntern(call), place),
      },
    ),
  }),
  ...makeMutants('vault-delete.404.similar-intern', {
    'vault-delete.intern-by-first-block': everyday.plain(
      'An unknown internId that begins like a known one, up to the first dash, is taken for it',
      matchIntern((id, known) => id.slice(0, 8) === known.slice(0, 8)),
    ),
    'vault-delete.intern-by-four-blocks': everyday.subtle(
      'The last block of an internId is not compared',
      matchIntern((id, known) => id.slice(0, 24) === known.slice(0, 24)),
    ),
  }),
  ...makeMutants('vault-delete.404.unknown-intern', {
    'vault-delete.unknown-intern-is-the-workspace': everyday.subtle(
      'A delete at an intern that does not exist takes the secret of that name at the workspace',
      {
        ...dropGate('vault-delete', 'intern-in-workspace', (call) => isStored(call, 'workspace')),
        ...elseFind((call) =>
          namedIntern(call) === undefined && isStored(call, 'workspace')
            ? { scope: 'workspace', name: nameOf(call) }
            : undefined,
        ),
      },
    ),
    'vault-delete.workspace-id-is-the-workspace': subtle(
      "A delete at an intern whose id is the workspace's takes the secret of that name at the workspace",
      {
        ...dropGate('vault-delete', 'intern-in-workspace', namesWorkspace),
        ...elseFind((call) =>
          namesWorkspace(call) && isStored(call, 'workspace')
            ? { scope: 'workspace', name: nameOf(call) }
            : undefined,
        ),
      },
    ),
    'vault-delete.unknown-intern-is-the-sibling': everyday.subtle(
      'A delete at an intern that does not exist takes the secret of that name at the sibling',
      {
        findIntern: (world, id) =>
          conforming.findIntern(world, id) ?? (id === world.interns.foreign ? undefined : 'sibling'),
      },
    ),
  }),
];

function namesWorkspace({ key, parameters }: Call): boolean {
  return parameters.internId?.toLowerCase() === key?.world.workspaceId;
}

/** A secret that is not found where the path says is taken from another scope of the caller's world. */
function fallBackTo(scope: Scope, when: When = () => true): Mutation {
  const isThere = all(storedFor(scope), (call) => ['own', 'sibling'].includes(namedIntern(call) ?? ''), when);
  return elseFind((call) => (isThere(call) ? { scope, name: nameOf(call) } : undefined));
}

/** An id that no intern has is taken for the own intern's if it is like that. */
function matchIntern(isLike: (id: string, known: string) => boolean): Mutation {
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
