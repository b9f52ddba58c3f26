import type { Call, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { editGate, type Mutation } from '../mutation.js';
import { nameOf } from './conditions.js';

// The ways in which mutants depart from the rule of secret names (§2.3).

/** Names are accepted that are none, in addition to those that are. */
export function acceptName(isAccepted: (name: string) => boolean): Mutation {
  return { isSecretName: (name) => conforming.isSecretName(name) || isAccepted(name) };
}

/** A name is accepted when it would be one with an `x` in place of what matches. */
export function acceptSigns(signs: RegExp): Mutation {
  return acceptName((name) => conforming.isSecretName(name.replaceAll(signs, 'x')));
}

/** A name is accepted when it would be one without what matches. */
export function acceptBeside(superfluous: RegExp): Mutation {
  return acceptName((name) => conforming.isSecretName(name.replace(superfluous, '')));
}

/** Legal names are refused that match. */
export function refuseNames(pattern: RegExp): Mutation {
  return { isSecretName: (name) => conforming.isSecretName(name) && !pattern.test(name) };
}

/** A name is changed before it is checked and looked up; the change must leave legal names alone. */
export function readNameAs(change: (name: string) => string): Mutation {
  return {
    isSecretName: (name) => conforming.isSecretName(change(name)),
    findSecret: (call) =>
      conforming.findSecret({ ...call, parameters: { ...call.parameters, name: change(nameOf(call)) } }),
  };
}

/** Where no secret has the name, one is taken whose name is like it. */
export function findAlike(isAlike: (stored: string, asked: string) => boolean): Mutation {
  const findOther = (call: Call): SecretPlace | undefined => {
    const { behaviour, key, parameters } = call;
    const scope = key && behaviour.findIntern(key.world, parameters.internId ?? '');
    if (key === undefined || scope === undefined) return undefined;
    const name = [...key.world.secrets[scope].keys()].find((stored) => isAlike(stored, nameOf(call)));
    return name === undefined ? undefined : { scope, name };
  };
  return { findSecret: (call) => conforming.findSecret(call) ?? findOther(call) };
}

/** Illegal names are refused with another status than 400 where they match. */
export function refuseIllegalWith(status: number): (which: RegExp) => Mutation {
  return (which) =>
    editGate('vault-delete', 'secret-name', (call, original) => {
      const refusal = original(call);
      return refusal !== undefined && which.test(nameOf(call)) ? { ...refusal, status } : refusal;
    });
}

/** Legal names are refused when they are sent in a form that matches, percent-encoding included. */
export function refuseForms(form: RegExp): Mutation {
  return editGate('vault-delete', 'secret-name', (call, original) => {
    const [target = ''] = call.path.split('?');
    const isRefused = form.test(target.slice(target.lastIndexOf('/') + 1));
    return isRefused ? { status: 400, message: 'name is not a valid secret name' } : original(call);
  });
}
