import type { Answer, Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, intermittent, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editAnswer, editEnvelope, type Mutation, setMember, type Where } from '../mutation.js';

/** Mutants of the area envelope: a member of the envelope is missing or is not what §2.4 says. */
export const envelopeMutants: readonly Mutant[] = [
  ...makeMutants('envelope.error.message', {
    'envelope.vault-404-without-message': everyday.plain('The 404 of the vault has no error.message', {
      envelope: (call, refusal) =>
        call.operation.startsWith('vault-') && refusal.status === 404
          ? { error: { code: refusal.status } }
          : conforming.envelope(call, refusal),
    }),
    'envelope.inference-429-message-as-object': plain(
      'error.message is an object of languages on the 429 of inference',
      setErrorMember({ operation: 'inference', status: 429 }, 'message', {
        en: 'Rate limit exceeded',
      }),
    ),
    'envelope.known-key-400-without-message': subtle(
      'The 400 of a vault delete has no error.message for authenticated callers',
      setErrorMember(
        { operation: 'vault-delete', status: 400, when: ({ key }) => key !== undefined },
        'message',
        undefined,
      ),
    ),
    'envelope.encoded-name-400-message-as-list': subtle(
      'error.message is a list on the 400 of a path with a percent-encoding in it',
      setErrorMember(
        { operation: 'vault-delete', status: 400, when: ({ path }) => path.includes('%') },
        'message',
        ['name is not a valid secret name'],
      ),
    ),
    'envelope.long-name-404-without-message': subtle(
      'The 404 of a secret whose legal name has more than 100 characters has no error.message',
      setErrorMember(
        {
          operation: 'vault-delete',
          status: 404,
          when: ({ parameters }) => (parameters.name ?? '').length > 100,
        },
        'message',
        undefined,
      ),
    ),
    'envelope.every-fiftieth-error-without-message': intermittent(
      'Every fiftieth error has no error.message',
      rewriteEveryNthError(50, {}, (text) => text.replace('"message":', '"text":')),
    ),
  }),
  ...makeMutants('envelope.error', {
    'envelope.vault-408-error-as-string': everyday.plain(
      'error is a string on the 408 of a vault delete',
      setTopMember({ operation: 'vault-delete', status: 408 }, 'error', 'The request timed out'),
    ),
    'envelope.inference-401-error-as-array': plain(
      'error is an array of one error on the 401 of inference',
      editEnvelope({ operation: 'inference', status: 401 }, (body) => ({ error: [body.error] })),
    ),
    'envelope.key-401-flat': plain(
      'The 401 of the key read has code and message at the top, without error around them',
      editEnvelope({ operation: 'key-read', status: 401 }, (body) => body.error),
    ),
    'envelope.guardrail-500-error-null': plain(
      'error is null on the 500 of the guardrail read',
      setTopMember({ operation: 'guardrail-read', status: 500 }, 'error', null),
    ),
    'envelope.stalled-body-as-errors': subtle(
      'The 408 of a stalled request body has a list errors in place of error',
      editEnvelope(
        { operation: 'vault-delete', status: 408, when: ({ body }) => body.state === 'stalled' },
        (body) => ({ errors: [body.error] }),
      ),
    ),
    'envelope.every-third-error-without-error': everyday.intermittent(
      'Every third error has a message alone, without error around it',
      rewriteEveryNthError(3, {}, () => '{"message":"Something went wrong"}'),
    ),
  }),
  ...makeMutants('envelope.error.code', {
    'envelope.vault-400-code-as-string': everyday.plain(
      'error.code is a string on the 400 of a vault delete',
      setErrorMember({ operation: 'vault-delete', status: 400 }, 'code', '400'),
    ),
    'envelope.key-401-code-fraction': plain(
      'error.code is 401.1 on the 401 of the key read',
      setErrorMember({ operation: 'key-read', status: 401 }, 'code', 401.1),
    ),
    'envelope.too-long-name-code-as-string': subtle(
      'error.code is a string on the 400 of a secret name of more than 300 characters',
      editEnvelope(
        {
          operation: 'vault-delete',
          status: 400,
          when: ({ parameters }) => (parameters.name ?? '').length > 300,
        },
        (body) => ({ ...body, error: { ...body.error, code: 'too_long' } }),
      ),
    ),
    'envelope.every-fourth-401-code-as-string': everyday.intermittent(
      'error.code is a string on every fourth 401',
      rewriteEveryNthError(4, { status: 401 }, (text) => text.replace('"code":401', '"code":"401"')),
    ),
  }),
  ...makeMutants('envelope.error.code-is-status', {
    'envelope.vault-401-code-403': everyday.plain(
      'error.code is 403 on the 401 of a vault delete',
      setErrorMember({ operation: 'vault-delete', status: 401 }, 'code', 403),
    ),
    'envelope.guardrail-404-code-4040': plain(
      "error.code is a number of the service's own on the 404 of the guardrail read",
      setErrorMember({ operation: 'guardrail-read', status: 404 }, 'code', 4040),
    ),
    'envelope.writes-disabled-code-403': subtle(
      'error.code is 403 on the 503 of a caller whose vault writes are disabled',
      setErrorMember(
        { operation: 'vault-delete', status: 503, when: ({ key }) => key?.traits.vaultWrites === false },
        'code',
        403,
      ),
    ),
    'envelope.programme-404-code-403': subtle(
      'error.code is 403 on the 404 of a caller outside the intern programme',
      setErrorMember(
        { operation: 'vault-delete', status: 404, when: ({ key }) => key?.traits.inProgramme === false },
        'code',
        403,
      ),
    ),
    'envelope.every-tenth-error-code-off': intermittent(
      'error.code is one more than the status on every tenth error',
      rewriteEveryNthError(10, {}, (text, { status }) =>
        text.replace(`"code":${status}`, `"code":${status + 1}`),
      ),
    ),
  }),
  ...makeMutants('envelope.error.metadata', {
    'envelope.vault-502-metadata-as-string': everyday.plain(
      'error.metadata is a string on the 502 of a vault delete',
      setErrorMember({ operation: 'vault-delete', status: 502 }, 'metadata', 'vault'),
    ),
    'envelope.inference-502-metadata-as-array': plain(
      'error.metadata is an empty array on the 502 of inference',
      setErrorMember({ operation: 'inference', status: 502 }, 'metadata', []),
    ),
  }),
  ...makeMutants('envelope.service_metadata', {
    'envelope.vault-504-service-metadata-as-string': everyday.plain(
      'service_metadata is a string on the 504 of a vault delete',
      setTopMember({ operation: 'vault-delete', status: 504 }, 'service_metadata', 'vault-eu-1'),
    ),
    'envelope.guardrail-404-service-metadata-as-array': plain(
      'service_metadata is an array on the 404 of the guardrail read',
      setTopMember({ operation: 'guardrail-read', status: 404 }, 'service_metadata', []),
    ),
  }),
  ...makeMutants('envelope.user_id', {
    'envelope.vault-500-user-id-as-number': everyday.plain(
      'user_id is a number on the 500 of a vault delete',
      setTopMember({ operation: 'vault-delete', status: 500 }, 'user_id', 4711),
    ),
    'envelope.disabled-key-user-id-false': subtle(
      'user_id is false on the 401 of a disabled key',
      setTopMember({ status: 401, when: ({ key }) => key?.traits.enabled === false }, 'user_id', false),
    ),
  }),
  ...makeMutants('envelope.json-object', {
    'envelope.vault-503-array': everyday.plain(
      'The 503 of a vault delete is an array with the envelope in it',
      rewriteBody({ operation: 'vault-delete', status: 503 }, (text) => `[${text}]`),
    ),
    'envelope.inference-402-null': plain(
      'The body of the 402 of inference is null',
      rewriteBody({ operation: 'inference', status: 402 }, () => 'null'),
    ),
    'envelope.vault-404-encoded-twice': plain(
      'The 404 of a vault delete is a JSON string with the envelope in it',
      rewriteBody({ operation: 'vault-delete', status: 404 }, (text) => JSON.stringify(text)),
    ),
    'envelope.key-401-message-alone': plain(
      'The body of the 401 of the key read is a JSON string with the message',
      rewriteBody({ operation: 'key-read', status: 401 }, () => '"Missing or unknown API key"'),
    ),
    'envelope.regional-403-empty': subtle(
      'The 403 of a regional hostname has no body',
      rewriteBody(
        { operation: 'vault-delete', status: 403, when: (call) => call.key?.traits.scoped !== false },
        () => '',
      ),
    ),
    'envelope.vault-500-cut-short': plain(
      'The JSON of the 500 of a vault delete lacks its last brace',
      rewriteBody({ operation: 'vault-delete', status: 500 }, (text) => text.slice(0, -1)),
    ),
    'envelope.guardrail-403-twice': plain(
      'The body of the 403 of the guardrail read is the envelope twice, one after the other',
      rewriteBody({ operation: 'guardrail-read', status: 403 }, (text) => `${text}${text}`),
    ),
    'envelope.inference-503-byte-order-mark': plain(
      'The body of the 503 of inference begins with a byte order mark, which JSON forbids',
      rewriteBody({ operation: 'inference', status: 503 }, (text) => `\u{feff}${text}`),
    ),
    'envelope.malformed-encoding-in-words': subtle(
      'A path with a malformed percent-encoding is refused in plain words',
      editAnswer({ operation: 'malformed-target' }, (answer) => ({
        ...setMediaType(answer, 'text/plain'),
        body: 'Bad Request',
      })),
    ),
    'envelope.every-fifth-404-array': everyday.intermittent(
      'Every fifth 404 of a vault delete is an array with the envelope in it',
      rewriteEveryNthError(5, { operation: 'vault-delete', status: 404 }, (text) => `[${text}]`),
    ),
  }),
  ...makeMutants('envelope.media-type', {
    'envelope.guardrail-401-text-plain': everyday.plain(
      'The 401 of the guardrail read is announced as text/plain',
      announceAs({ operation: 'guardrail-read', status: 401 }, 'text/plain; charset=utf-8'),
    ),
    'envelope.vault-502-text-html': plain(
      'The 502 of a vault delete is announced as text/html, with the JSON envelope in it',
      announceAs({ operation: 'vault-delete', status: 502 }, 'text/html; charset=utf-8'),
    ),
    'envelope.key-401-unannounced': plain(
      'The 401 of the key read has no Content-Type',
      editAnswer({ operation: 'key-read', status: 401 }, (answer) => {
        const { 'Content-Type': _former, ...headers } = answer.headers;
        return { ...answer, headers };
      }),
    ),
    'envelope.streamed-502-event-stream': subtle(
      'The 502 of a streamed request is announced as text/event-stream, with the JSON envelope in it',
      announceAs(
        { operation: 'inference', status: 502, when: ({ inference }) => inference?.stream === true },
        'text/event-stream',
      ),
    ),
    'envelope.stored-elsewhere-404-javascript': subtle(
      'The 404 of a secret that the sibling intern has is announced as text/javascript',
      announceAs(
        {
          operation: 'vault-delete',
          status: 404,
          when: ({ key, parameters }) => key?.world.secrets.sibling.has(parameters.name ?? '') === true,
        },
        'text/javascript',
      ),
    ),
  }),
];

