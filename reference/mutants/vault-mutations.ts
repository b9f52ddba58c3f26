import type { Answer, Call, GateName, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { dropGate, editAnswer, type Mutation, type When, type Where } from '../mutation.js';
import type { Intern, Operation } from '../vocabulary.js';
import type { World } from '../world.js';
import { nameOf, worldOfIntern } from './conditions.js';

/** The answer to a delete that is done (§4.1). */
export const DONE: Answer = { status: 204, headers: {} };

/** Answers some refused deletes with 204, and deletes nothing but what `remove` does. */
export function claimDone(status: number, when: When, remove?: (call: Call) => void): Mutation {
  return editAnswer({ operation: 'vault-delete', status, when }, (_answer, call) => {
    remove?.(call);
    return DONE;
  });
}

/** Leaves a gate out where the path has a slash at its end, which a filter before the router does not know. */
export function passBySlash(operation: Operation, gate: GateName): Mutation {
  const mark = '?slash';
  return {
    ...dropGate(operation, gate, ({ path }) => path.endsWith(mark)),
    rewriteTarget: (target) => target.replace(/\/$/, mark),
  };
}

/** Does something beside some answers, which stay as they are. */
export function actBeside(where: Where, act: (call: Call) => void): Mutation {
  return editAnswer(where, (answer, call) => {
    act(call);
    return answer;
  });
}

/** Refuses some deletes, but carries them out anyway. */
export function deleteThough(status: number, when: When = () => true, remove = removeNamed): Mutation {
  return actBeside({ operation: 'vault-delete', status, when }, remove);
}

/** Deletes the secret that a path names, whoever calls. */
export function removeNamed(call: Call): void {
  const world = call.key?.world ?? worldOfIntern(call);
  const intern = world && conforming.findIntern(world, call.parameters.internId ?? '');
  if (intern !== undefined) world?.secrets[intern].delete(nameOf(call));
}

/** Answers some deletes with 204, and keeps the secret. */
export function keepSecret(isKept: (call: Call, place: SecretPlace) => boolean): Mutation {
  return {
    removeSecret: (call, place) => {
      if (!isKept(call, place)) conforming.removeSecret(call, place);
    },
  };
}

/** Deletes further secrets with the one named. */
export function takeAlong(others: (call: Call, named: SecretPlace) => void): Mutation {
  return {
    removeSecret: (call, place) => {
      conforming.removeSecret(call, place);
      others(call, place);
    },
  };
}

/** Deletes those secrets of the same intern too whose names are like the one named. */
export function takeLike(isLike: (name: string, named: string) => boolean): Mutation {
  return takeAlong((call, { scope, name: named }) => {
    const secrets = call.key?.world.secrets[scope];
    for (const name of [...(secrets?.keys() ?? [])]) if (isLike(name, named)) secrets?.delete(name);
  });
}

/** Looks at another place where the reference finds no secret. */
export function elseFind(find: (call: Call) => SecretPlace | undefined): Mutation {
  return { findSecret: (call) => conforming.findSecret(call) ?? find(call) };
}

/** Looks for another intern of the same world where the reference finds none of an id. */
export function elseFindIntern(find: (id: string, known: World['interns']) => Intern | undefined): Mutation {
  return { findIntern: (world, id) => conforming.findIntern(world, id) ?? find(id, world.interns) };
}

/** Finds a secret of the same intern with a similar name where none has the name. */
export function findAlike(isAlike: (stored: string, named: string) => boolean): Mutation {
  return elseFind((call) => {
    const scope = call.key && call.behaviour.findIntern(call.key.world, call.parameters.internId ?? '');
    const names = scope === undefined ? [] : [...(call.key?.world.secrets[scope].keys() ?? [])];
    const name = names.find((stored) => isAlike(stored, nameOf(call)));
    return scope === undefined || name === undefined ? undefined : { scope, name };
  });
}

/** Returns the value of a secret; empty where there is none. */
export function valueAt({ key }: Call, { scope, name }: SecretPlace): string {
  return key?.world.secrets[scope].get(name) ?? '';
}

/** Hides secrets of some values. */
export function hideByValue(isHidden: (value: string) => boolean): Mutation {
  return hideSecret((call, place) => isHidden(valueAt(call, place)));
}

/** Hides some secrets. */
export function hideSecret(isHidden: (call: Call, place: SecretPlace) => boolean): Mutation {
  return {
    findSecret: (call) => {
      const place = conforming.findSecret(call);
      return place && isHidden(call, place) ? undefined : place;
    },
  };
}
