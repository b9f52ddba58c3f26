import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Mutant } from '../mutant.js';
import {
  base64,
  deletionLeaks,
  escapedInMessage,
  hex,
  inHeader,
  inMessage,
  leaks,
  namedValue,
  percentEncoded,
  valueBehindPath,
  valueIn,
  withErrorMember,
} from './secrecy-leak.js';

/** Mutants of the area secrecy: the vault delete gives a stored value away. */
export const secrecyMutants: readonly Mutant[] = [
  {
    id: 'secrecy.value-in-503-header',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The 503 of the vault carries the value of the secret in a header',
    hardness: 'plain',
    override: leaks({ status: 503 }, namedValue, inHeader('X-Debug')),
  },
  {
    id: 'secrecy.value-in-503-reason-phrase',
    section: '1',
    turnsRed: ['secrecy.reason-phrase'],
    description: 'The reason phrase of the 503 of the vault holds the value of the secret',
    hardness: 'plain',
    override: leaks({ status: 503 }, namedValue, (answer, text) => ({
      ...answer,
      reasonPhrase: `Cannot write ${text}`,
    })),
  },
  {
    id: 'secrecy.value-in-502-trailer',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'A trailer of the 502 of the vault carries the value of the secret',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) => ({
      ...answer,
      trailers: { 'X-Debug': text },
    })),
  },
  {
    id: 'secrecy.reversed-in-503-message',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The message of the 503 of the vault holds the value backwards',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 503 }, namedValue, (answer, text) =>
      inMessage(answer, [...text].reverse().join('')),
    ),
  },
  {
    id: 'secrecy.hex-dump-in-502-metadata',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The metadata of the 502 of the vault dumps the value in hex, byte for byte',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) =>
      withErrorMember(answer, 'metadata', { dump: hex(text).replace(/..\B/g, '$& ') }),
    ),
  },

  // the value of the secret that is named
  {
    id: 'secrecy.value-in-204-header',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The 204 carries the deleted value in a header',
    hardness: 'plain',
    override: deletionLeaks(inHeader('X-Deleted')),
  },
  {
    id: 'secrecy.base64-in-204-etag',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The ETag of the 204 is the deleted value in base64',
    hardness: 'subtle',
    override: deletionLeaks((answer, text) => inHeader('ETag')(answer, `"${base64(text)}"`)),
  },
  {
    id: 'secrecy.value-in-204-timing',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'Server-Timing of the 204 describes the step with the deleted value, percent-encoded',
    hardness: 'subtle',
    override: deletionLeaks((answer, text) =>
      inHeader('Server-Timing')(answer, `vault;desc="${percentEncoded(text)}"`),
    ),
  },
  {
    id: 'secrecy.value-in-502-message',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The message of a 502 of the vault holds the value of the secret',
    hardness: 'plain',
    override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, inMessage),
  },
  {
    id: 'secrecy.base64-in-504-metadata',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The metadata of the 504 of the vault holds what was sent to it, the value in base64',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 504 }, namedValue, (answer, text) =>
      withErrorMember(answer, 'metadata', { sent: base64(`value=${text}`) }),
    ),
  },
  {
    id: 'secrecy.base64url-in-500-metadata',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'A member inside the metadata of the 500 of the vault holds the value in base64url',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 500 }, namedValue, (answer, text) =>
      withErrorMember(answer, 'metadata', { cause: { row: [Buffer.from(text).toString('base64url')] } }),
    ),
  },
  {
    id: 'secrecy.hex-in-429-header',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The 429 of the vault carries the value in a header, in upper-case hex',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 429 }, namedValue, (answer, text) =>
      inHeader('X-Vault-Key')(answer, hex(text)),
    ),
  },
  {
    id: 'secrecy.percent-encoded-in-503-message',
    section: '1',
    turnsRed: ['secrecy.body'],
    description:
      'The message of the 503 of the vault quotes a URL with every byte of the value percent-encoded',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 503 }, namedValue, (answer, text) =>
      inMessage(answer, `https://vault.internal/write?value=${percentEncoded(text)}`),
    ),
  },
  {
    id: 'secrecy.escaped-in-408-message',
    section: '1',
    turnsRed: ['secrecy.body'],
    description:
      'The message of the 408 of the vault holds the value, each character of it escaped in the JSON',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 408 }, namedValue, escapedInMessage),
  },
  {
    id: 'secrecy.first-half-in-502-message',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The message of a 502 of the vault holds the first half of the value, then stars',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) =>
      inMessage(answer, `${text.slice(0, Math.ceil(text.length / 2))}****`),
    ),
  },
  {
    id: 'secrecy.upper-case-in-504-header',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The 504 of the vault carries the value in a header, in upper case',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 504 }, namedValue, (answer, text) =>
      inHeader('X-Debug')(answer, text.toUpperCase()),
    ),
  },
  {
    id: 'secrecy.value-to-provisioning-key',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'A provisioning key that is refused gets the value in WWW-Authenticate',
    hardness: 'plain',
    override: leaks(
      { operation: 'vault-delete', status: 401, when: ({ key }) => key?.traits.kind === 'provisioning' },
      namedValue,
      (answer, text) => inHeader('WWW-Authenticate')(answer, `Bearer realm="${text}"`),
    ),
  },
  {
    id: 'secrecy.value-without-key',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The 401 of a delete without a good key holds the value of the secret that its path names',
    hardness: 'plain',
    override: leaks(
      { operation: 'vault-delete', status: 401, when: ({ key }) => key === undefined },
      valueBehindPath,
      inMessage,
    ),
  },
  {
    id: 'secrecy.deleted-value-in-404',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The 404 of a secret that was deleted before holds the value it had',
    hardness: 'subtle',
    override: {
      removeSecret: (call, place) => {
        call.server.memory.set(`deleted ${call.path}`, namedValue(call));
        conforming.removeSecret(call, place);
      },
      ...leaks({ operation: 'vault-delete', status: 404 }, deletedBefore, inMessage),
    },
  },

  // the value of another secret
  {
    id: 'secrecy.sibling-value-in-404',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The 404 of a secret that only the sibling intern has holds its value',
    hardness: 'plain',
    override: leaks({ operation: 'vault-delete', status: 404 }, valueIn('sibling'), inMessage),
  },
  {
    id: 'secrecy.workspace-value-in-404',
    section: '1',
    turnsRed: ['secrecy.header'],
    description: 'The 404 of a secret that only the workspace has carries its value in a cookie',
    hardness: 'plain',
    override: leaks({ operation: 'vault-delete', status: 404 }, valueIn('workspace'), (answer, text) =>
      inHeader('Set-Cookie')(answer, `last=${text}; HttpOnly`),
    ),
  },
  {
    id: 'secrecy.foreign-value-in-404',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The 404 of an intern of another workspace holds the value that it has under that name',
    hardness: 'plain',
    override: leaks({ operation: 'vault-delete', status: 404 }, valueIn('foreign'), inMessage),
  },
  {
    id: 'secrecy.other-workspace-value-in-404',
    section: '1',
    turnsRed: ['secrecy.body'],
    description: 'The 404 of an intern that belongs to an unrelated workspace holds the value',
    hardness: 'subtle',
    override: leaks({ operation: 'vault-delete', status: 404 }, valueBehindPath, inMessage),
  },
  {
    id: 'secrecy.similar-name-in-400',
    section: '1',
    turnsRed: ['secrecy.body'],
    description:
      'The 400 of a name in upper case offers the secret of that name in lower case, with its value',
    hardness: 'subtle',
    override: leaks(
      { operation: 'vault-delete', status: 400 },
      ({ key, parameters }) => key?.world.secrets.own.get((parameters.name ?? '').toLowerCase()),
      inMessage,
    ),
  },
];

/** The value that a secret had before this server deleted it. */
function deletedBefore({ path, server }: Call): string | undefined {
  const value = server.memory.get(`deleted ${path}`);
  return typeof value === 'string' ? value : undefined;
}
