import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import type { Mutation, When } from '../mutation.js';
import type { Fault, Intern, Operation, Scope } from '../vocabulary.js';
import type { Role, World } from '../world.js';

// What the tables of the vault delete (§4.1, §7.1) are written with, beside the builders of every area.

/** The secret name in the path. */
export function nameOf({ parameters }: Call): string {
  return parameters.name ?? '';
}

/** Returns a call of another vault route with the parameters of a secret's path, which the routing does not give. */
export function nameParameters(call: Call): Call {
  const [, internId = '', name = ''] =
    /^\/v1\/vault\/interns\/([^/?]+)\/secrets\/([^/?]+)(?:\?|$)/.exec(call.path) ?? [];
  return { ...call, parameters: { internId, name: decodeURIComponent(name) } };
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

/** The scheme of the key is in lower case. */
export const inLowerCaseScheme: When = ({ headers }) => headers.authorization?.startsWith('bearer ') === true;

/** The request has no `Authorization` header. */
export const withoutKey: When = ({ headers }) => headers.authorization === undefined;

/** The request has two `Authorization` headers or more. */
export const withTwoKeys: When = ({ rawHeaders }) =>
  rawHeaders.filter((text) => /^authorization$/i.test(text)).length > 1;

/** The request arrives on the regional hostname, however it is spelt. */
export const onRegionalHost: When = ({ host, server }) =>
  conforming.isRegionalHost(host, server.regionalHost);

/** Some of the name is percent-encoded in the path. */
export const encodedName: When = ({ path }) => /\/[^/?]*%[^/?]*(?:\?|$)/.test(path);

/** Some of the internId or of the guardrail's id is percent-encoded in the path. */
export const encodedId: When = ({ path }) => /\/(?:interns|guardrails)\/[^/?]*%/.test(path);

/** The parameters of a request's query string. */
export function queryOf({ path }: Call): URLSearchParams {
  return new URLSearchParams(path.split('?')[1]);
}

/** The request has a query string, be it an empty one. */
export const withQuery: When = ({ path }) => path.includes('?');

/** The request accepts HTML, as that of a browser does. */
export const acceptsHtml: When = ({ headers }) => /html/.test(headers.accept ?? '');

/** The request has a body, all of which arrived. */
export const withBody: When = ({ body }) => body.state === 'complete';

/** The name falls in one of so many shards, among which a server distributes its secrets. */
export function inShard(shards: number): When {
  return (call) =>
    Buffer.from(nameOf(call)).reduce((hash, byte) => (hash * 31 + byte) % 65_521, 7) % shards === 0;
}

/** The name is longer than a column of 64 characters. */
export const longName: When = (call) => nameOf(call).length > 64;

export const isStreamed: When = ({ inference }) => inference?.stream === true;

/** All of these hold. */
export function all(...conditions: readonly When[]): When {
  return (call) => conditions.every((condition) => condition(call));
}

/** The world that has the intern of the path in its workspace, among all of the server. */
export function worldOfIntern({ server, parameters }: Call): World | undefined {
  const id = parameters.internId ?? '';
  for (const world of server.store.worlds()) if (conforming.findIntern(world, id) !== undefined) return world;
  return undefined;
}

/** Lets something other than the key select the workspace, by its id. */
export function selectWorkspace(operation: Operation, read: (call: Call) => unknown): Mutation {
  return {
    receive: (call) => {
      const id = call.operation === operation ? read(call) : undefined;
      const selected = [...call.server.store.worlds()].find(({ workspaceId }) => workspaceId === id);
      return call.key && selected ? { ...call, key: { ...call.key, world: selected } } : call;
    },
  };
}

export const isStalled: When = ({ body }) => body.state === 'stalled';

export const isFree: When = ({ inference }) =>
  inference !== undefined && conforming.isFreeModel(inference.model);

export const isPaid: When = ({ inference }) =>
  inference !== undefined && !conforming.isFreeModel(inference.model);

/** Makes a comparison of two texts that takes them for the same if they are so once simplified. */
export function compareBy(simplify: (text: string) => string): (one: string, other: string) => boolean {
  return (one, other) => simplify(one) === simplify(other);
}
