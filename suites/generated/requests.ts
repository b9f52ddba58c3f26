import { createHash } from 'node:crypto';
import { type CredentialWord, headerOf } from '../../generators/credential.js';
import { type HostWord, isRole, mayBeRoutedElsewhere, type Situation } from '../../generators/situation.js';
import type { Api, Credential, Place, RawPart, RequestOptions } from '../../judge/api.js';
import type { Due } from '../../judge/call.js';
import type { Role } from '../../spec/vocabulary.js';
import type { World } from '../../targets/world.js';

// From the words of a situation to what goes over the wire.

/** What a situation says of a request, whatever its operation. */
export function optionsOf(situation: Situation, good: Role, world: World, api: Api): RequestOptions {
  const { as, host, query, body, bodyType = 'application/json', headers, connection } = situation;
  return {
    as: credentialOf(as, good, world),
    at: placeOf(host, api),
    // A host that is written otherwise may be routed otherwise.
    reaches:
      (host === 'global' || host === 'regional') && !mayBeRoutedElsewhere(situation)
        ? 'operation'
        : 'perhaps',
    ...('method' in situation && situation.method !== undefined ? { method: situation.method } : {}),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body: { text: body, type: bodyType } }),
    ...(connection === undefined ? {} : { connection }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** What a request may be answered that may be routed elsewhere; a fault or a role can ask for a 429 or 503. */
export function dueOf(situation: Situation): Due | undefined {
  return ('fault' in situation && situation.fault !== undefined) || situation.as === 'write_disabled'
    ? 'any'
    : undefined;
}

function credentialOf(word: CredentialWord, good: Role, world: World): Role | Credential {
  if (isRole(word)) return word;
  const header = headerOf(word, world.key(good), (text) => world.isKey(text));
  return { label: `the header ${word}`, ...(header === undefined ? {} : { header }) };
}

function placeOf(word: HostWord, api: Api): Place {
  if (word === 'global' || word === 'regional') return word;
  if (word === 'global-spelled')
    return { label: 'the global hostname in upper case', host: api.globalHost().toUpperCase() };
  const host = spelled(word, api.regionalHost());
  return { label: `the host ${host}`, host };
}

function spelled(word: Exclude<HostWord, 'global' | 'global-spelled' | 'regional'>, host: string): string {
  switch (word) {
    case 'regional-upper':
      return host.toUpperCase();
    case 'regional-mixed':
      return [...host].map((letter, at) => (at % 2 === 0 ? letter.toUpperCase() : letter)).join('');
    case 'regional-port':
      return `${host}:8443`;
  }
}

/** An id with its letters in the other case. */
export function inOtherCase(id: string): string {
  return id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
}

/** An id that nothing has, the same for the same case: a version 4 UUID, since another may be refused as malformed. */
export function unknownId(label: string, situation: Situation): RawPart {
  const hex = createHash('sha256').update(JSON.stringify(situation)).digest('hex');
  const raw = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return { label, raw };
}
