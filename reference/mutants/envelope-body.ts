import type { Answer, Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, counted, type Override, type Where } from '../mutation.js';

/** Mutants of the area envelope: the body of an error is no JSON object, is announced as something else, or is wrong now and then. */
export const envelopeBodyMutants: readonly Mutant[] = [
  ...makeMutants('2.4', ['envelope.json-object'], {
    'envelope.vault-503-array': {
      everydayPlain: 'The 503 of the vault delete is an array with the envelope in it',
      override: rewritten({ operation: 'vault-delete', status: 503 }, (text) => `[${text}]`),
    },
    'envelope.inference-402-null': {
      plain: 'The body of the 402 of an inference request is null',
      override: rewritten({ operation: 'inference', status: 402 }, () => 'null'),
    },
    'envelope.vault-404-encoded-twice': {
      plain: 'The 404 of the vault delete is a JSON string with the envelope in it',
      override: rewritten({ operation: 'vault-delete', status: 404 }, (text) => JSON.stringify(text)),
    },
    'envelope.key-401-message-alone': {
      plain: 'The body of the 401 of the key read is a JSON string with the message',
      override: rewritten({ operation: 'key-read', status: 401 }, () => '"Missing or unknown API key"'),
    },
    'envelope.vault-504-empty': {
      plain: 'The 504 of the vault delete has no body',
      override: rewritten({ operation: 'vault-delete', status: 504 }, () => ''),
    },
    'envelope.regional-403-empty': {
      subtle: 'The 403 of a regional hostname has no body',
      override: rewritten(
        { operation: 'vault-delete', status: 403, when: (call) => call.key?.traits.scoped !== false },
        () => '',
      ),
    },
    'envelope.vault-500-cut-short': {
      plain: 'The JSON of the 500 of the vault delete lacks its last brace',
      override: rewritten({ operation: 'vault-delete', status: 500 }, (text) => text.slice(0, -1)),
    },
    'envelope.guardrail-403-twice': {
      plain: 'The body of the 403 of the guardrail read is the envelope twice, one after the other',
      override: rewritten({ operation: 'guardrail-read', status: 403 }, (text) => `${text}${text}`),
    },
    'envelope.inference-503-byte-order-mark': {
      plain: 'The body of the 503 of an inference request begins with a byte order mark, which JSON forbids',
      override: rewritten({ operation: 'inference', status: 503 }, (text) => `\u{feff}${text}`),
    },
    'envelope.guardrail-500-guarded': {
      plain: 'The 500 of the guardrail read begins with the characters that keep scripts from loading it',
      override: rewritten({ operation: 'guardrail-read', status: 500 }, (text) => `)]}',\n${text}`),
    },
    'envelope.malformed-encoding-in-words': {
      subtle: 'A path with a malformed percent-encoding is refused in plain words',
      override: answers({ operation: 'malformed-target' }, (answer) => ({
        ...announced(answer, 'text/plain'),
        body: 'Bad Request',
      })),
    },
  }),

  // the media type
  ...makeMutants('1', ['envelope.media-type'], {
    'envelope.guardrail-401-text-plain': {
      everydayPlain: 'The 401 of the guardrail read is announced as text/plain',
      override: mediaType({ operation: 'guardrail-read', status: 401 }, 'text/plain; charset=utf-8'),
    },
    'envelope.vault-502-text-html': {
      plain: 'The 502 of the vault delete is announced as text/html, with the JSON envelope in it',
      override: mediaType({ operation: 'vault-delete', status: 502 }, 'text/html; charset=utf-8'),
    },
    'envelope.key-401-unannounced': {
      plain: 'The 401 of the key read has no Content-Type',
      override: answers({ operation: 'key-read', status: 401 }, (answer) => {
        const { 'Content-Type': _former, ...headers } = answer.headers;
        return { ...answer, headers };
      }),
    },
    'envelope.vault-429-octets': {
      plain: 'The 429 of the vault delete is announced as application/octet-stream',
      override: mediaType({ operation: 'vault-delete', status: 429 }, 'application/octet-stream'),
    },
    'envelope.streamed-502-event-stream': {
      subtle: 'The 502 of a streamed request is announced as text/event-stream, with the JSON envelope in it',
      override: mediaType(
        { operation: 'inference', status: 502, when: ({ inference }) => inference?.stream === true },
        'text/event-stream',
      ),
    },
    'envelope.stored-elsewhere-404-javascript': {
      subtle: 'The 404 of a secret that the sibling intern has is announced as text/javascript',
      override: mediaType(
        {
          operation: 'vault-delete',
          status: 404,
          when: ({ key, parameters }) => key?.world.secrets.sibling.has(parameters.name ?? '') === true,
        },
        'text/javascript',
      ),
    },
  }),

  // now and then
  ...makeMutants('2.4', ['envelope.error'], {
    'envelope.every-third-error-without-error': {
      everydayIntermittent: 'Every third error has a message alone, without error around it',
      override: everyNthError(3, {}, () => '{"message":"Something went wrong"}'),
    },
  }),
  ...makeMutants('2.4', ['envelope.error.code-is-status'], {
    'envelope.every-tenth-error-code-off': {
      intermittent: 'error.code is one more than the status on every tenth error',
      override: everyNthError(10, {}, (text, { status }) =>
        text.replace(`"code":${status}`, `"code":${status + 1}`),
      ),
    },
  }),
  ...makeMutants('2.4', ['envelope.error.code'], {
    'envelope.every-fourth-401-code-as-string': {
      everydayIntermittent: 'error.code is a string on every fourth 401',
      override: everyNthError(4, { status: 401 }, (text) => text.replace('"code":401', '"code":"401"')),
    },
  }),
  ...makeMutants('2.4', ['envelope.json-object'], {
    'envelope.every-fifth-404-array': {
      everydayIntermittent: 'Every fifth 404 of the vault delete is an array with the envelope in it',
      override: everyNthError(5, { operation: 'vault-delete', status: 404 }, (text) => `[${text}]`),
    },
  }),
  ...makeMutants('2.4', ['envelope.error.message'], {
    'envelope.every-fiftieth-error-without-message': {
      intermittent: 'Every fiftieth error has no error.message',
      override: everyNthError(50, {}, (text) => text.replace('"message":', '"text":')),
    },
  }),
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
