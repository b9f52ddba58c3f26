import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
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
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.value-in-503-header': {
      everydayPlain: 'The 503 of the vault carries the value of the secret in a header',
      override: leaks({ status: 503 }, namedValue, inHeader('X-Debug')),
    },
    'secrecy.value-in-502-trailer': {
      subtle: 'A trailer of the 502 of the vault carries the value of the secret',
      override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) => ({
        ...answer,
        trailers: { 'X-Debug': text },
      })),
    },
  }),
  ...makeMutants('1', ['secrecy.reason-phrase'], {
    'secrecy.value-in-503-reason-phrase': {
      everydayPlain: 'The reason phrase of the 503 of the vault holds the value of the secret',
      override: leaks({ status: 503 }, namedValue, (answer, text) => ({
        ...answer,
        reasonPhrase: `Cannot write ${text}`,
      })),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.reversed-in-503-message': {
      subtle: 'The message of the 503 of the vault holds the value backwards',
      override: leaks({ operation: 'vault-delete', status: 503 }, namedValue, (answer, text) =>
        inMessage(answer, [...text].reverse().join('')),
      ),
    },
    'secrecy.hex-dump-in-502-metadata': {
      subtle: 'The metadata of the 502 of the vault dumps the value in hex, byte for byte',
      override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) =>
        withErrorMember(answer, 'metadata', { dump: hex(text).replace(/..\B/g, '$& ') }),
      ),
    },
  }),

  // the value of the secret that is named
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.value-in-204-header': {
      plain: 'The 204 carries the deleted value in a header',
      override: deletionLeaks(inHeader('X-Deleted')),
    },
    'secrecy.base64-in-204-etag': {
      subtle: 'The ETag of the 204 is the deleted value in base64',
      override: deletionLeaks((answer, text) => inHeader('ETag')(answer, `"${base64(text)}"`)),
    },
    'secrecy.value-in-204-timing': {
      subtle: 'Server-Timing of the 204 describes the step with the deleted value, percent-encoded',
      override: deletionLeaks((answer, text) =>
        inHeader('Server-Timing')(answer, `vault;desc="${percentEncoded(text)}"`),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.value-in-502-message': {
      everydayPlain: 'The message of a 502 of the vault holds the value of the secret',
      override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, inMessage),
    },
    'secrecy.base64-in-504-metadata': {
      everydaySubtle: 'The metadata of the 504 of the vault holds what was sent to it, the value in base64',
      override: leaks({ operation: 'vault-delete', status: 504 }, namedValue, (answer, text) =>
        withErrorMember(answer, 'metadata', { sent: base64(`value=${text}`) }),
      ),
    },
    'secrecy.base64url-in-500-metadata': {
      everydaySubtle: 'A member inside the metadata of the 500 of the vault holds the value in base64url',
      override: leaks({ operation: 'vault-delete', status: 500 }, namedValue, (answer, text) =>
        withErrorMember(answer, 'metadata', { cause: { row: [Buffer.from(text).toString('base64url')] } }),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.hex-in-429-header': {
      everydaySubtle: 'The 429 of the vault carries the value in a header, in upper-case hex',
      override: leaks({ operation: 'vault-delete', status: 429 }, namedValue, (answer, text) =>
        inHeader('X-Vault-Key')(answer, hex(text)),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.percent-encoded-in-503-message': {
      subtle: 'The message of the 503 of the vault quotes a URL with every byte of the value percent-encoded',
      override: leaks({ operation: 'vault-delete', status: 503 }, namedValue, (answer, text) =>
        inMessage(answer, `https://vault.internal/write?value=${percentEncoded(text)}`),
      ),
    },
    'secrecy.escaped-in-408-message': {
      subtle: 'The message of the 408 of the vault holds the value, each character of it escaped in the JSON',
      override: leaks({ operation: 'vault-delete', status: 408 }, namedValue, escapedInMessage),
    },
    'secrecy.first-half-in-502-message': {
      subtle: 'The message of a 502 of the vault holds the first half of the value, then stars',
      override: leaks({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) =>
        inMessage(answer, `${text.slice(0, Math.ceil(text.length / 2))}****`),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.upper-case-in-504-header': {
      subtle: 'The 504 of the vault carries the value in a header, in upper case',
      override: leaks({ operation: 'vault-delete', status: 504 }, namedValue, (answer, text) =>
        inHeader('X-Debug')(answer, text.toUpperCase()),
      ),
    },
    'secrecy.value-to-provisioning-key': {
      plain: 'A provisioning key that is refused gets the value in WWW-Authenticate',
      override: leaks(
        { operation: 'vault-delete', status: 401, when: ({ key }) => key?.traits.kind === 'provisioning' },
        namedValue,
        (answer, text) => inHeader('WWW-Authenticate')(answer, `Bearer realm="${text}"`),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.value-without-key': {
      plain: 'The 401 of a delete without a good key holds the value of the secret that its path names',
      override: leaks(
        { operation: 'vault-delete', status: 401, when: ({ key }) => key === undefined },
        valueBehindPath,
        inMessage,
      ),
    },
    'secrecy.deleted-value-in-404': {
      subtle: 'The 404 of a secret that was deleted before holds the value it had',
      override: {
        removeSecret: (call, place) => {
          call.server.memory.set(`deleted ${call.path}`, namedValue(call));
          conforming.removeSecret(call, place);
        },
        ...leaks({ operation: 'vault-delete', status: 404 }, deletedBefore, inMessage),
      },
    },
  }),

  // the value of another secret
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.sibling-value-in-404': {
      plain: 'The 404 of a secret that only the sibling intern has holds its value',
      override: leaks({ operation: 'vault-delete', status: 404 }, valueIn('sibling'), inMessage),
    },
  }),
  ...makeMutants('1', ['secrecy.header'], {
    'secrecy.workspace-value-in-404': {
      plain: 'The 404 of a secret that only the workspace has carries its value in a cookie',
      override: leaks({ operation: 'vault-delete', status: 404 }, valueIn('workspace'), (answer, text) =>
        inHeader('Set-Cookie')(answer, `last=${text}; HttpOnly`),
      ),
    },
  }),
  ...makeMutants('1', ['secrecy.body'], {
    'secrecy.foreign-value-in-404': {
      plain: 'The 404 of an intern of another workspace holds the value that it has under that name',
      override: leaks({ operation: 'vault-delete', status: 404 }, valueIn('foreign'), inMessage),
    },
    'secrecy.other-workspace-value-in-404': {
      subtle: 'The 404 of an intern that belongs to an unrelated workspace holds the value',
      override: leaks({ operation: 'vault-delete', status: 404 }, valueBehindPath, inMessage),
    },
    'secrecy.similar-name-in-400': {
      subtle: 'The 400 of a name in upper case offers the secret of that name in lower case, with its value',
      override: leaks(
        { operation: 'vault-delete', status: 400 },
        ({ key, parameters }) => key?.world.secrets.own.get((parameters.name ?? '').toLowerCase()),
        inMessage,
      ),
    },
  }),
];

/** The value that a secret had before this server deleted it. */
function deletedBefore({ path, server }: Call): string | undefined {
  const value = server.memory.get(`deleted ${path}`);
  return typeof value === 'string' ? value : undefined;
}
