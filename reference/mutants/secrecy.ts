import { type Answer, type Call, isFrames } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type MutantRows, plain, subtle } from '../mutant.js';
import {
  beforeSending,
  editAnswer,
  everyNth,
  type Mutation,
  setEffects,
  setInError,
  type When,
  type Where,
} from '../mutation.js';
import { isJsonObject, SCOPES } from '../vocabulary.js';
import { during } from './conditions.js';

/** Mutants of the area secrecy: an answer gives a stored value away. */
export const secrecyMutants: MutantRows = {
  'secrecy.value-in-503-header': everyday.plain('secrecy.header')(
    'The 503 of the vault carries the value of the secret in a header',
    leakNamed(503, inHeader('X-Debug')),
  ),
  'secrecy.bytes-in-502-message': subtle('secrecy.body')(
    'The message of the 502 of the vault lists the bytes of the value as Go prints them',
    leakNamed(502, (answer, text) => inMessage(answer, listBytes(text))),
  ),
  'secrecy.value-in-502-trailer': subtle('secrecy.header')(
    'A trailer of the 502 of the vault carries the value of the secret',
    leakNamed(
      502,
      ifSendable((answer, text) => ({ ...answer, trailers: { 'X-Debug': text } })),
    ),
  ),
  'secrecy.hex-in-429-header': everyday.subtle('secrecy.header')(
    'The 429 of the vault carries the value in a header, in upper-case hex',
    leakNamed(429, (answer, text) =>
      inHeader('X-Vault-Key')(answer, Buffer.from(text).toString('hex').toUpperCase()),
    ),
  ),
  'secrecy.value-in-key-read-link': subtle('secrecy.header')(
    'The key read carries a Link with a stored value in its query',
    leak({ operation: 'key-read', status: 200 }, anyValue, (answer, text) =>
      inHeader('Link')(answer, `</v1/key?trace=${percentEncoded(text)}>; rel="self"`),
    ),
  ),
  'secrecy.every-tenth-204': everyday.intermittent('secrecy.header')(
    'Every tenth 204 carries the deleted value in a header',
    leakDeleted(everyNth(10, 'deletions'), inHeader('X-Deleted')),
  ),
  'secrecy.replaced-value': subtle('secrecy.body')(
    'The answer to an update holds the value that it replaces',
    setEffects({
      'vault-store': (call) => {
        const previous = namedValue(call);
        const answer = conforming.effects['vault-store'](call);
        return isJsonObject(answer.body) ? { ...answer, body: { ...answer.body, previous } } : answer;
      },
    }),
  ),
  'secrecy.value-in-503-reason-phrase': everyday.plain('secrecy.reason-phrase')(
    'The reason phrase of the 503 of the vault holds the value of the secret',
    leakNamed(
      503,
      ifSendable((answer, text) => ({ ...answer, reasonPhrase: `Cannot write ${text}` })),
    ),
  ),
  'secrecy.value-for-debugging': subtle('secrecy.body')(
    'A query that asks for debugging gets the value of the secret with the refusal',
    leak({ operation: 'vault-delete', when: ({ path }) => /[?&]debug=/.test(path) }, namedValue, inMessage),
  ),
  'secrecy.value-for-a-debug-header': subtle('secrecy.body')(
    'A vault request with X-Debug gets the value of the secret with the refusal',
    leak({ operation: 'vault-delete', when: ({ headers }) => 'x-debug' in headers }, namedValue, inMessage),
  ),
  'secrecy.value-in-502-message': everyday.plain('secrecy.body')(
    'The message of a 502 of the vault holds the value of the secret',
    leakNamed(502, inMessage),
  ),
  'secrecy.base64-in-504-metadata': everyday.subtle('secrecy.body')(
    'The metadata of the 504 of the vault holds what was sent to it, the value in base64',
    leakNamed(504, (answer, text) =>
      setInError(answer, 'metadata', { sent: Buffer.from(`value=${text}`).toString('base64') }),
    ),
  ),
  'secrecy.base64url-in-500-metadata': everyday.subtle('secrecy.body')(
    'A member inside the metadata of the 500 of the vault holds the value in base64url',
    leakNamed(500, (answer, text) =>
      setInError(answer, 'metadata', { cause: { row: [Buffer.from(text).toString('base64url')] } }),
    ),
  ),
  'secrecy.bytes-in-502-metadata': subtle('secrecy.body')(
    'The metadata of the 502 of the vault holds the value as a list of bytes, as Node.js writes a buffer',
    leakNamed(502, (answer, text) => setInError(answer, 'metadata', { sent: Buffer.from(text).toJSON() })),
  ),
  'secrecy.characters-in-408-metadata': subtle('secrecy.body')(
    'The metadata of the 408 of the vault holds the value as a list of its characters',
    leakNamed(408, (answer, text) => setInError(answer, 'metadata', { read: [...text] })),
  ),
  'secrecy.utf16-in-503-metadata': subtle('secrecy.body')(
    'The metadata of the 503 of the vault holds the value in base64 of its UTF-16',
    leakNamed(503, (answer, text) =>
      setInError(answer, 'metadata', { sent: Buffer.from(`value=${text}`, 'utf16le').toString('base64') }),
    ),
  ),
  'secrecy.escaped-in-408-message': subtle('secrecy.body')(
    'The message of the 408 of the vault holds the value, each character of it escaped in the JSON',
    leakNamed(408, escapeInMessage),
  ),
  'secrecy.first-half-in-502-message': subtle('secrecy.body')(
    'The message of a 502 of the vault holds the first half of the value, then stars',
    leakNamed(502, (answer, text) => inMessage(answer, `${text.slice(0, Math.ceil(text.length / 2))}****`)),
  ),
  'secrecy.value-of-lines-in-503-message': subtle('secrecy.body')(
    'The message of the 503 of the vault holds the value, if that has several lines',
    leakNamed(503, (answer, text) => (text.includes('\n') ? inMessage(answer, text) : answer)),
  ),
  'secrecy.value-in-early-hints': subtle('secrecy.header')(
    'A 103 before an answer carries a Link with a stored value',
    beforeSending((response, _answer, call) => {
      const value = anyValue(call);
      if (value !== undefined) response.writeEarlyHints({ link: `</${percentEncoded(value)}>; rel=preload` });
    }),
  ),
  'secrecy.value-without-key': plain('secrecy.body')(
    'The 401 of a delete without a good key holds the value of the secret that its path names',
    leak(
      { operation: 'vault-delete', status: 401, when: ({ key }) => key === undefined },
      valueBehindPath,
      inMessage,
    ),
  ),
  'secrecy.value-in-guardrail': plain('secrecy.body')(
    'A guardrail has a further member with the values that its filters look for',
    {
      guardrailView: (call, guardrail) => {
        const value = anyValue(call);
        return value === undefined ? guardrail : { ...guardrail, redacted_values: [value] };
      },
    },
  ),
  'secrecy.value-in-stream-comment': plain('secrecy.body')(
    'A comment in the event stream of inference holds a stored value',
    leak({ operation: 'inference', status: 200 }, anyValue, inComment),
  ),
  'secrecy.value-in-a-moderated-request': plain('secrecy.body')(
    'The refusal of input that moderation flags holds a stored value',
    leak({ operation: 'inference', status: 403, when: during('moderation_flags') }, anyValue, inMessage),
  ),
  'secrecy.value-in-a-list': plain('secrecy.body')(
    'The answer to a GET of the secrets of an intern holds a stored value',
    leak({ operation: 'vault-other', when: ({ path }) => path.endsWith('/secrets') }, anyValue, inMessage),
  ),
  'secrecy.every-fifth-404': everyday.intermittent('secrecy.body')(
    'The message of every fifth 404 of a vault delete holds a stored value, where there is one',
    leak({ operation: 'vault-delete', status: 404, when: everyNth(5, 'refusals') }, anyValue, inMessage),
  ),
  'secrecy.previous-key-in-errors': everyday.plain('secrecy.other-key-echo')(
    'The message of every error names the key of the request before, whoever sent that',
    {
      answer: (answer, call) => {
        const { memory } = call.server;
        const previous = memory.get('previous key');
        if (call.key !== undefined) memory.set('previous key', call.key.text);
        return answer.status >= 400 && typeof previous === 'string' ? inMessage(answer, previous) : answer;
      },
    },
  ),
};