type Errors = Parameters<typeof editEnvelope>[0];

/** One member of the envelope of some errors is another value; undefined leaves it out. */
function setTopMember(errors: Errors, field: string, value: unknown): Mutation {
  return editEnvelope(errors, (body) => setMember(body, field, value));
}

/** One member of the error object of some errors is another value; undefined leaves it out. */
function setErrorMember(errors: Errors, field: string, value: unknown): Mutation {
  return editEnvelope(errors, (body) => ({ ...body, error: setMember(body.error, field, value) }));
}

/** The bodies of some errors are written otherwise. */
function rewriteBody(where: Where, rewrite: (text: string, answer: Answer) => string): Mutation {
  return editAnswer(where, (answer) => ({ ...answer, body: rewrite(JSON.stringify(answer.body), answer) }));
}

/** Some errors are announced as something else. */
function announceAs(where: Where, type: string): Mutation {
  return editAnswer(where, (answer) => setMediaType(answer, type));
}

function setMediaType(answer: Answer, type: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'Content-Type': type } };
}

/** The bodies of one in so many of some errors are written otherwise. */
function rewriteEveryNthError(
  n: number,
  where: Where,
  rewrite: (text: string, answer: Answer) => string,
): Mutation {
  const isError = (_call: Call, { status }: Answer): boolean => status >= 400;
  return editAnswer({ ...where, when: isError }, (answer, call) =>
    countUp(call, 'errors') % n === 0
      ? { ...answer, body: rewrite(JSON.stringify(answer.body), answer) }
      : answer,
  );
}
