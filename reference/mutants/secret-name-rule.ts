import type { Call, Refusal, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { gate, type Override } from '../mutation.js';

// The ways in which mutants depart from the rule of secret names (§2.3).

/** Names are accepted that are none, in addition to those that are. */
export function accepts(isAccepted: (name: string) => boolean): Override {
  return { isSecretName: (name) => conforming.isSecretName(name) || isAccepted(name) };
}

/** A name is accepted when it would be one with an `x` in place of what matches. */
export function acceptsSigns(signs: RegExp | string): Override {
  return accepts((name) => conforming.isSecretName(name.replaceAll(signs, 'x')));
}

/** A name is accepted when it would be one without what matches. */
export function acceptsBeside(superfluous: RegExp): Override {
  return accepts((name) => conforming.isSecretName(name.replace(superfluous, '')));
}

/** Legal names are refused that match. */
export function refusesNames(pattern: RegExp): Override {
  return { isSecretName: (name) => conforming.isSecretName(name) && !pattern.test(name) };
}

/** A name is changed before it is checked and looked up; the change must leave legal names alone. */
export function readsNameAs(change: (name: string) => string): Override {
  return {
    isSecretName: (name) => conforming.isSecretName(change(name)),
    findSecret: (call) => {
      const parameters = { ...call.parameters, name: change(call.parameters.name ?? '') };
      return conforming.findSecret({ ...call, parameters });
    },
  };
}

/** Where no secret has the name, one is taken whose name is like it. */
export function findsAlike(isAlike: (stored: string, asked: string) => boolean): Override {
  return { findSecret: (call) => conforming.findSecret(call) ?? alikePlace(call, isAlike) };
}

function alikePlace(
  { behaviour, key, parameters }: Call,
  isAlike: (stored: string, asked: string) => boolean,
): SecretPlace | undefined {
  const scope = key && behaviour.findIntern(key.world, parameters.internId ?? '');
  if (key === undefined || scope === undefined) return undefined;
  for (const name of key.world.secrets[scope].keys()) {
    if (isAlike(name, parameters.name ?? '')) return { scope, name };
  }
  return undefined;
}

/** Some illegal names are refused with another status than 400. */
export function illegalNames(status: number, which: RegExp): Override {
  return gate('vault-delete', 'secret-name', (call, original) => {
    const refusal = original(call);
    return refusal !== undefined && which.test(call.parameters.name ?? '') ? { ...refusal, status } : refusal;
  });
}

/** Legal names are refused when they are sent in a form that matches, percent-encoding included. */
export function refusesForms(form: RegExp): Override {
  return gate('vault-delete', 'secret-name', (call, original) =>
    form.test(sentName(call)) ? NOT_A_NAME : original(call),
  );
}

/** Legal names that match are refused in some other way than as no names. */
export function legalNames(status: number, which: RegExp): Override {
  return gate('vault-delete', 'secret-exists', (call, original) =>
    which.test(call.parameters.name ?? '') ? { status, message: 'Refused' } : original(call),
  );
}

const NOT_A_NAME: Refusal = { status: 400, message: 'name is not a valid secret name' };

/** The name as it stands in the path. */
function sentName({ path }: Call): string {
  const [target = ''] = path.split('?');
  return target.slice(target.lastIndexOf('/') + 1);
}
