import { type CredentialWord, isRole, makeHeader } from '../generators/credential.js';
import { findOddId, type OddId, resolveIntern } from '../generators/ids.js';
import { hostSpellings } from '../generators/inputs.js';
import { addRunPrefix, labelName } from '../generators/secret-name.js';
import {
  type HostWord,
  mayBeRoutedElsewhere,
  type Situation,
  type VaultSituation,
} from '../generators/situation.js';
import type {
  Api,
  CheckContext,
  Credential,
  DeleteRequest,
  RawPart,
  RequestHost,
  RequestOptions,
} from '../judge/api.js';
import type { Call } from '../judge/call.js';
import type { Role } from '../spec/vocabulary.js';
import type { World } from '../targets/world.js';

// From the words of a situation to what goes over the wire.

/** Where a request goes. */
export type Destination = Pick<CheckContext, 'world' | 'api'>;

/** Parts of a path that are not as the situation's words have them. */
interface OddParts {
  readonly id?: OddId | undefined;
  readonly name?: DeleteRequest['name'];
}

/** The request of a situation. */
export function makeCall(situation: Situation, to: Destination, odd: OddParts = {}): Call {
  const { api, world } = to;
  const options = makeOptions(situation, to);
  switch (situation.operation) {
    case 'vault-delete': {
      const named = resolveIntern(situation.intern) ?? 'own';
      const id = odd.id ?? findOddId(situation.intern, 'intern', situation);
      const intern = id === undefined ? named : makePart(id, world.intern(named));
      return api.deleteSecret({ ...options, intern, name: odd.name ?? makePathName(situation, world) });
    }
    case 'guardrail-read': {
      const id = odd.id ?? findOddId(situation.id, 'guardrail', situation);
      return api.readGuardrail(
        id === undefined ? options : { ...options, id: makePart(id, world.guardrailId()) },
      );
    }
    case 'key-info':
      return api.readKey(options);
    case 'inference':
      return api.infer({ ...options, model: situation.model, stream: situation.stream });
  }
}

/** The name of a situation as it stands in the path. */
export function makePathName({ name }: VaultSituation, { prefix }: World): RawPart {
  return { label: labelName(name), raw: addRunPrefix(prefix, name.raw) };
}

/** What a situation says of a request, whatever its operation. */
function makeOptions(situation: Situation, { world, api }: Destination): RequestOptions {
  const { operation, as, host, query, body, bodyType = 'application/json', headers, connection } = situation;
  // A host that is written otherwise may be routed otherwise.
  const isPlainHost = host === 'global' || host === 'regional';
  return {
    as: makeCredential(as, operation === 'guardrail-read' ? 'management' : 'member', world),
    at: makePlace(host, api),
    reaches: isPlainHost && !mayBeRoutedElsewhere(situation) ? 'operation' : 'perhaps',
    method: 'method' in situation ? situation.method : undefined,
    ...{ query, headers, connection },
    // The body of an inference request is made for it where none is given.
    ...(body === undefined ? {} : { body: { text: body, type: bodyType } }),
  };
}

/** A role, or the header that a word makes of the key of a role that is good for the operation. */
export function makeCredential(word: CredentialWord | Role, good: Role, world: World): Role | Credential {
  if (isRole(word)) return word;
  const header = makeHeader(word, world.key(good), (text) => world.isKey(text));
  return { label: `the header ${word}`, ...(header === undefined ? {} : { header }) };
}

/** A hostname as a word writes it. */
function makePlace(word: HostWord, api: Api): RequestHost {
  if (word === 'global' || word === 'regional') return word;
  const isGlobal = word === 'global-spelled';
  const host = hostSpellings[word](isGlobal ? api.globalHost() : api.regionalHost());
  return { label: isGlobal ? 'the global hostname in upper case' : `the host ${host}`, host };
}

/** What stands where an id should. */
export function makePart({ label, of }: OddId, own: string): RawPart {
  return { label, raw: of(own) };
}

/** Ids of a world, by what they name, where another id is due: without those that are no UUIDs, or among what is due. */
export function misplaceIds(
  ids: Readonly<Record<string, string | undefined>>,
  due: readonly string[],
): readonly RawPart[] {
  const isUuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
  const isDue = (id: string) => due.some((one) => one.toLowerCase() === id.toLowerCase());
  return Object.entries(ids).flatMap(([what, raw = '']) =>
    isUuid.test(raw) && !isDue(raw) ? [{ label: `the id of ${what}`, raw }] : [],
  );
}

/** Waits for all, so that nothing is under way when the attempt ends, then throws the first error there was. */
export async function awaitAll(pending: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(pending);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
