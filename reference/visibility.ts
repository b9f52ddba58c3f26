import type { Call } from './call.js';
import type { JsonObject } from './json.js';
import type { Intern, Scope } from './vocabulary.js';
import type { World } from './world.js';

/** Where one stored secret lies. */
export interface SecretPlace {
  readonly scope: Scope;
  readonly name: string;
}

/** The intern with this id in the workspace that the key selects (§4.1); the foreign one is in another. */
export function findIntern(world: World, internId: string): Intern | undefined {
  const id = internId.toLowerCase();
  if (id === world.interns.own) return 'own';
  return id === world.interns.sibling ? 'sibling' : undefined;
}

/** The secret that a vault delete names, if the caller's workspace has that intern and it that secret. */
export function findSecret({ behaviour, key, parameters }: Call): SecretPlace | undefined {
  if (key === undefined) return undefined;
  const scope = behaviour.findIntern(key.world, parameters.internId ?? '');
  const name = parameters.name ?? '';
  return scope !== undefined && key.world.secrets[scope].has(name) ? { scope, name } : undefined;
}

/** Takes a secret out of the caller's world. */
export function removeSecret({ key }: Call, { scope, name }: SecretPlace): void {
  key?.world.secrets[scope].delete(name);
}

/** The guardrail that a guardrail read names, if it is of the caller's world. */
export function findGuardrail({ key, parameters }: Call): JsonObject | undefined {
  if (key === undefined || parameters.id?.toLowerCase() !== key.world.guardrailId) return undefined;
  return key.world.guardrail;
}
