import type { RequirementId } from '../../spec/ledger.js';
import {
  type ExchangeSpec,
  infer,
  intern,
  key,
  makeEnvelope,
  makeErrorEvent,
  makeKeyData,
  readGuardrail,
  readKey,
  remove,
} from './recorded.js';

/** A stored value that the table's leaks hold. */
export const storedValue = 'plumb-value-7f3a91c04e';

const stream = (changed: object): ExchangeSpec =>
  infer({ body: `data: {"id":"1"}\n\n${makeErrorEvent(changed)}`, type: 'text/event-stream' });
const free = { model: 'acme/tiny:free' };
const platform = { error_type: 'rate_limit_exceeded' };
const limits = { 'X-RateLimit-Limit': '20', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' };

/** Recorded exchanges with one violation each: what it is, the row that it breaks, the exchange. */
export const violating: readonly (readonly [what: string, row: RequirementId, spec: ExchangeSpec])[] = [
  ['a delete answered 200', 'vault-delete.status-documented', remove({ status: 200, body: { ok: true } })],
  ['a delete answered 202 with nothing', 'vault-delete.status-documented', remove({ status: 202 })],
  [
    'a delete answered 409',
    'vault-delete.status-documented',
    remove({ status: 409, body: makeEnvelope(409) }),
  ],
  [
    'a key read answered 418',
    'key-info.status-documented',
    readKey({ status: 418, body: makeEnvelope(418) }),
  ],
  [
    'a guardrail read answered 410',
    'guardrail-read.status-documented',
    readGuardrail({ status: 410, body: makeEnvelope(410) }),
  ],
  [
    'an error that is a JSON text',
    'envelope.json-object',
    remove({ status: 404, body: '"no"', type: 'application/json' }),
  ],
  ['an error that is a JSON list', 'envelope.json-object', readKey({ status: 401, body: [] })],
  [
    'an error announced as text',
    'envelope.media-type',
    remove({ status: 404, body: makeEnvelope(404), type: 'text/plain' }),
  ],
  [
    'an error announced as nothing',
    'envelope.media-type',
    readKey({ status: 401, body: makeEnvelope(401), type: null, headers: { Date: 'x' } }),
  ],
  ['an error whose error is a text', 'envelope.error', remove({ status: 404, body: { error: 'no' } })],
  [
    'a code that is a text',
    'envelope.error.code',
    remove({ status: 404, body: makeEnvelope(404, {}, { code: '404' }) }),
  ],
  [
    'a code of another status',
    'envelope.error.code-is-status',
    remove({ status: 404, body: makeEnvelope(400) }),
  ],
  [
    'a code of another status, at 503',
    'envelope.error.code-is-status',
    infer({ status: 503, body: makeEnvelope(502) }),
  ],
  [
    'a message that is no text',
    'envelope.error.message',
    remove({ status: 403, body: makeEnvelope(403, {}, { message: 7 }) }),
  ],
  [
    'a message that is missing',
    'envelope.error.message',
    readKey({ status: 401, body: { error: { code: 401 } } }),
  ],
  [
    'metadata that is a list',
    'envelope.error.metadata',
    remove({ status: 500, body: makeEnvelope(500, {}, { metadata: [] }) }),
  ],
  [
    'service metadata that is a text',
    'envelope.service_metadata',
    remove({ status: 502, body: makeEnvelope(502, { service_metadata: 'x' }) }),
  ],
  [
    'a user id that is a number',
    'envelope.user_id',
    remove({ status: 504, body: makeEnvelope(504, { user_id: 1 }) }),
  ],
  [
    'a 204 that announces a body',
    'vault-delete.204.no-body',
    remove({ status: 204, headers: { 'Content-Length': '7' } }),
  ],
  ['a key read without data', 'key-info.200.data', readKey({ body: { label: 'sk' } })],
  [
    'key information with a limit in text',
    'key-info.field.limit',
    readKey({ body: makeKeyData({ limit: '10' }) }),
  ],
  [
    'key information without its label',
    'key-info.field-presence',
    readKey({ body: makeKeyData({ label: undefined }) }),
  ],
  [
    'key information whose rate_limit is no object',
    'key-info.field.rate_limit-type',
    readKey({ body: makeKeyData({ rate_limit: 'none' }) }),
  ],
  [
    'key information with usage null',
    'key-info.field.usage',
    readKey({ body: makeKeyData({ usage: null }) }),
  ],
  [
    'an unlimited key of which something remains',
    'key-info.limit-pair',
    readKey({ body: makeKeyData({ limit: null }) }),
  ],
  [
    'a day of more than its week',
    'key-info.usage.nested',
    readKey({ body: makeKeyData({ usage_daily: 5, usage_weekly: 3, usage_monthly: 5 }) }),
  ],
  ['a guardrail read without data', 'guardrail-read.200.data', readGuardrail({ body: [] })],
  [
    'a guardrail whose limit is a text',
    'guardrail-read.field.limit_usd',
    readGuardrail({ body: { data: { id: intern, limit_usd: '5' } } }),
  ],
  [
    'a guardrail whose time has no zone',
    'guardrail-read.field.created_at',
    readGuardrail({ body: { data: { id: intern, created_at: '2026-01-01 10:00:00' } } }),
  ],
  [
    'another guardrail than was asked for',
    'guardrail-read.200.same-id',
    readGuardrail({ body: { data: { id: intern.replace('0b', '0c') } } }),
  ],
  [
    'a vendor flag that is null',
    'guardrail-read.field.enforce_zdr_vendor',
    readGuardrail({ body: { data: { enforce_zdr_acme: null } } }),
  ],
  [
    'a vendor with a capital',
    'guardrail-read.field.enforce_zdr_vendor-case',
    readGuardrail({ body: { data: { enforce_zdr_Acme: true } } }),
  ],
  [
    'a wait that is neither number nor date',
    'rate-limit.retry-after-form',
    remove({ status: 429, body: makeEnvelope(429), headers: { 'retry-after': 'soon' } }),
  ],
  [
    'a platform limit without X-RateLimit-Reset',
    'rate-limit.platform.header.reset',
    infer({
      sent: free,
      status: 429,
      body: makeEnvelope(429, {}, { metadata: platform }),
      headers: { ...limits, 'X-RateLimit-Reset': '' },
    }),
  ],
  [
    'a platform limit without X-RateLimit-Limit',
    'rate-limit.platform.header.limit',
    infer({
      sent: free,
      status: 429,
      body: makeEnvelope(429, {}, { metadata: platform }),
      headers: { 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' },
    }),
  ],
  [
    'a platform limit of the key read without X-RateLimit-Remaining',
    'rate-limit.platform.header.remaining',
    readKey({
      status: 429,
      body: makeEnvelope(429, {}, { metadata: platform }),
      headers: { 'X-RateLimit-Limit': '20', 'X-RateLimit-Reset': '1' },
    }),
  ],
  [
    'a success with X-RateLimit-Limit',
    'rate-limit.success-headers',
    infer({ body: { id: 'gen-1' }, headers: { 'x-ratelimit-limit': '20' } }),
  ],
  ['an event whose object is another', 'stream-error.object', stream({ object: 'chat.completion' })],
  ['an event without a provider', 'stream-error.provider', stream({ provider: undefined })],
  [
    'an event whose code is a text',
    'stream-error.error.code',
    stream({ error: { code: '502', message: 'x' } }),
  ],
  [
    'an event of two choices',
    'stream-error.choices',
    stream({ choices: [0, 1].map((index) => ({ index, delta: { content: '' }, finish_reason: 'error' })) }),
  ],
  [
    'an event that stops',
    'stream-error.choices.finish_reason',
    stream({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }] }),
  ],
  [
    'an error event in a stream announced as JSON',
    'stream-error.media-type',
    infer({ body: makeErrorEvent(), type: 'application/json' }),
  ],
  [
    'a stored value in a body',
    'secrecy.body',
    remove({ status: 404, body: makeEnvelope(404, {}, { message: `no ${storedValue}` }) }),
  ],
  [
    'a stored value in base64 in a header',
    'secrecy.header',
    readKey({
      body: makeKeyData(),
      headers: { 'X-Trace': Buffer.from(`v=${storedValue}`).toString('base64') },
    }),
  ],
  [
    'the key in the body',
    'secrecy.key-echo',
    readKey({ status: 401, body: makeEnvelope(401, {}, { message: `bad ${key}` }) }),
  ],
];
