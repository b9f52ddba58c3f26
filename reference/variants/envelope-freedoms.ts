import type { Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { answers, counted, envelopes, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { JsonObject } from '../vocabulary.js';

/** Variants of the error envelope and its headers (§2.4). */
export const envelopeVariants: readonly Variant[] = [
  ...makeVariants('2.4', {
    'problem-json': {
      everyday: 'Errors are application/problem+json',
      override: { errorMediaType: 'application/problem+json; charset=utf-8' },
    },
    'vendor-json': {
      description: 'Errors are application/vnd.acme.error.v1+json',
      override: { errorMediaType: 'application/vnd.acme.error.v1+json' },
    },
    'json-without-charset': {
      description: 'Errors are application/json without a parameter',
      override: { errorMediaType: 'application/json' },
    },
    'media-type-in-odd-case': {
      description: 'The media type of errors is in odd case, with blanks and a quoted charset',
      override: { errorMediaType: 'Application/JSON ; Charset="UTF-8"; profile="a;b"' },
    },
    'envelope-of-two-members': {
      description: 'Errors have code and message only, and metadata where §7.4 asks for it',
      override: envelopes({}, (_body, refusal) => ({
        error: { code: refusal.status, message: refusal.message, ...owedMetadata(refusal) },
      })),
    },
    'envelope-with-nulls': {
      description: 'Every optional member of the envelope is there, and null where it may be',
      override: envelopes({}, (_body, { status, message, metadata }) => ({
        error: { code: status, message, metadata: metadata ?? null },
        service_metadata: null,
        user_id: null,
      })),
    },
    'envelope-full': {
      description: 'Every optional member of the envelope is there and holds something',
      override: envelopes({}, (_body, { status, message, metadata }) => ({
        user_id: 'user_1',
        service_metadata: { region: 'eu', trace: { id: 'f9e4', steps: [1, null] } },
        error: { message, metadata: { retryable: false, reasons: [], ...metadata }, code: status },
      })),
    },
    'envelope-in-turns': {
      everyday: 'The optional members of the envelope come and go from answer to answer',
      override: envelopes({}, (body, { metadata }, call) => {
        const turn = counted(call, 'envelopes') % 3;
        const error = { ...body.error, ...(turn === 0 && metadata === undefined ? { metadata: {} } : {}) };
        return turn === 1 ? { error, user_id: '' } : { error, service_metadata: turn === 0 ? {} : null };
      }),
    },
    'one-message-for-all': {
      description: 'All errors have the same message',
      override: withMessage('Something is wrong'),
    },
    'empty-messages': { description: 'The message of every error is empty', override: withMessage('') },
    'messages-in-many-scripts': {
      description:
        'Messages are long, hold quotes, line ends and signs of many scripts, and words like data:',
      override: withMessage(
        `Größe "?" — 大きさ 🙂\n\ndata: {"error": null}\t<b>\u0001 ${'long '.repeat(200)}`,
      ),
    },
    'message-tells-the-path': {
      everyday: 'The message of every error repeats the method and the path',
      override: {
        envelope: (call, refusal) =>
          conforming.envelope(call, {
            ...refusal,
            message: `${call.method} ${call.path}: ${refusal.message}`,
          }),
      },
    },
  }),
  ...makeVariants('5', {
    'no-challenge': {
      description: 'A 401 has no WWW-Authenticate',
      override: answers({ status: 401 }, (answer) => {
        const { 'WWW-Authenticate': _challenge, ...headers } = answer.headers;
        return { ...answer, headers };
      }),
    },
    'challenge-in-detail': {
      description: 'A 401 has a WWW-Authenticate with a realm and an error',
      override: withHeadersOn(401, {
        'WWW-Authenticate': 'Bearer realm="vault", error="invalid_token", error_description="no such key"',
      }),
    },
  }),
  ...makeVariants('7.3', {
    'retry-after-on-503': {
      description: 'Every 503 carries Retry-After as an HTTP date that has passed',
      override: withHeadersOn(503, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
    },
  }),
];

function withMessage(message: string): Override {
  return { envelope: (call, refusal) => conforming.envelope(call, { ...refusal, message }) };
}

function withHeadersOn(status: number, headers: Record<string, string>): Override {
  return answers({ status }, (answer) => ({ ...answer, headers: { ...answer.headers, ...headers } }));
}

/** What §7.4 asks of the metadata, and nothing else of it. */
function owedMetadata({ metadata }: Refusal): JsonObject {
  const { error_type, provider_code } = metadata ?? {};
  if (error_type !== undefined) return { metadata: { error_type } };
  return provider_code === undefined ? {} : { metadata: { provider_code } };
}