// How a server gives a stored value away (§1): which value, written how, and in what place of an answer.

type Place = (answer: Answer, value: string) => Answer;

function leak(where: Where, find: (call: Call) => string | undefined, put: Place): Mutation {
  return editAnswer(where, (answer, call) => {
    const value = find(call);
    return value === undefined ? answer : put(answer, value);
  });
}

/** Gives away the value of the secret that a vault delete names in the refusals with a status. */
function leakNamed(status: number, put: Place): Mutation {
  return leak({ operation: 'vault-delete', status }, namedValue, put);
}

/** Writes the bytes of a text as Go prints a slice of them. */
function listBytes(text: string): string {
  const bytes = [...Buffer.from(text)].map((byte) => `0x${byte.toString(16).padStart(2, '0')}`);
  return `[]byte{${bytes.join(', ')}}`;
}

function leakDeleted(when: When, put: Place): Mutation {
  return setEffects({
    'vault-delete': (call) => {
      const value = namedValue(call);
      const answer = conforming.effects['vault-delete'](call);
      return value !== undefined && when(call) ? put(answer, value) : answer;
    },
  });
}

function namedValue(call: Call): string | undefined {
  const place = conforming.findSecret(call);
  return place && call.key?.world.secrets[place.scope].get(place.name);
}

function valueBehindPath({ parameters, server }: Call): string | undefined {
  const worlds = [...server.store.worlds()];
  const owner = worlds.find(({ interns }) => interns.own === parameters.internId);
  return owner?.secrets.own.get(parameters.name ?? '');
}

function anyValue({ key }: Call): string | undefined {
  for (const scope of key === undefined ? [] : SCOPES)
    for (const value of key?.world.secrets[scope].values() ?? []) return value;
  return undefined;
}

// Node refuses to send any other text outside the body.
const FIT_FOR_HEAD = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Puts a value into a status line, a header or a trailer, unless Node would refuse to send it there. */
function ifSendable(put: Place): Place {
  return (answer, text) => (FIT_FOR_HEAD.test(text) ? put(answer, text) : answer);
}

function inHeader(name: string): Place {
  return ifSendable((answer, text) => ({ ...answer, headers: { ...answer.headers, [name]: text } }));
}

function inMessage(answer: Answer, text: string): Answer {
  const { body } = answer;
  if (!isJsonObject(body) || !isJsonObject(body.error)) return answer;
  return setInError(answer, 'message', `${String(body.error.message)}: ${text}`);
}

/** Makes a value the `error.message`, every character of it escaped as `\uXXXX`. */
function escapeInMessage(answer: Answer, text: string): Answer {
  const { body } = setInError(answer, 'message', '');
  const escaped = [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  return { ...answer, body: JSON.stringify(body).replace('"message":""', `"message":"${escaped}"`) };
}

function inComment(answer: Answer, text: string): Answer {
  return isFrames(answer.body) ? { ...answer, body: [{ comment: text }, ...answer.body] } : answer;
}

/** Encodes every byte with a percent sign, letters and digits included. */
function percentEncoded(text: string): string {
  return [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
