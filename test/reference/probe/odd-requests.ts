import { FREE_MODEL, PAID_MODEL } from '../../../reference/inference.js';
import {
  eachOnToken,
  everyOperation,
  freeUsage,
  guardrailRead,
  inference,
  keyFigures,
  keyOf,
  keyRead,
  later,
  listing,
  look,
  own,
  type RawExchange,
  type Request,
  read,
  removal,
  request,
  type Script,
  script,
  sent,
  stock,
  type Worlds,
} from './script.js';

const JSON_TYPE = { 'Content-Type': 'application/json' };

const REGIONAL = { Host: 'eu.vault.test' };

const UUID_1 = '2b7c9f10-6d1e-1c53-9a41-8f0e5d3c7b26';

const UUID_4 = '2b7c9f10-6d1e-4c53-9a41-8f0e5d3c7b26';

const secrets = (worlds: Worlds): string => `/v1/vault/interns/${own(worlds)}/secrets`;

/** A little of every freedom that a server may take: what the long scripts try at length. */
export const oddityScripts: readonly Script[] = [
  script(
    'a little of everything',
    stock,
    eachOnToken([
      removal('token', { authorization: (key) => `bearer ${key}` }),
      removal('token', { authorization: (key) => `Bearer  ${key}` }),
      removal('token', { authorization: (key) => [`Bearer ${key}`, 'Bearer sk-none'] }),
      removal('token', { authorization: (key) => `bearer ${key}`, role: 'provisioning' }),
      removal('token', { intern: (worlds) => own(worlds).toUpperCase() }),
      removal('token', { query: '?x=1' }),
      removal('token', { body: '{"x":1}', headers: JSON_TYPE }),
      removal('token', { body: '{', headers: JSON_TYPE }),
      removal('token', { body: 'text', headers: { 'Content-Type': 'text/plain' } }),
      removal('token', { headers: { Origin: 'https://app.example' } }),
      removal('token', { headers: { 'X-Original-URL': '/' } }),
      removal('token', { headers: { 'Accept-Encoding': 'gzip, deflate, br' } }),
      removal('token', { headers: { Host: 'eu.vault.test.' } }),
      removal('token', { headers: { Host: 'EU.Vault.Test:443' } }),
      removal('%74oken'),
      request('DELETE', (worlds) => `${secrets(worlds)}/token/`, 'member'),
      request('DELETE', (worlds) => `${secrets(worlds)}//token`, 'member'),
      request('DELETE', (worlds) => `${secrets(worlds)}/./token`, 'member'),
      request('DELETE', (worlds) => `${secrets(worlds)}/`, 'member'),
      request('DELETE', (worlds) => `${secrets(worlds)}%2Ftoken`, 'member'),
    ]),
    sent([
      removal('a%2Fb'),
      removal('%u0061bc'),
      removal('absent', { query: '?' }),
      keyRead({ authorization: (key) => ` BEARER ${key} ` }),
      removal('%ZZ'),
      removal('token', { intern: UUID_1 }),
      removal('token', { intern: UUID_4 }),
      removal('token', { intern: 'no-uuid' }),
      guardrailRead({ id: ({ here }) => here.guardrail_id.toUpperCase() }),
      guardrailRead({ id: UUID_1 }),
      guardrailRead({ id: 'no-uuid' }),
      guardrailRead({ id: 'no-uuid', role: 'member' }),
      guardrailRead({ id: UUID_4, role: 'member' }),
      guardrailRead({ role: 'disabled' }),
      ...everyOperation({ authorization: (key) => `bearer ${key}` }),
      ...everyOperation({ headers: REGIONAL }),
      ...everyOperation({ query: '?x=1' }),
      ...everyOperation({ headers: { Origin: 'https://app.example' } }),
      ...everyOperation({ headers: { 'Accept-Encoding': 'gzip' } }),
      ...everyOperation({ headers: { 'Accept-Encoding': 'br' } }),
      keyRead({ headers: { 'Accept-Encoding': 'deflate' } }),
      ...(['outsider', 'provisioning', 'unscoped'] as const).flatMap((role) =>
        ['GET', 'PUT'].map((method) => request(method, (worlds) => `${secrets(worlds)}/token`, role)),
      ),
      keyRead({ body: '{}', headers: JSON_TYPE }),
      guardrailRead({ body: '{', headers: JSON_TYPE }),
      listing({ body: '{}', headers: JSON_TYPE }),
      ...['POST', 'HEAD', 'OPTIONS', 'DELETE'].flatMap((method) => [
        keyRead({ method }),
        guardrailRead({ method }),
        listing({ method }),
      ]),
      read('/nowhere'),
      read('/key/'),
      read('/vault/secrets'),
    ]),
    look,
  ),
  script(
    'two things wrong',
    stock,
    sent([
      removal('Token', { role: 'provisioning' }),
      removal('Token', { role: 'unscoped' }),
      removal('Token', { role: 'outsider' }),
      removal('Token', { role: 'write_disabled' }),
      removal('Token', { headers: REGIONAL }),
      removal('Token', { authorization: () => undefined }),
      removal('Token', { intern: ({ here }) => here.interns.foreign }),
      removal('token', { intern: 'no-uuid', role: 'unscoped' }),
      removal('token', { role: 'provisioning', headers: REGIONAL }),
      removal('token', { role: 'outsider', headers: REGIONAL }),
      removal('token', { role: 'write_disabled', headers: REGIONAL }),
      removal('token', { authorization: () => undefined, headers: REGIONAL }),
      removal('absent', { headers: REGIONAL }),
      removal('absent', { role: 'write_disabled' }),
      removal('absent', { role: 'unscoped' }),
      removal('token', { role: 'write_disabled', intern: UUID_4 }),
      removal('Token', { body: '{', headers: JSON_TYPE }),
      removal('absent', { body: '{', headers: JSON_TYPE }),
    ]),
    freeUsage('overdrawn', 20, 1000),
    freeUsage('exhausted', 20, 1000),
    sent([
      inference(FREE_MODEL, false, { role: 'overdrawn' }),
      inference(FREE_MODEL, false, { role: 'exhausted' }),
      inference('acme/unknown', false, { role: 'overdrawn' }),
      inference(PAID_MODEL, false, { role: 'disabled' }),
    ]),
    look,
  ),
  script(
    'the first second',
    Array.from({ length: 12 }, () => [...sent([keyRead()]), later(0.1)]).flat(),
    keyFigures('member', { usage: 12.345678, usage_daily: 0.1, limit: 100, limit_remaining: 99.99 }),
    sent([keyRead()]),
  ),
];

