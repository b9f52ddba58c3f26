import { type CredentialWord, headerOf, isRole } from '../generators/credential.js';
import { cutId, makeUnknownId, type OddId, spellHost } from '../generators/inputs.js';
import { nameLabel, ours } from '../generators/secret-name.js';
import {
  type GuardrailSituation,
  type HostWord,
  internNamed,
  isSpelled,
  mayBeRoutedElsewhere,
  type Situation,
  type VaultSituation,
} from '../generators/situation.js';
import type {
  Api,
  CheckContext,
  Credential,
  DeleteRequest,
  Place,
  RawPart,
  RequestOptions,
} from '../judge/api.js';
import type { Call, ExpectedAnswer } from '../judge/call.js';
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
export function callOf(situation: Situation, to: Destination, odd: OddParts = {}): Call {
  const { api, world } = to;
  const options = optionsOf(situation, to);
  switch (situation.operation) {
    case 'vault-delete': {
      const intern = odd.id === undefined ? internOf(situation, world) : partOf(odd.id, world.intern('own'));
      return api.deleteSecret({ ...options, intern, name: odd.name ?? nameOf(situation, world) });
    }
    case 'guardrail-read':
      return api.readGuardrail({ ...options, ...idOf(situation, world, odd.id) });
    case 'key-info':
      return api.readKey(options);
    case 'inference':
      return api.infer({ ...options, model: situation.model, stream: situation.stream });
  }
}

/** The name of a situation as it stands in the path. */
export function nameOf({ name }: VaultSituation, { prefix }: World): RawPart {
  return { label: nameLabel(name), raw: ours(prefix, name.raw) };
}

/** What a situation says of a request, whatever its operation. */
function optionsOf(situation: Situation, { world, api }: Destination): RequestOptions {
  const { operation, as, host, query, body, bodyType = 'application/json', headers, connection } = situation;
  // A host that is written otherwise may be routed otherwise.
  const isPlainHost = host === 'global' || host === 'regional';
  return {
    as: credentialOf(as, operation === 'guardrail-read' ? 'management' : 'member', world),
    at: placeOf(host, api),
    reaches: isPlainHost && !mayBeRoutedElsewhere(situation) ? 'operation' : 'perhaps',
    ...('method' in situation && situation.method !== undefined ? { method: situation.method } : {}),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body: { text: body, type: bodyType } }),
    ...(connection === undefined ? {} : { connection }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** What a request may be answered that may be routed elsewhere; a fault or a role can ask for a 429 or 503. */
export function dueOf(situation: Situation): ExpectedAnswer | undefined {
  return ('fault' in situation && situation.fault !== undefined) || situation.as === 'write_disabled'
    ? 'any'
    : undefined;
}

/** A role, or the header that a word makes of the key of a role that is good for the operation. */
export function credentialOf(word: CredentialWord, good: Role, world: World): Role | Credential {
  if (isRole(word)) return word;
  const header = headerOf(word, world.key(good), (text) => world.isKey(text));
  return { label: `the header ${word}`, ...(header === undefined ? {} : { header }) };
}

/** A hostname as a word writes it. */
function placeOf(word: HostWord, api: Api): Place {
  if (word === 'global' || word === 'regional') return word;
  const isGlobal = word === 'global-spelled';
  const host = spellHost(word, isGlobal ? api.globalHost() : api.regionalHost());
  return { label: isGlobal ? 'the global hostname in upper case' : `the host ${host}`, host };
}

/** What stands where an id should. */
export function partOf({ label, of }: OddId, own: string): RawPart {
  return { label, raw: of(own) };
}

function idOf(situation: GuardrailSituation, world: World, odd?: OddId): { readonly id?: RawPart } {
  if (odd !== undefined) return { id: partOf(odd, world.guardrailId()) };
  if (situation.id === 'own') return {};
  if (situation.id === 'own-spelled')
    return {
      id: { label: 'own guardrail, its id in the other case', raw: inOtherCase(world.guardrailId()) },
    };
  return situation.id === 'unknown'
    ? { id: { label: 'an unknown guardrail', raw: makeUnknownId(JSON.stringify(situation)) } }
    : { id: { label: 'a malformed id', raw: cutId.of(world.guardrailId()) } };
}

function internOf(situation: VaultSituation, world: World): Intern | RawPart {
  const { intern: word } = situation;
  const intern = internNamed(word);
  if (word === 'unknown')
    return { label: 'an unknown intern', raw: makeUnknownId(JSON.stringify(situation)) };
  if (intern === undefined) return { label: 'a malformed internId', raw: cutId.of(world.intern('own')) };
  return isSpelled(word)
    ? { label: `${intern}, its id in the other case`, raw: inOtherCase(world.intern(intern)) }
    : intern;
}

/** An id with its letters in the other case. */
export function inOtherCase(id: string): string {
  return id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
}

/** Waits for all, so that nothing is under way when the attempt ends, then throws the first error there was. */
export async function together(pending: readonly Promise<unknown>[]): Promise<void> {
  const ended = await Promise.allSettled(pending);
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}
