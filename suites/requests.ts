import { type CredentialWord, isRole, makeHeader } from '../generators/credential.js';
import { cutId, makeUnknownId, type OddId, spellHost } from '../generators/inputs.js';
import { addRunPrefix, labelName } from '../generators/secret-name.js';
import {
  type GuardrailSituation,
  type HostWord,
  isSpelled,
  mayBeRoutedElsewhere,
  resolveIntern,
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
import type { Intern, Role } from '../spec/vocabulary.js';
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
      const intern =
        odd.id === undefined ? makeIntern(situation, world) : makePart(odd.id, world.intern('own'));
      return api.deleteSecret({ ...options, intern, name: odd.name ?? makePathName(situation, world) });
    }
    case 'guardrail-read':
      return api.readGuardrail({ ...options, ...makeGuardrailId(situation, world, odd.id) });
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
    ...('method' in situation && situation.method !== undefined ? { method: situation.method } : {}),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body: { text: body, type: bodyType } }),
    ...(connection === undefined ? {} : { connection }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** A role, or the header that a word makes of the key of a role that is good for the operation. */
export function makeCredential(word: CredentialWord, good: Role, world: World): Role | Credential {
  if (isRole(word)) return word;
  const header = makeHeader(word, world.key(good), (text) => world.isKey(text));
  return { label: `the header ${word}`, ...(header === undefined ? {} : { header }) };
}

/** A hostname as a word writes it. */
function makePlace(word: HostWord, api: Api): RequestHost {
  if (word === 'global' || word === 'regional') return word;
  const isGlobal = word === 'global-spelled';
  const host = spellHost(word, isGlobal ? api.globalHost() : api.regionalHost());
  return { label: isGlobal ? 'the global hostname in upper case' : `the host ${host}`, host };
}

/** What stands where an id should. */
export function makePart({ label, of }: OddId, own: string): RawPart {
  return { label, raw: of(own) };
}

function makeGuardrailId(
  situation: GuardrailSituation,
  world: World,
  odd?: OddId,
): { readonly id?: RawPart } {
  const own = world.guardrailId();
  if (odd !== undefined) return { id: makePart(odd, own) };
  switch (situation.id) {
    case 'own-spelled':
      return { id: { label: 'own guardrail, its id in the other case', raw: switchCase(own) } };
    case 'unknown':
      return { id: { label: 'an unknown guardrail', raw: makeUnknownId(JSON.stringify(situation)) } };
    case 'malformed':
      return { id: { label: 'a malformed id', raw: cutId.of(own) } };
    default:
      return {};
  }
}

function makeIntern(situation: VaultSituation, world: World): Intern | RawPart {
  const intern = resolveIntern(situation.intern);
  if (situation.intern === 'unknown')
    return { label: 'an unknown intern', raw: makeUnknownId(JSON.stringify(situation)) };
  if (intern === undefined) return { label: 'a malformed internId', raw: cutId.of(world.intern('own')) };
  return isSpelled(situation.intern)
    ? { label: `${intern}, its id in the other case`, raw: switchCase(world.intern(intern)) }
    : intern;
}

/** An id with its letters in the other case. */
export function switchCase(id: string): string {
  return id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
}

/** Waits for all, so that nothing is under way when the attempt ends, then throws the first error there was. */
export async function awaitAll(pending: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(pending);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