/** Longer than the server waits for a body. */
const STALL_MS = 150;

// An HTTP/1.1 request as bytes.
function bytes(request: Request, ending = ''): (worlds: Worlds) => string {
  return (worlds) => {
    const { method, target, headers, body = '' } = request(worlds);
    const lines = Object.entries({
      Host: 'vault.test',
      ...headers,
      ...(body === '' ? {} : { 'Content-Length': String(Buffer.byteLength(body)) }),
    }).map(([name, value]) => `${name}: ${String(value)}`);
    return [`${method} ${target} HTTP/1.1`, ...lines, '', body].join('\r\n') + ending;
  };
}

function exchanges(...requests: readonly Request[]): readonly RawExchange[] {
  return requests.map((request) => ({ bytes: bytes(request) }));
}

// A vault delete with its lines written out.
function lines(...parts: readonly ((worlds: Worlds) => string)[]): RawExchange {
  return {
    bytes: (worlds) => parts.map((part) => part(worlds)).join('\r\n'),
    quietMs: STALL_MS,
  };
}

const start = (worlds: Worlds): string => `DELETE /v1/vault/interns/${own(worlds)}/secrets/token HTTP/1.1`;

const authorized = (worlds: Worlds): string => `Authorization: Bearer ${keyOf(worlds, 'member')}`;

const fixed = (line: string) => (): string => line;

const host = fixed('Host: vault.test');

const end = fixed('\r\n');

const more = [
  removal('token'),
  removal('absent'),
  removal('Token'),
  removal('token', { role: 'provisioning' }),
  removal('token', { role: 'unscoped' }),
  removal('token', { role: 'write_disabled' }),
  listing(),
  keyRead(),
  keyRead({ authorization: () => undefined }),
  guardrailRead(),
  inference(PAID_MODEL, false),
  inference(PAID_MODEL, true),
  inference(FREE_MODEL, true),
  inference(PAID_MODEL, true, { role: 'overdrawn' }),
];

/** Bytes past HTTP: what comes on a connection, in how many pieces, and whether it stays open. */
export const wireScripts: readonly Script[] = [
  script('bytes', stock, { do: 'raw', exchanges: exchanges(...more) }, look),
  script('two requests in one', stock, {
    do: 'raw',
    exchanges: [
      { bytes: (worlds) => bytes(removal('token'))(worlds) + bytes(removal('token'))(worlds) },
      { bytes: (worlds) => bytes(removal('absent'))(worlds) + bytes(keyRead())(worlds) },
      { bytes: (worlds) => bytes(keyRead())(worlds) + bytes(guardrailRead())(worlds) },
    ],
  }),
];

/** Requests whose body stops arriving. */
export const stalledScripts: readonly Script[] = [
  script(
    'stalled requests',
    stock,
    {
      do: 'raw',
      exchanges: [
        lines(start, host, authorized, fixed('Content-Length: 10'), fixed(''), fixed('{')),
        lines(start, host, authorized, fixed('Content-Length: 10'), end),
        lines(start, host, authorized, fixed('Transfer-Encoding: chunked'), fixed(''), fixed('1\r\n{'), end),
        lines(start, host, fixed('Content-Length: 10'), fixed(''), fixed('{')),
        lines(start, host, authorized, fixed('Content-Length: 2'), fixed('Expect: 100-continue'), end),
      ],
    },
    look,
  ),
];
