import type { RequirementId } from '../../spec/ledger.js';
import { bodyLimit } from '../../targets/exchange.js';
import {
  type ExchangeSpec,
  fail,
  infer,
  intern,
  key,
  makeEnvelope,
  makeErrorEvent,
  makeKeyData,
  readGuardrail,
  readGuardrailOf,
  readKey,
  readKeyOf,
  remove,
} from './recorded.js';

/** A stored value that the table's leaks hold. */
export const storedValue = 'plumb-value-7f3a91c04e';

const stream = (changed: object): ExchangeSpec =>
  infer({ body: `data: {"id":"1"}\n\n${makeErrorEvent(changed)}`, type: 'text/event-stream' });
const removeAt = (id: string, name: string) =>
  remove({ path: `/vault/interns/${id}/secrets/${name}`, status: 204, headers: { Date: 'x' } });
const makeChoice = (index: number) => ({ index, delta: { content: '' }, finish_reason: 'error' });
const free = { model: 'acme/tiny:free' };
const platform = { error_type: 'rate_limit_exceeded' };
const headers = { 'X-RateLimit-Limit': '20', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '' };
const limited = { ...fail(429, {}, { metadata: platform }), headers };

/** Recorded exchanges with one violation each, by the requirement. */
const exchanges: Readonly<Partial<Record<RequirementId, ExchangeSpec | readonly ExchangeSpec[]>>> = {
  'vault-delete.status-documented': [
    remove({ status: 200, body: { ok: true } }),
    remove({ status: 202 }),
    remove(fail(409)),
  ],
  'key-info.status-documented': readKey(fail(418)),
  'guardrail-read.status-documented': readGuardrail(fail(410)),
  'envelope.json-object': [
    remove({ status: 404, body: '"no"', type: 'application/json' }),
    readKey({ status: 401, body: [] }),
  ],
  'envelope.media-type': [
    remove({ ...fail(404), type: 'text/plain' }),
    readKey({ ...fail(401), type: null, headers: { Date: 'x' } }),
  ],
  'envelope.error': remove({ status: 404, body: { error: 'no' } }),
  'envelope.error.code': remove(fail(404, {}, { code: '404' })),
  'envelope.error.code-is-status': [
    remove({ status: 404, body: makeEnvelope(400) }),
    infer({ status: 503, body: makeEnvelope(502) }),
    infer({ status: 200, body: makeEnvelope(429) }),
    infer({ status: 200, body: makeEnvelope(402), sent: { model: 'acme/large', stream: true } }),
  ],
  'envelope.error.message': [
    remove(fail(403, {}, { message: 7 })),
    readKey({ status: 401, body: { error: { code: 401 } } }),
  ],
  'envelope.error.metadata': remove(fail(500, {}, { metadata: [] })),
  'envelope.service_metadata': remove(fail(502, { service_metadata: 'x' })),
  'envelope.user_id': remove(fail(504, { user_id: 1 })),
  'vault-delete.204.no-body': remove({ status: 204, headers: { 'Content-Length': '7' } }),
  'key-info.200.data': readKey({ body: { label: 'sk' } }),
  'key-info.field.limit': readKeyOf({ limit: '10' }),
  'key-info.field-presence': readKeyOf({ label: undefined }),
  'key-info.field.rate_limit-type': readKeyOf({ rate_limit: 'none' }),
  'key-info.field.usage': readKeyOf({ usage: null }),
  'key-info.limit-pair': readKeyOf({ limit: null }),
  'key-info.usage.nested': readKeyOf({ usage_daily: 5, usage_weekly: 3, usage_monthly: 5 }),
  'guardrail-read.200.data': readGuardrail({ body: [] }),
  'guardrail-read.field.limit_usd': readGuardrailOf({ id: intern, limit_usd: '5' }),
  'guardrail-read.field.created_at': readGuardrailOf({ id: intern, created_at: '2026-01-01 10:00:00' }),
  'guardrail-read.200.same-id': readGuardrailOf({ id: intern.replace('0b', '0c') }),
  'guardrail-read.field.enforce_zdr_vendor': readGuardrailOf({ enforce_zdr_acme: null }),
  'guardrail-read.field.enforce_zdr_vendor-case': readGuardrailOf({ enforce_zdr_Acme: true }),
  'rate-limit.retry-after-form': remove({ ...fail(429), headers: { 'retry-after': 'soon' } }),
  'rate-limit.platform.header.reset': infer({ sent: free, ...limited }),
  'rate-limit.success-headers': infer({ body: { id: 'gen-1' }, headers: { 'x-ratelimit-limit': '20' } }),
  'stream-error.created': infer({
    raw: {
      response: {
        ...{ status: 200, headers: [{ name: 'Content-Type', value: 'text/event-stream' }] },
        content: { text: `${makeErrorEvent({ created: '5' })}data: ${'x'.repeat(bodyLimit)}` },
      },
    },
  }),
  'stream-error.object': stream({ object: 'chat.completion' }),
  'stream-error.provider': stream({ provider: undefined }),
  'stream-error.model': infer({
    ...{ body: `\ufeff${makeErrorEvent({ model: 1 })}`, type: 'text/event-stream' },
  }),
  'stream-error.error.code': stream({ error: { code: '502', message: 'x' } }),
  'stream-error.choices': stream({ choices: [makeChoice(0), makeChoice(1)] }),
  'stream-error.event': [
    '{"error":{"code":500,"message":"x"}}\n\n',
    'event: error\ndata: boom\n\n',
    'data: {"error":{"code":500\n\ndata: [DONE]\n\n',
    'data: [{"error":{"code":500,"message":"x"}}]\n\n',
    `data: [DONE]\n\n${makeErrorEvent()}`,
  ].map((end) => infer({ body: `data: {"id":"1"}\n\n${end}`, type: 'text/event-stream' })),
  'stream-error.media-type': infer({ body: makeErrorEvent(), type: 'application/json' }),
  'vault-delete.400.intern-id': ['not-a-uuid', `{${intern}}`, `%7b${intern}%7D`].map((id) =>
    removeAt(id, 'a_name'),
  ),
  'vault-delete.400.percent-encoding': removeAt(intern, 'a%zz'),
  'secret-name.refuses.upper-case': removeAt(intern, 'aName'),
  'secret-name.refuses.leading-digit': removeAt(intern, '1name'),
  'secret-name.refuses.leading-underscore': removeAt(intern, '_name'),
  'secret-name.refuses.trailing-underscore': removeAt(intern, 'name_'),
  'secret-name.refuses.double-underscore': removeAt(intern, 'a__b'),
  'secret-name.refuses.punctuation': removeAt(intern, 'a-b'),
  'secret-name.refuses.control-character': removeAt(intern, 'name%0A'),
  'secret-name.refuses.beyond-ascii': removeAt(intern, 'caf%C3%A9'),
  'secret-name.refuses.encoded-twice': removeAt(intern, 'a%2562'),
  'secret-name.refuses.too-long': removeAt(intern, 'a'.repeat(256)),
  'guardrail-read.404.malformed-id': [
    intern.replaceAll('-', ''),
    intern.slice(0, -1),
    `urn:uuid:${intern}`,
    `%7B${intern}%7D`,
    `${intern.slice(0, -1)}g`,
  ].map((id) => readGuardrail({ path: `/guardrails/${id}`, body: { data: {} } })),
  'secrecy.reason-phrase': {
    path: '/key',
    raw: {
      response: {
        ...{ status: 401, statusText: `no ${storedValue}`, headers: [] },
        content: { text: '{"error":{"code":401,"message":"x"}}' },
      },
    },
  },
  'secrecy.body': [
    remove(fail(404, {}, { message: `no ${storedValue}` })),
    { path: `/vault/interns/${intern}/secrets`, body: { names: [storedValue] } },
  ],
  'secrecy.header': readKey({
    body: makeKeyData(),
    headers: { 'X-Trace': Buffer.from(`v=${storedValue}`).toString('base64') },
  }),
  'secrecy.key-echo': readKey(fail(401, {}, { message: `bad ${key}` })),
};

/** The same one by one, each with the requirement that it violates. */
export const violating = Object.entries(exchanges).flatMap(([requirement, specs]) =>
  [specs].flat().map((spec) => [requirement, spec] as const),
);
