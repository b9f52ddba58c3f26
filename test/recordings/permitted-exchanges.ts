import {
  type ExchangeSpec,
  infer,
  intern,
  makeEnvelope,
  makeErrorEvent,
  makeKeyData,
  readGuardrail,
  readKey,
  remove,
} from './recorded.js';

const free = { model: 'acme/tiny:free' };
const platform = { error_type: 'rate_limit_exceeded' };
const limits = { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' };
const page = '<!doctype html><title>502 Bad Gateway</title>';
const html = { type: 'text/html' };

/** The kind of an exchange that is not a violation. */
export type Sort = 'judged' | 'elsewhere' | 'without_response' | 'without_body' | 'undecided' | 'skipped';

/** Recorded exchanges that the document, or HTTP, allows; and such as nothing can be said of. */
export const permitted: readonly (readonly [what: string, sort: Sort, spec: ExchangeSpec])[] = [
  // Freedoms of the server
  [
    'an error as problem+json',
    'judged',
    remove({ status: 404, body: makeEnvelope(404), type: 'application/problem+json' }),
  ],
  [
    'a media type with parameters, in capitals',
    'judged',
    remove({ status: 404, body: makeEnvelope(404), type: 'Application/JSON; Charset=UTF-8' }),
  ],
  [
    'a header in odd case',
    'judged',
    remove({
      status: 404,
      body: makeEnvelope(404),
      type: null,
      headers: { 'cOnTeNt-TyPe': 'application/json' },
    }),
  ],
  [
    'unknown members of an error',
    'judged',
    remove({ status: 400, body: makeEnvelope(400, { hint: 1 }, { type: 'x' }) }),
  ],
  [
    'null metadata, null service metadata, null user',
    'judged',
    readKey({
      status: 401,
      body: makeEnvelope(401, { service_metadata: null, user_id: null }, { metadata: null }),
    }),
  ],
  ['402 for a key read', 'judged', readKey({ status: 402, body: makeEnvelope(402) })],
  ['403 for a guardrail read', 'judged', readGuardrail({ status: 403, body: makeEnvelope(403) })],
  [
    'members of a guardrail that only begin like the field of a vendor',
    'judged',
    readGuardrail({
      body: {
        data: { enforce_zdr_updatedAt: '2026-01-01', enforce_zdr_By_Model: true, enforce_zdr_: false },
      },
    }),
  ],
  ['unknown members of key information', 'judged', readKey({ body: makeKeyData({ beta: true }) })],
  [
    'key information with a rate_limit of any members',
    'judged',
    readKey({ body: makeKeyData({ rate_limit: { tiers: [], note: null } }) }),
  ],
  ['an unlimited key', 'judged', readKey({ body: makeKeyData({ limit: null, limit_remaining: null }) })],
  [
    'a week of more than its month',
    'judged',
    readKey({ body: makeKeyData({ usage_weekly: 5, usage_monthly: 2 }) }),
  ],
  [
    'limit less usage that is not what remains',
    'judged',
    readKey({ body: makeKeyData({ limit: 10, usage: 100, limit_remaining: 9 }) }),
  ],
  ['a guardrail of no fields but one', 'judged', readGuardrail({ body: { data: { name: 'x' } } })],
  [
    'a guardrail with +00:00 and nine digits',
    'judged',
    readGuardrail({
      body: {
        data: { created_at: '2026-01-01T10:00:00.123456789+00:00', updated_at: '2026-01-01T10:00:00Z' },
      },
    }),
  ],
  [
    'a guardrail asked for in capitals',
    'judged',
    readGuardrail({ path: `/guardrails/${intern.toUpperCase()}`, body: { data: { id: intern } } }),
  ],
  [
    'a guardrail under an id that is no UUID',
    'judged',
    readGuardrail({ path: '/guardrails/mine', status: 404, body: makeEnvelope(404) }),
  ],
  [
    'a reset interval and a filter action of other words',
    'judged',
    readGuardrail({
      body: {
        data: {
          reset_interval: 'fortnightly',
          content_filters: 7,
          content_filter_builtins: [{ slug: 'a', label: 'b', action: 'block' }],
        },
      },
    }),
  ],
  [
    'a query string that is ignored',
    'judged',
    remove({ path: `/vault/interns/${intern}/secrets/a_name?x=1`, status: 204 }),
  ],
  ['a 204 that announces nothing', 'judged', remove({ status: 204, headers: { 'Content-Length': '0' } })],
  [
    'an illegal name refused',
    'judged',
    remove({ path: `/vault/interns/${intern}/secrets/A%20b`, status: 400, body: makeEnvelope(400) }),
  ],
  // Limits
  ["the vault's 429 without headers", 'judged', remove({ status: 429, body: makeEnvelope(429) })],
  [
    "the vault's 429 with the platform's error_type",
    'judged',
    remove({ status: 429, body: makeEnvelope(429, {}, { metadata: platform }) }),
  ],
  [
    'an upstream 429 without X-RateLimit',
    'judged',
    infer({ status: 429, body: makeEnvelope(429, {}, { metadata: { provider_code: 7, ...platform } }) }),
  ],
  [
    'an upstream 429 of a paid model, whose code is not available',
    'judged',
    infer({ status: 429, body: makeEnvelope(429, {}, { metadata: platform }) }),
  ],
  ['a 429 that says of what in neither way', 'judged', infer({ status: 429, body: makeEnvelope(429) })],
  [
    'a 429 of the key read that does not say of what',
    'judged',
    readKey({ status: 429, body: makeEnvelope(429) }),
  ],
  [
    'a platform limit of a guardrail read with its headers',
    'judged',
    readGuardrail({
      status: 429,
      body: makeEnvelope(429, {}, { metadata: platform }),
      headers: { ...limits, 'retry-after': '7' },
    }),
  ],
  [
    'a platform 429 with headers in small letters',
    'judged',
    infer({ sent: free, status: 429, body: makeEnvelope(429, {}, { metadata: platform }), headers: limits }),
  ],
  [
    'Retry-After as a date',
    'judged',
    infer({
      status: 429,
      body: makeEnvelope(429),
      headers: { 'Retry-After': 'Wed, 21 Oct 2026 07:28:00 GMT' },
    }),
  ],
  ['X-RateLimit on a key read', 'judged', readKey({ body: makeKeyData(), headers: limits })],
  // Streams
  [
    'a streamed request refused in band',
    'judged',
    infer({
      body: makeErrorEvent({ error: { code: 429, message: 'x' } }),
      type: 'text/event-stream; charset=utf-8',
      headers: limits,
    }),
  ],
  [
    'a stream with comments and no end',
    'judged',
    infer({ body: ': hello\n\ndata: {"id":"1"}\n\ndata: {"id"', type: 'text/event-stream' }),
  ],
  [
    'an in-band error after which the stream goes on',
    'judged',
    infer({ body: `${makeErrorEvent()}data: [DONE]\n\n`, type: 'text/event-stream' }),
  ],
  // What may reach no route
  [
    'a CORS preflight',
    'judged',
    remove({ method: 'OPTIONS', status: 204, headers: { 'Access-Control-Allow-Origin': '*' } }),
  ],
  ['HEAD of the key', 'judged', readKey({ method: 'HEAD', status: 405 })],
  [
    'a method that is not there, refused in text',
    'judged',
    readKey({ method: 'POST', status: 405, body: 'Method Not Allowed' }),
  ],
  [
    'a name with an encoded slash',
    'judged',
    remove({ path: `/vault/interns/${intern}/secrets/a%2Fb`, status: 403, body: page, ...html }),
  ],
  ['a slash at the end', 'judged', readKey({ path: '/key/', status: 404, body: 'no such page' })],
  [
    'another host name than that of the address',
    'judged',
    remove({ status: 421, body: page, ...html, requestHeaders: { Host: 'eu.example.test' } }),
  ],
  // Answers that a proxy may have sent
  ["a gateway's 502", 'undecided', remove({ status: 502, body: page, ...html })],
  [
    "a gateway's 504, announced as JSON",
    'undecided',
    remove({ status: 504, body: 'upstream request timeout', type: 'application/json' }),
  ],
  ['a status that gateways make', 'undecided', readKey({ status: 522, body: { error: 'timed out' } })],
  ['an empty 503', 'undecided', infer({ status: 503 })],
  ['an empty 413', 'undecided', remove({ status: 413 })],
  ["a portal's page in place of the key", 'undecided', readKey({ status: 200, body: page, ...html })],
  [
    'a redirect to https',
    'undecided',
    readKey({ status: 301, headers: { Location: 'https://api.example.test/v1/key' } }),
  ],
  ['nothing modified', 'undecided', readKey({ status: 304 })],
  [
    'an error that breaks off',
    'undecided',
    remove({ status: 404, body: '{"error":{"code":404,"mess', type: 'application/json' }),
  ],
  // Exchanges with other hosts
  [
    'another host',
    'elsewhere',
    readKey({ path: 'https://cdn.example.test/v1/key', status: 599, body: page }),
  ],
  [
    'another port',
    'elsewhere',
    readKey({ path: 'https://api.example.test:8443/v1/key', status: 599, body: page }),
  ],
  [
    'another version',
    'elsewhere',
    readKey({ path: 'https://api.example.test/v2/key', status: 599, body: page }),
  ],
  [
    'a route that the document does not show',
    'elsewhere',
    readKey({ path: '/credits', status: 404, body: { message: 'no route' } }),
  ],
  ['a socket', 'elsewhere', readKey({ path: 'wss://api.example.test/v1/key', status: 101 })],
  ['an upgrade', 'elsewhere', readKey({ status: 101 })],
  ["a browser's cache", 'elsewhere', readKey({ body: { old: true }, raw: { _fromCache: 'disk' } })],
  // Parts that were not recorded
  [
    'a request that was cancelled',
    'without_response',
    readKey({ status: 0, raw: { _error: 'net::ERR_ABORTED' } }),
  ],
  ['a request of which the tool says -1', 'without_response', readKey({ status: -1 })],
  ['no response at all', 'without_response', readKey({ raw: { response: null } })],
  [
    'a body that was left out',
    'without_body',
    readKey({
      raw: { response: { status: 200, headers: [], content: { size: 312, mimeType: 'application/json' } } },
    }),
  ],
  [
    'a body of unknown length that was left out',
    'without_body',
    remove({ raw: { response: { status: 404, content: { size: -1, mimeType: 'x' } } } }),
  ],
  // Entries that are not exchanges
  ['a status in text', 'skipped', readKey({ raw: { response: { status: '404' } } })],
  [
    'header fields that are an object',
    'skipped',
    readKey({ raw: { request: { method: 'GET', url: 'x', headers: { a: 'b' } } } }),
  ],
];
