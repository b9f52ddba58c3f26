import type { Answer, Call, Refusal, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { editAnswer, editGate, type Mutation, type When, type Where } from '../mutation.js';
import type { Intern } from '../vocabulary.js';
import type { World } from '../world.js';
import { nameOf, worldOfIntern } from './conditions.js';

/** The answer to a delete that is done (§4.1). */
export const DONE: Answer = { status: 204, headers: {} };

/** A delete that would be done is refused, for some calls. */
export function refuseDelete(status: number, when: When): Mutation {
  return editGate(
    'vault-delete',
    'secret-exists',
    (call, original) => original(call) ?? (when(call) ? makeRefusal(status) : undefined),
  );
}

/** Some deletes that are refused are answered 204 instead, and nothing is deleted. */
export function claimDone(status: number, when: When = () => true): Mutation {
  return editAnswer({ operation: 'vault-delete', status, when }, () => DONE);
}

/** Some answers stay as they are, and something is done beside them. */
export function actBeside(where: Where, act: (call: Call) => void): Mutation {
  return editAnswer(where, (answer, call) => {
    act(call);
    return answer;
  });
}

/** Some refused deletes take the secret all the same. */
export function deleteThough(status: number, when: When = () => true, remove = removeNamed): Mutation {
  return actBeside({ operation: 'vault-delete', status, when }, remove);
}

/** Takes the secret that a path names, whoever calls. */
export function removeNamed(call: Call): void {
  const world = call.key?.world ?? worldOfIntern(call);
  const intern = world && conforming.findIntern(world, call.parameters.internId ?? '');
  if (intern !== undefined) world?.secrets[intern].delete(nameOf(call));
}

/** A delete takes further secrets along. */
export function takeAlong(others: (call: Call, named: SecretPlace) => void): Mutation {
  return {
    removeSecret: (call, place) => {
      conforming.removeSecret(call, place);
      others(call, place);
    },
  };
}

/** A delete takes those secrets of the same intern along whose names are like the one named. */
export function takeLike(isLike: (name: string, named: string) => boolean): Mutation {
  return takeAlong((call, { scope, name: named }) => {
    const secrets = call.key?.world.secrets[scope];
    for (const name of [...(secrets?.keys() ?? [])]) if (isLike(name, named)) secrets?.delete(name);
  });
}

/** Where the reference finds no secret, another place is looked at. */
export function elseFind(find: (call: Call) => SecretPlace | undefined): Mutation {
  return { findSecret: (call) => conforming.findSecret(call) ?? find(call) };
}

/** Where the reference finds no intern of an id, another of the same world is looked for. */
export function elseFindIntern(
  find: (id: string, interns: World['interns']) => Intern | undefined,
): Mutation {
  return { findIntern: (world, id) => conforming.findIntern(world, id) ?? find(id, world.interns) };
}

/** Where no secret has the name, one of the same intern is taken whose name is like it. */
export function findAlike(isAlike: (stored: string, named: string) => boolean): Mutation {
  return elseFind((call) => {
    const scope = call.key && call.behaviour.findIntern(call.key.world, call.parameters.internId ?? '');
    const names = scope === undefined ? [] : [...(call.key?.world.secrets[scope].keys() ?? [])];
    const name = names.find((stored) => isAlike(stored, nameOf(call)));
    return scope === undefined || name === undefined ? undefined : { scope, name };
  });
}

/** The value of a secret; empty where there is none. */
export function valueAt({ key }: Call, { scope, name }: SecretPlace): string {
  return key?.world.secrets[scope].get(name) ?? '';
}

/** Secrets of some values are not found. */
export function hideByValue(isHidden: (value: string) => boolean): Mutation {
  return hideSecret((call, place) => isHidden(valueAt(call, place)));
}

/** Some secrets are not found. */
export function hideSecret(isHidden: (call: Call, place: SecretPlace) => boolean): Mutation {
  return {
    findSecret: (call) => {
      const place = conforming.findSecret(call);
      return place && isHidden(call, place) ? undefined : place;
    },
  };
}

/** A refusal that the reference does not know. */
export function makeRefusal(status: number): Refusal {
  return { status, message: 'This delete is refused' };
}
