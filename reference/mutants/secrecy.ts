import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp } from '../mutation.js';
import {
  addErrorMember,
  anyValue,
  escapeInMessage,
  inFrame,
  inHeader,
  inMessage,
  leak,
  leakDeleted,
  namedValue,
  percentEncoded,
  valueBehindPath,
} from './secrecy-leaks.js';

/** Mutants of the area secrecy: the vault delete gives a stored value away. */
export const secrecyMutants: readonly Mutant[] = [
  ...makeMutants('secrecy.header', {
    'secrecy.value-in-503-header': everyday.plain(
      'The 503 of the vault carries the value of the secret in a header',
      leak({ status: 503 }, namedValue, inHeader('X-Debug')),
    ),
    'secrecy.value-in-502-trailer': subtle(
      'A trailer of the 502 of the vault carries the value of the secret',
      leak({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) => ({
        ...answer,
        trailers: { 'X-Debug': text },
      })),
    ),
    'secrecy.hex-in-429-header': everyday.subtle(
      'The 429 of the vault carries the value in a header, in upper-case hex',
      leak({ operation: 'vault-delete', status: 429 }, namedValue, (answer, text) =>
        inHeader('X-Vault-Key')(answer, Buffer.from(text).toString('hex').toUpperCase()),
      ),
    ),
    'secrecy.value-in-key-read-link': subtle(
      'The key read carries a Link with a stored value in its query',
      leak({ operation: 'key-read', status: 200 }, anyValue, (answer, text) =>
        inHeader('Link')(answer, `</v1/key?trace=${percentEncoded(text)}>; rel="self"`),
      ),
    ),
    'secrecy.every-tenth-204': everyday.intermittent(
      'Every tenth 204 carries the deleted value in a header',
      leakDeleted((answer, text, call) =>
        countUp(call, 'deletions') % 10 === 0 ? inHeader('X-Deleted')(answer, text) : answer,
      ),
    ),
  }),
  ...makeMutants('secrecy.reason-phrase', {
    'secrecy.value-in-503-reason-phrase': everyday.plain(
      'The reason phrase of the 503 of the vault holds the value of the secret',
      leak({ status: 503 }, namedValue, (answer, text) => ({
        ...answer,
        reasonPhrase: `Cannot write ${text}`,
      })),
    ),
  }),
  ...makeMutants('secrecy.body', {
    'secrecy.value-in-502-message': everyday.plain(
      'The message of a 502 of the vault holds the value of the secret',
      leak({ operation: 'vault-delete', status: 502 }, namedValue, inMessage),
    ),
    'secrecy.base64-in-504-metadata': everyday.subtle(
      'The metadata of the 504 of the vault holds what was sent to it, the value in base64',
      leak({ operation: 'vault-delete', status: 504 }, namedValue, (answer, text) =>
        addErrorMember(answer, 'metadata', { sent: Buffer.from(`value=${text}`).toString('base64') }),
      ),
    ),
    'secrecy.base64url-in-500-metadata': everyday.subtle(
      'A member inside the metadata of the 500 of the vault holds the value in base64url',
      leak({ operation: 'vault-delete', status: 500 }, namedValue, (answer, text) =>
        addErrorMember(answer, 'metadata', { cause: { row: [Buffer.from(text).toString('base64url')] } }),
      ),
    ),
    'secrecy.escaped-in-408-message': subtle(
      'The message of the 408 of the vault holds the value, each character of it escaped in the JSON',
      leak({ operation: 'vault-delete', status: 408 }, namedValue, escapeInMessage),
    ),
    'secrecy.first-half-in-502-message': subtle(
      'The message of a 502 of the vault holds the first half of the value, then stars',
      leak({ operation: 'vault-delete', status: 502 }, namedValue, (answer, text) =>
        inMessage(answer, `${text.slice(0, Math.ceil(text.length / 2))}****`),
      ),
    ),
    'secrecy.value-without-key': plain(
      'The 401 of a delete without a good key holds the value of the secret that its path names',
      leak(
        { operation: 'vault-delete', status: 401, when: ({ key }) => key === undefined },
        valueBehindPath,
        inMessage,
      ),
    ),
    'secrecy.value-in-guardrail': plain(
      'A guardrail has a further member with the values that its filters look for',
      {
        guardrailView: (call, guardrail) => {
          const value = anyValue(call);
          return value === undefined ? guardrail : { ...guardrail, redacted_values: [value] };
        },
      },
    ),
    'secrecy.value-in-stream-comment': plain(
      'A comment in the event stream of inference holds a stored value',
      leak(
        { operation: 'inference', status: 200 },
        anyValue,
        inFrame((text) => ({ comment: text })),
      ),
    ),
    'secrecy.value-in-a-list': plain(
      'The answer to a GET of the secrets of an intern holds a stored value',
      leak({ operation: 'vault-other', when: ({ path }) => path.endsWith('/secrets') }, anyValue, inMessage),
    ),
    'secrecy.every-fifth-404': everyday.intermittent(
      'The message of every fifth 404 of a vault delete holds a stored value, where there is one',
      leak(
        { operation: 'vault-delete', status: 404 },
        (call) => (countUp(call, 'refusals') % 5 === 0 ? anyValue(call) : undefined),
        inMessage,
      ),
    ),
  }),
  ...makeMutants('secrecy.other-key-echo', {
    'secrecy.previous-key-in-errors': everyday.plain(
      'The message of every error names the key of the request before, whoever sent that',
      {
        answer: (answer, call) => {
          const { memory } = call.server;
          const previous = memory.get('previous key');
          if (call.key !== undefined) memory.set('previous key', call.key.text);
          return answer.status >= 400 && typeof previous === 'string' ? inMessage(answer, previous) : answer;
        },
      },
      ['secrecy.key-echo'],
    ),
  }),
];
