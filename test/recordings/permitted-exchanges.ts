import {
  type ExchangeSpec,
  fail,
  infer,
  intern,
  makeEnvelope,
  makeErrorEvent,
  makeKeyData,
  readGuardrail,
  readKey,
  readKeyOf,
  remove,
} from './recorded.js';

const free = { model: 'acme/tiny:free' };
const platform = { error_type: 'rate_limit_exceeded' };
const limits = { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' };
const limited = fail(429, {}, { metadata: platform });
const page = '<!doctype html><title>502 Bad Gateway</title>';
const pageOf = (status: number) => ({ status, body: page, type: 'text/html' });
const stream = (body: string) => infer({ body, type: 'text/event-stream' });
const asJson = { type: 'application/json' };
const preflight = (headers: ExchangeSpec['headers'] = {}) =>
  remove({ method: 'OPTIONS', status: 204, headers });
const secrets = `/vault/interns/${intern}/secrets`;

/** The kind of an exchange that is not a violation. */
export type Sort = 'judged' | 'elsewhere' | 'without_response' | 'without_body' | 'undecided' | 'skipped';

/** Recorded exchanges that the document, or HTTP, allows; and such as nothing can be said of. */
const exchanges: Readonly<Record<Sort, Readonly<Record<string, ExchangeSpec>>>> = {
  judged: {
    'null metadata, null service metadata, null user': readKey(
      fail(401, { service_metadata: null, user_id: null }, { metadata: null }),
    ),
    'an unlimited key': readKeyOf({ limit: null, limit_remaining: null }),
    'a guardrail asked for in capitals': readGuardrail({
      path: `/guardrails/${intern.toUpperCase()}`,
      body: { data: { id: intern } },
    }),
    'a guardrail under an id that is no UUID': readGuardrail({ path: '/guardrails/mine', ...fail(404) }),
    'another route of the guardrails': readGuardrail({ path: '/guardrails/assignments', body: { data: [] } }),
    'another route of the guardrails that reads one': readGuardrail({
      ...{ path: '/guardrails/default', body: { data: { id: intern, limit_usd: 5 } } },
    }),
    'another route of the guardrails without content': readGuardrail({
      ...{ path: '/guardrails/stats', status: 204 },
    }),
    'a media type that only the content has': readKey({
      raw: {
        response: {
          ...{ status: 401, headers: [{ name: 'Date', value: 'x' }] },
          content: { mimeType: 'application/json', text: JSON.stringify(fail(401).body) },
        },
      },
    }),
    'a success without a key, which recorders leave out': readKey({
      ...{ body: makeKeyData(), raw: { request: { method: 'GET', url: 'https://api.example.test/v1/key' } } },
    }),
    'a success without headers, which recorders leave out': readKey({
      raw: { response: { status: 200, headers: [], content: { text: JSON.stringify(makeKeyData()) } } },
    }),
    'a masked name': remove({ path: `${secrets}/[REDACTED]`, status: 204 }),
    'a query string that is ignored': remove({ path: `${secrets}/a_name?x=1`, status: 204 }),
    'a 204 that announces nothing': remove({ status: 204, headers: { 'Content-Length': '0' } }),
    'an illegal name refused': remove({ path: `${secrets}/A%20b`, ...fail(400) }),
    "the vault's 429 without headers": remove(fail(429)),
    'an upstream 429 without headers': infer(fail(429, {}, { metadata: { provider_code: 7, ...platform } })),
    'an upstream 429 of a paid model, whose code is not available': infer(limited),
    'a 429 that says of what in neither way': infer(fail(429)),
    'a 429 of the key read that does not say of what': readKey(fail(429)),
    'a platform limit of a guardrail read with its headers': readGuardrail({
      ...limited,
      headers: { ...limits, 'retry-after': '7' },
    }),
    'a platform 429 with headers in small letters': infer({ sent: free, ...limited, headers: limits }),
    'a streamed request refused in band': infer({
      body: makeErrorEvent({ error: { code: 429, message: 'x' } }),
      type: 'text/event-stream; charset=utf-8',
      headers: limits,
    }),
    'an answer with choices that a provider ended with an error': infer({
      body: makeEnvelope(502, { choices: [{ index: 0, finish_reason: 'error' }] }),
    }),
    'a stream with comments and no end': stream(': hello\n\ndata: {"id":"1"}\n\ndata: {"id"'),
    'a stream whose words are of an error': stream(
      `data: ${JSON.stringify({ choices: [{ delta: { content: '{"error":{"code":1}}\n{"error":1}' } }] })}\n\n`,
    ),
    'an in-band error of that name': stream(`event: error\n${makeErrorEvent()}`),
    'an in-band error whose blank line a recorder dropped': stream(makeErrorEvent().trimEnd()),
    'an in-band error after which the stream goes on': stream(`${makeErrorEvent()}data: [DONE]\n\n`),
    'a CORS preflight': preflight({ 'Access-Control-Allow-Origin': '*' }),
    'a CORS preflight that announces a body': preflight({ 'Transfer-Encoding': 'chunked' }),
    'HEAD of the key': readKey({ method: 'HEAD', status: 405 }),
    'a missing method, in text': readKey({ method: 'POST', status: 405, body: 'Method Not Allowed' }),
    'a name with an encoded slash': remove({ path: `${secrets}/a%2Fb`, ...pageOf(403) }),
    'a slash at the end': readKey({ path: '/key/', status: 404, body: 'no such page' }),
    'another host name than that of the address': remove({
      ...pageOf(421),
      requestHeaders: { Host: 'eu.example.test' },
    }),
  },
  undecided: {
    'a request that asks for HTML': readKey(fail(406)),
    'header fields that are too long': readKey(fail(431)),
    'a condition that is not met': readKey({ ...fail(412), requestHeaders: { 'If-Match': '"1"' } }),
    'a host name that does not serve the route': readKey(fail(421)),
    "a gateway's 502": remove(pageOf(502)),
    "a gateway's 504, as JSON": remove({ ...asJson, status: 504, body: 'upstream request timeout' }),
    "a gateway's 429 in a JSON of its own": readKey({ status: 429, body: { message: 'Too Many Requests' } }),
    "a gateway's 504 in another": infer({ status: 504, body: { fault: { faultstring: 'timed out' } } }),
    'a status that gateways make': readKey({ status: 522, body: { error: 'timed out' } }),
    'an empty 503': infer({ status: 503 }),
    'an empty 413': remove({ status: 413 }),
    "a portal's page in place of the key": readKey(pageOf(200)),
    'a redirect to https': readKey({ status: 301, headers: { Location: 'https://api.example.test/v1/key' } }),
    'nothing modified': readKey({ status: 304 }),
    'an error that breaks off': remove({ ...asJson, status: 404, body: '{"error":{"code":404,"mess' }),
  },
  elsewhere: {
    'another host': readKey({ path: 'https://cdn.example.test/v1/key', status: 599, body: page }),
    'another port': readKey({ path: 'https://api.example.test:8443/v1/key', status: 599, body: page }),
    'another version': readKey({ path: 'https://api.example.test/v2/key', status: 599, body: page }),
    'a route that is not shown': readKey({ path: '/credits', status: 404, body: { message: 'no route' } }),
    'a socket': readKey({ path: 'wss://api.example.test/v1/key', status: 101 }),
    'an upgrade': readKey({ status: 101 }),
    "a browser's cache": readKey({ body: { old: true }, raw: { _fromCache: 'disk' } }),
    "Safari's cache": readKey({ body: { old: true }, raw: { _fetchType: 'Memory Cache' } }),
    "a response of a test's own": readKey({ body: { mocked: true }, raw: { _wasFulfilled: true } }),
    'a service worker': readKey({
      raw: { response: { status: 200, _fetchedViaServiceWorker: true, content: { text: '{}' } } },
    }),
  },
  without_response: {
    'a request that was cancelled': readKey({ status: 0, raw: { _error: 'net::ERR_ABORTED' } }),
    'a request of which the tool says -1': readKey({ status: -1 }),
    'no response at all': readKey({ raw: { response: null } }),
  },
  without_body: {
    'a body that was left out': readKey({
      raw: { response: { status: 200, headers: [], content: { size: 312, mimeType: 'application/json' } } },
    }),
    'a body of unknown length that was left out': remove({
      raw: { response: { status: 404, content: { size: -1, mimeType: 'x' } } },
    }),
  },
  skipped: {
    'a status in text': readKey({ raw: { response: { status: '404' } } }),
    'header fields that are an object': readKey({
      raw: { request: { method: 'GET', url: 'x', headers: { a: 'b' } } },
    }),
  },
};

export const permitted = (Object.keys(exchanges) as Sort[]).flatMap((sort) =>
  Object.entries(exchanges[sort]).map(([what, spec]) => [what, sort, spec] as const),
);
