import type { Refusal } from '../answer.js';
import { conforming } from '../behaviour.js';
import type { JsonObject } from '../json.js';
import type { Override } from '../mutant.js';
import { answers, counted, envelopes } from '../override.js';
import type { Variant } from '../variant.js';

/** Variants of the error envelope and its headers (§2.4). */
export const envelopeVariants: readonly Variant[] = [
  {
    id: 'problem-json',
    section: '2.4',
    description: 'Errors are application/problem+json',
    override: { errorMediaType: 'application/problem+json; charset=utf-8' },
  },
  {
    id: 'vendor-json',
    section: '2.4',
    description: 'Errors are application/vnd.acme.error.v1+json',
    override: { errorMediaType: 'application/vnd.acme.error.v1+json' },
  },
  {
    id: 'json-without-charset',
    section: '2.4',
    description: 'Errors are application/json without a parameter',
    override: { errorMediaType: 'application/json' },
  },
  {
    id: 'media-type-in-odd-case',
    section: '2.4',
    description: 'The media type of errors is in odd case, with blanks and a quoted charset',
    override: { errorMediaType: 'Application/JSON ; Charset="UTF-8"; profile="a;b"' },
  },
  {
    id: 'envelope-of-two-members',
    section: '2.4',
    description: 'Errors have code and message only, and metadata where §7.4 asks for it',
    override: envelopes({}, (_body, refusal) => ({
      error: { code: refusal.status, message: refusal.message, ...owedMetadata(refusal) },
    })),
  },
  {
    id: 'envelope-with-nulls',
    section: '2.4',
    description: 'Every optional member of the envelope is there, and null where it may be',
    override: envelopes({}, (_body, { status, message, metadata }) => ({
      error: { code: status, message, metadata: metadata ?? null },
      service_metadata: null,
      user_id: null,
    })),
  },
  {
    id: 'envelope-full',
    section: '2.4',
    description: 'Every optional member of the envelope is there and holds something',
    override: envelopes({}, (_body, { status, message, metadata }) => ({
      user_id: 'user_1',
      service_metadata: { region: 'eu', trace: { id: 'f9e4', steps: [1, null] } },
      error: { message, metadata: { retryable: false, reasons: [], ...metadata }, code: status },
    })),
  },
  {
    id: 'envelope-in-turns',
    section: '2.4',
    description: 'The optional members of the envelope come and go from answer to answer',
    override: envelopes({}, (body, { metadata }, call) => {
      const turn = counted(call, 'envelopes') % 3;
      const error = { ...body.error, ...(turn === 0 && metadata === undefined ? { metadata: {} } : {}) };
      return turn === 1 ? { error, user_id: '' } : { error, service_metadata: turn === 0 ? {} : null };
    }),
  },
  {
    id: 'one-message-for-all',
    section: '2.4',
    description: 'All errors have the same message',
    override: withMessage('Something is wrong'),
  },
  {
    id: 'empty-messages',
    section: '2.4',
    description: 'The message of every error is empty',
    override: withMessage(''),
  },
  {
    id: 'messages-in-many-scripts',
    section: '2.4',
    description: 'Messages are long, hold quotes, line ends and signs of many scripts, and words like data:',
    override: withMessage(`Größe "?" — 大きさ 🙂\n\ndata: {"error": null}\t<b>\u0001 ${'long '.repeat(200)}`),
  },
  {
    id: 'message-tells-the-path',
    section: '2.4',
    description: 'The message of every error repeats the method and the path',
    override: {
      envelope: (call, refusal) =>
        conforming.envelope(call, { ...refusal, message: `${call.method} ${call.path}: ${refusal.message}` }),
    },
  },
  {
    id: 'no-challenge',
    section: '5',
    description: 'A 401 has no WWW-Authenticate',
    override: answers({ status: 401 }, (answer) => {
      const { 'WWW-Authenticate': _challenge, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
  },
  {
    id: 'challenge-in-detail',
    section: '5',
    description: 'A 401 has a WWW-Authenticate with a realm and an error',
    override: withHeadersOn(401, {
      'WWW-Authenticate': 'Bearer realm="vault", error="invalid_token", error_description="no such key"',
    }),
  },
  {
    id: 'retry-after-on-503',
    section: '7.3',
    description: 'Every 503 carries Retry-After as an HTTP date that has passed',
    override: withHeadersOn(503, { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
  },
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
