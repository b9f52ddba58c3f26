import type { Answer } from '../answer.js';
import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { answers, counted, type Where } from '../override.js';

/** Mutants of the area envelope: the body of an error is no JSON object, is announced as something else, or is wrong now and then. */
export const envelopeBodyMutants: readonly Mutant[] = [
  {
    id: 'envelope.vault-503-array',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The 503 of the vault delete is an array with the envelope in it',
    hardness: 'plain',
    override: rewritten({ operation: 'vault-delete', status: 503 }, (text) => `[${text}]`),
  },
  {
    id: 'envelope.inference-402-null',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The body of the 402 of an inference request is null',
    hardness: 'plain',
    override: rewritten({ operation: 'inference', status: 402 }, () => 'null'),
  },
  {
    id: 'envelope.vault-404-encoded-twice',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The 404 of the vault delete is a JSON string with the envelope in it',
    hardness: 'plain',
    override: rewritten({ operation: 'vault-delete', status: 404 }, (text) => JSON.stringify(text)),
  },
  {
    id: 'envelope.key-401-message-alone',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The body of the 401 of the key read is a JSON string with the message',
    hardness: 'plain',
    override: rewritten({ operation: 'key-read', status: 401 }, () => '"Missing or unknown API key"'),
  },
  {
    id: 'envelope.vault-504-empty',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The 504 of the vault delete has no body',
    hardness: 'plain',
    override: rewritten({ operation: 'vault-delete', status: 504 }, () => ''),
  },
  {
    id: 'envelope.regional-403-empty',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The 403 of a regional hostname has no body',
    hardness: 'subtle',
    override: rewritten(
      { operation: 'vault-delete', status: 403, when: (call) => call.key?.traits.scoped !== false },
      () => '',
    ),
  },
  {
    id: 'envelope.vault-500-cut-short',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The JSON of the 500 of the vault delete lacks its last brace',
    hardness: 'plain',
    override: rewritten({ operation: 'vault-delete', status: 500 }, (text) => text.slice(0, -1)),
  },
  {
    id: 'envelope.guardrail-403-twice',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The body of the 403 of the guardrail read is the envelope twice, one after the other',
    hardness: 'plain',
    override: rewritten({ operation: 'guardrail-read', status: 403 }, (text) => `${text}${text}`),
  },
  {
    id: 'envelope.inference-503-byte-order-mark',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description:
      'The body of the 503 of an inference request begins with a byte order mark, which JSON forbids',
    hardness: 'plain',
    override: rewritten({ operation: 'inference', status: 503 }, (text) => `\u{feff}${text}`),
  },
  {
    id: 'envelope.guardrail-500-guarded',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'The 500 of the guardrail read begins with the characters that keep scripts from loading it',
    hardness: 'plain',
    override: rewritten({ operation: 'guardrail-read', status: 500 }, (text) => `)]}',\n${text}`),
  },
  {
    id: 'envelope.malformed-encoding-in-words',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'A path with a malformed percent-encoding is refused in plain words',
    hardness: 'subtle',
    override: answers({ operation: 'malformed-target' }, (answer) => ({
      ...announced(answer, 'text/plain'),
      body: 'Bad Request',
    })),
  },

  // the media type
  {
    id: 'envelope.guardrail-401-text-plain',
    section: '1',
    turnsRed: ['envelope.media-type'],
    description: 'The 401 of the guardrail read is announced as text/plain',
    hardness: 'plain',
    override: mediaType({ operation: 'guardrail-read', status: 401 }, 'text/plain; charset=utf-8'),
  },
  {
    id: 'envelope.vault-502-text-html',
    section: '1',
    turnsRed: ['envelope.media-type'],
    description: 'The 502 of the vault delete is announced as text/html, with the JSON envelope in it',
    hardness: 'plain',
    override: mediaType({ operation: 'vault-delete', status: 502 }, 'text/html; charset=utf-8'),
  },
  {
    id: 'envelope.key-401-unannounced',
    section: '1',
    turnsRed: ['envelope.media-type'],
    description: 'The 401 of the key read has no Content-Type',
    hardness: 'plain',
    override: answers({ operation: 'key-read', status: 401 }, (answer) => {
      const { 'Content-Type': _former, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
  },
  {
    id: 'envelope.vault-429-octets',
    section: '1',
    turnsRed: ['envelope.media-type'],
    description: 'The 429 of the vault delete is announced as application/octet-stream',
    hardness: 'plain',
    override: mediaType({ operation: 'vault-delete', status: 429 }, 'application/octet-stream'),
  },
  {
    id: 'envelope.streamed-502-event-stream',
    section: '1',
    turnsRed: ['envelope.media-type'],
    description:
      'The 502 of a streamed request is announced as text/event-stream, with the JSON envelope in it',
    hardness: 'subtle',
    override: mediaType(
      { operation: 'inference', status: 502, when: ({ inference }) => inference?.stream === true },
      'text/event-stream',
    ),
  },
  {
    id: 'envelope.stored-elsewhere-404-javascript',
    section: '1',
    turnsRed: ['envelope.media-type'],
    description: 'The 404 of a secret that the sibling intern has is announced as text/javascript',
    hardness: 'subtle',
    override: mediaType(
      {
        operation: 'vault-delete',
        status: 404,
        when: ({ key, parameters }) => key?.world.secrets.sibling.has(parameters.name ?? '') === true,
      },
      'text/javascript',
    ),
  },

  // now and then
  {
    id: 'envelope.every-third-error-without-error',
    section: '2.4',
    turnsRed: ['envelope.error'],
    description: 'Every third error has a message alone, without error around it',
    hardness: 'intermittent',
    override: everyNthError(3, {}, () => '{"message":"Something went wrong"}'),
  },
  {
    id: 'envelope.every-tenth-error-code-off',
    section: '2.4',
    turnsRed: ['envelope.error.code-is-status'],
    description: 'error.code is one more than the status on every tenth error',
    hardness: 'intermittent',
    override: everyNthError(10, {}, (text, { status }) =>
      text.replace(`"code":${status}`, `"code":${status + 1}`),
    ),
  },
  {
    id: 'envelope.every-fourth-401-code-as-string',
    section: '2.4',
    turnsRed: ['envelope.error.code'],
    description: 'error.code is a string on every fourth 401',
    hardness: 'intermittent',
    override: everyNthError(4, { status: 401 }, (text) => text.replace('"code":401', '"code":"401"')),
  },
  {
    id: 'envelope.every-fifth-404-array',
    section: '2.4',
    turnsRed: ['envelope.json-object'],
    description: 'Every fifth 404 of the vault delete is an array with the envelope in it',
    hardness: 'intermittent',
    override: everyNthError(5, { operation: 'vault-delete', status: 404 }, (text) => `[${text}]`),
  },
  {
    id: 'envelope.every-fiftieth-error-without-message',
    section: '2.4',
    turnsRed: ['envelope.error.message'],
    description: 'Every fiftieth error has no error.message',
    hardness: 'intermittent',
    override: everyNthError(50, {}, (text) => text.replace('"message":', '"text":')),
  },
];

/** The bodies of some errors are written otherwise. */
function rewritten(where: Where, rewrite: (text: string, answer: Answer) => string): Override {
  return answers(where, (answer) => ({ ...answer, body: rewrite(JSON.stringify(answer.body), answer) }));
}

/** Some errors are announced as something else. */
function mediaType(where: Where, type: string): Override {
  return answers(where, (answer) => announced(answer, type));
}

function announced(answer: Answer, type: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'Content-Type': type } };
}

/** The bodies of one in so many of some errors are written otherwise. */
function everyNthError(n: number, where: Where, rewrite: (text: string, answer: Answer) => string): Override {
  const isError = (_call: Call, { status }: Answer): boolean => status >= 400;
  return answers({ ...where, when: isError }, (answer, call) =>
    counted(call, 'errors') % n === 0
      ? { ...answer, body: rewrite(JSON.stringify(answer.body), answer) }
      : answer,
  );
}
