import { FREE_MODEL, PAID_MODEL } from '../../../../reference/inference.js';
import { guardrailRead, inference, keyOf, keyRead, listing, own, removal } from '../requests.js';
import type { RawExchange, Request, Script, Worlds } from '../script.js';
import { look, script, stock } from '../steps.js';

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
