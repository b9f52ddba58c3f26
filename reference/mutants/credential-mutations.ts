import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import type { Mutation } from '../mutation.js';
import type { Operation, Role } from '../vocabulary.js';
import type { Key } from '../world.js';
import type { When } from './conditions.js';

// The ways in which mutants depart from the rules of authentication (§5).

/** The operations of a server that take a key. */
export type KeyedOperation = Extract<Operation, 'vault-delete' | 'guardrail-read' | 'key-read' | 'inference'>;

/** A header that names no key exactly is taken to name the first one of which this is true. */
export function alsoAccept(isNamed: (authorization: string, key: string) => boolean): Mutation {
  return {
    authenticate: (authorization, store) => {
      const exact = conforming.authenticate(authorization, store);
      if (exact !== undefined || authorization === undefined) return exact;
      for (const key of store.keys()) if (isNamed(authorization, key.text)) return key;
      return undefined;
    },
  };
}

/** One operation serves some calls without a known key as if they came with the good one. */
export function serveKeyless(operation: KeyedOperation, when: When): Mutation {
  const withKey = (call: Call): Call =>
    call.key === undefined && when(call) ? { ...call, key: findOwner(call) } : call;
  const gates = conforming.gates[operation].map(({ name, refuse }) => ({
    name,
    refuse: (call: Call) => refuse(withKey(call)),
  }));
  return {
    gates: { ...conforming.gates, [operation]: gates },
    effects: {
      ...conforming.effects,
      [operation]: (call: Call) => conforming.effects[operation](withKey(call)),
    },
  };
}

/** The good key for what a call names: of the world with that intern or that guardrail, else of the oldest one. */
export function findOwner({ operation, parameters, server }: Call): Key | undefined {
  const role: Role = operation === 'guardrail-read' ? 'management' : 'member';
  for (const world of server.store.worlds()) {
    const isNamed =
      operation === 'vault-delete'
        ? conforming.findIntern(world, parameters.internId ?? '') !== undefined
        : operation !== 'guardrail-read' || world.guardrailId === parameters.id;
    if (isNamed) return world.keys.get(role);
  }
  return undefined;
}
