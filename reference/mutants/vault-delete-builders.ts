import {
  type Answer,
  type Call,
  type GateName,
  JSON_MEDIA_TYPE,
  type Refusal,
  type SecretPlace,
} from '../behaviour.js';
import { conforming } from '../conforming.js';
import { answers, gate, type Override } from '../mutation.js';
import type { Fault, Intern, Role, Scope } from '../vocabulary.js';
import type { World } from '../world.js';

// What the tables of the vault delete (§4.1, §7.1) are written with, beside the builders of every area.

/** Which calls are meant. */
export type When = (call: Call) => boolean;

/** The answer to a delete that is done (§4.1). */
export const DONE: Answer = { status: 204, headers: {} };

/** A 200 with a JSON object. */
export function ok(body: Answer['body']): Answer {
  return { status: 200, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body };
}

/** The secret name in the path. */
export function nameOf({ parameters }: Call): string {
  return parameters.name ?? '';
}

/** The caller's intern that the path names, the foreign one included; undefined for any other id. */
export function namedIntern({ key, parameters }: Call): Intern | undefined {
  const id = parameters.internId?.toLowerCase();
  return (['own', 'sibling', 'foreign'] as const).find((intern) => key?.world.interns[intern] === id);
}

/** The caller is this role of some world. */
export function as(role: Role): When {
  return ({ key }) => key?.role === role;
}

/** This fault is in force in the caller's world. */
export function during(fault: Fault): When {
  return ({ key }) => key?.world.faults.includes(fault) === true;
}

/** The path names this intern. */
export function through(intern: Intern): When {
  return (call) => namedIntern(call) === intern;
}

/** Whether the caller's world has the secret of the path in this scope. */
export function isStored(call: Call, scope: Scope): boolean {
  return call.key?.world.secrets[scope].has(nameOf(call)) === true;
}

/** The caller's world has a secret of this name in this scope. */
export function storedFor(scope: Scope): When {
  return (call) => isStored(call, scope);
}

/** The request has no `Authorization` header. */
export const withoutKey: When = ({ headers }) => headers.authorization === undefined;

/** The request has a Bearer header with an unknown key; a header of another kind is another matter (§5.1). */
export const withUnknownKey: When = ({ key, headers }) =>
  key === undefined && /^Bearer \S+$/.test(headers.authorization ?? '');

/** The request arrives on the regional hostname, however it is spelt. */
export const onRegionalHost: When = ({ host, server }) =>
  conforming.isRegionalHost(host, server.regionalHost);

/** The internId has letters in upper case. */
export const upperCaseIntern: When = ({ parameters }) => /[A-F]/.test(parameters.internId ?? '');

/** Some of the name is percent-encoded in the path. */
export const encodedName: When = ({ path }) => /\/[^/?]*%[^/?]*(?:\?|$)/.test(path);

/** The request has a query string, be it an empty one. */
export const withQuery: When = ({ path }) => path.includes('?');

/** The request has a body, all of which arrived. */
export const withBody: When = ({ body }) => body.state === 'complete';

/** The name is longer than a column of 64 characters. */
export const longName: When = (call) => nameOf(call).length > 64;

/** All of these hold. */
export function all(...conditions: readonly When[]): When {
  return (call) => conditions.every((condition) => condition(call));
}

/** A delete that would be done is refused, for some calls. */
export function refuses(status: number, when: When): Override {
  return gate(
    'vault-delete',
    'secret-exists',
    (call, original) => original(call) ?? (when(call) ? refusal(status) : undefined),
  );
}

/** One gate of the delete refuses some of its calls with another status. */
export function gateStatusWhen(name: GateName, status: number, when: When): Override {
  return gate('vault-delete', name, (call, original) => {
    const refused = original(call);
    return refused !== undefined && when(call) ? { ...refused, status } : refused;
  });
}

/** A fault is not looked at, and the delete is done. */
export function ignoresFault(fault: Fault, when: When = () => true): Override {
  return gate('vault-delete', 'fault', (call, original) =>
    during(fault)(call) && when(call) ? undefined : original(call),
  );
}

/** Some deletes that are refused are answered 204 instead, and nothing is deleted. */
export function claimsDone(status: number, when: When = () => true): Override {
  return answers({ operation: 'vault-delete', status, when }, () => DONE);
}

/** Some refused deletes take the secret all the same. */
export function deletesThough(status: number, when: When = () => true, remove = removeNamed): Override {
  return answers({ operation: 'vault-delete', status, when }, (answer, call) => {
    remove(call);
    return answer;
  });
}

/** Takes the secret that a path names, whoever calls. */
export function removeNamed(call: Call): void {
  const world = call.key?.world ?? worldOfIntern(call);
  const intern = world && conforming.findIntern(world, call.parameters.internId ?? '');
  if (intern !== undefined) world?.secrets[intern].delete(nameOf(call));
}

/** Takes the secret of this name from one scope of the caller's world. */
export function removeFrom(scope: Scope): (call: Call) => void {
  return (call) => {
    call.key?.world.secrets[scope].delete(nameOf(call));
  };
}

/** The world that has the intern of the path in its workspace, among all of the server. */
export function worldOfIntern({ server, parameters }: Call): World | undefined {
  const id = parameters.internId ?? '';
  for (const world of server.store.worlds()) if (conforming.findIntern(world, id) !== undefined) return world;
  return undefined;
}

/** A delete takes further secrets along. */
export function takesAlong(others: (call: Call, named: SecretPlace) => void): Override {
  return {
    removeSecret: (call, place) => {
      conforming.removeSecret(call, place);
      others(call, place);
    },
  };
}

/** A delete takes those secrets of the same intern along whose names are like the one named. */
export function takesLike(isLike: (name: string, named: string) => boolean): Override {
  return takesAlong((call, { scope, name: named }) => {
    const secrets = call.key?.world.secrets[scope];
    for (const name of [...(secrets?.keys() ?? [])]) if (isLike(name, named)) secrets?.delete(name);
  });
}

/** Some deletes are answered 204 and do nothing. */
export function keeps(when: (call: Call, place: SecretPlace) => boolean): Override {
  return {
    removeSecret: (call, place) => {
      if (!when(call, place)) conforming.removeSecret(call, place);
    },
  };
}

/** Where the reference finds no secret, another place is looked at. */
export function elseFinds(find: (call: Call) => SecretPlace | undefined): Override {
  return { findSecret: (call) => conforming.findSecret(call) ?? find(call) };
}

/** A refusal that the reference does not know. */
export function refusal(status: number): Refusal {
  return { status, message: 'This delete is refused' };
}
