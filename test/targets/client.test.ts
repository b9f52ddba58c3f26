import { once } from 'node:events';
import { createServer, type OutgoingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Client, type Received } from '../../targets/client.js';
import { bodyLimit } from '../../targets/exchange.js';
import type { Outgoing } from '../../targets/transports.js';
import { listenInTest, startRawServer, startServer } from '../servers.js';

let client: Client;
beforeEach(() => {
  client = new Client({ concurrency: 3, timeoutMs: 1_000 });
});
afterEach(() => client.close());

function useClient(concurrency: number, timeoutMs = 1_000): void {
  client.close();
  client = new Client({ concurrency, timeoutMs });
}

const readFrom = (base: string): Outgoing => ({ method: 'GET', base, path: '/x', headers: {} });

async function receive(answer: RequestListener, more: Partial<Outgoing> = {}): Promise<Received> {
  return client.send({ ...readFrom(await startServer(answer)), ...more });
}

/** What a client receives of a server that writes these bytes and keeps the connection. */
async function receiveRaw(bytes: string): Promise<Received> {
  return client.send(readFrom(await startRawServer((socket) => socket.write(bytes))));
}

function answerWith(status: number, headers: OutgoingHttpHeaders, body?: string | Buffer): RequestListener {
  return (_request, response) => response.writeHead(status, headers).end(body);
}

function breakOff(headers: OutgoingHttpHeaders): RequestListener {
  return (_request, response) => {
    response.writeHead(200, headers).write('half');
    setTimeout(() => response.socket?.destroy(), 20);
  };
}

it('a HEAD announces its body, which would otherwise seem to begin the next request', async () => {
  let head = '';
  const base = await startRawServer((socket, request) => {
    head = request;
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  });
  await client.send({ ...readFrom(base), method: 'HEAD', body: '{}' });
  expect(head).toMatch(/^content-length: 2\r$/im);
});

it('a client is sparing with requests where at most 1,000 may be sent', () => {
  const isSparing = (maxRequests?: number) =>
    new Client({ concurrency: 1, timeoutMs: 1_000, maxRequests }).isSparing;
  expect([500, 1_000, 1_001, undefined].map(isSparing)).toEqual([true, true, false, false]);
});

/** The two ways of the client: the quick one, and the one that it takes once an answer was lost. */
const nobody = readFrom('http://127.0.0.1:1');
const ways: readonly (readonly [string, () => Promise<unknown> | undefined])[] = [
  ['quickly', () => undefined],
  ['by supertest', () => client.send(nobody)],
];

const late = { lost: 'no answer within 1 s' };
const lostBy = (errorCode: string, words = 'connection lost') => ({
  lost: `${words} (${errorCode})`,
  errorCode,
});
const unreadable = 'an answer that cannot be read as HTTP';
const misfit = 'an answer that does not match its Content-Encoding';

describe.each(ways)('lost answers to requests sent %s', (_way, prepare) => {
  beforeEach(prepare);

  it.each<readonly [string, RequestListener, lost: object]>([
    ['no answer', () => undefined, late],
    ['half an answer', (_, response) => response.writeHead(200).write('half'), late],
    ['a reset at once', (request) => request.socket.resetAndDestroy(), lostBy('ECONNRESET')],
    ['a reset in the middle of a body', breakOff({ 'Content-Length': 100 }), lostBy('ECONNRESET')],
    ['a reset in the middle of chunks', breakOff({}), lostBy('ECONNRESET')],
    [
      'a wrong coding',
      answerWith(200, { 'Content-Encoding': 'gzip' }, 'hello'),
      lostBy('Z_DATA_ERROR', misfit),
    ],
  ])('the client reports %s as lost', async (_name, answer, lost) => {
    expect(await receive(answer)).toEqual(lost);
  });

  it('the client reports a server that does not speak HTTP, and a missing one', async () => {
    const noHttp = await startRawServer((socket) => socket.end('hello\r\n'));
    const { lost, errorCode = '' } = await client.send(readFrom(noHttp));
    expect([errorCode, lost]).toEqual([expect.stringMatching(/^HPE_/), lostBy(errorCode, unreadable).lost]);
    expect(await client.send(nobody)).toEqual(lostBy('ECONNREFUSED'));
  });
});

it('the client waits for a server that it has reached before and that is restarted', async () => {
  const restarted = createServer((_request, response) => response.end('hello'));
  const listen = async (port: number) => {
    await once(restarted.listen(port, '127.0.0.1'), 'listening');
    return (restarted.address() as AddressInfo).port;
  };
  const port = await listen(0);
  const ask = () => client.send(readFrom(`http://127.0.0.1:${port}`));
  await ask();
  restarted.closeAllConnections();
  await new Promise((resolve) => restarted.close(resolve));
  const asked = Promise.all([ask(), ask()]);
  await sleep(600);
  await listen(port);
  expect((await asked).map(({ answer }) => answer?.text)).toEqual(['hello', 'hello']);
  expect(client.sent).toBe(3);
  restarted.close();
});

it('the client reports a kept connection that the server closes, and continues on fresh ones, longer each time', async () => {
  const used = new WeakSet<Socket>();
  const base = await startServer(({ socket }, response) => {
    if (used.has(socket)) socket.resetAndDestroy();
    else response.end('hello');
    used.add(socket);
  });
  const ask = () => client.send(readFrom(base));
  expect((await ask()).answer?.text).toBe('hello');
  expect(await ask()).toEqual({ ...lostBy('ECONNRESET'), overKept: true });
  const onItsOwn = { ...readFrom(base), connection: Symbol('kept all the same') };
  expect((await client.send(onItsOwn)).answer?.text).toBe('hello');
  expect(await client.send(onItsOwn)).toMatchObject({ overKept: true });
  const answers: boolean[] = [];
  for (let time = 0; time < 700; time++) answers.push((await ask()).answer?.text === 'hello');
  expect(answers.filter((isAnswered) => !isAnswered)).toHaveLength(2);
});

it('the client makes room on a server that serves one connection at a time', async () => {
  const http = createServer((_request, response) => response.end('hello'));
  const waiting: Socket[] = [];
  let isBusy = false;
  const serveNext = () => {
    const socket = waiting.shift();
    isBusy = socket !== undefined;
    if (socket === undefined) return;
    socket.once('close', serveNext);
    http.emit('connection', socket);
  };
  const base = await listenInTest(
    createTcpServer((socket) => {
      waiting.push(socket.on('error', () => undefined));
      if (!isBusy) serveNext();
    }),
  );
  useClient(3, 5_000);
  const ask = (connection: 'fresh' | 'kept' | symbol) => client.send({ ...readFrom(base), connection });
  const answers = [await ask('kept'), await ask(Symbol('one')), await ask('fresh')];
  answers.push(...(await Promise.all(Array.from({ length: 12 }, () => ask('kept')))));
  expect(answers.map(({ answer }) => answer?.text)).toEqual(answers.map(() => 'hello'));
});

/** Starts a server that answers after 5 ms on the connections that it takes, and resets all others. */
function startTaking(takes: (socket: Socket) => boolean): Promise<string> {
  const http = createServer((_request, response) => setTimeout(() => response.end('hello'), 5));
  return listenInTest(
    createTcpServer((socket) => {
      socket.on('error', () => undefined);
      if (takes(socket)) http.emit('connection', socket);
      else socket.resetAndDestroy();
    }),
  );
}

const askAll = (base: string, times: number, connection: 'fresh' | 'kept' = 'kept') =>
  Promise.all(Array.from({ length: times }, () => client.send({ ...readFrom(base), connection })));

it('the client sends fewer requests at once to a server that resets further connections', async () => {
  const open = new Set<Socket>();
  const base = await startTaking((socket) => {
    if (open.size >= 3) return false;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    return true;
  });
  useClient(16);
  for (const _round of ['first', 'second', 'third']) await askAll(base, 16);
  expect((await askAll(base, 40)).filter(({ answer }) => answer === undefined)).toEqual([]);
  expect(client.notes).toEqual([expect.stringMatching(/^Connections were reset .* with [123] at a time/)]);
});

it('the client sends as many requests at once as before to a server that resets a connection that is the only one', async () => {
  let opened = 0;
  let isBad = true;
  const base = await startTaking(() => ++opened % 20 !== 0 && !isBad);
  useClient(16);
  await askAll(base, 16, 'fresh');
  isBad = false;
  await askAll(base, 100, 'fresh');
  expect(client.notes).toEqual([]);
});

it('the client does not take timeouts, whose connections it closes itself, for resets', async () => {
  const base = await startServer(() => undefined);
  useClient(8, 50);
  await askAll(base, 16);
  expect(client.notes).toEqual([]);
});

it('the client keeps connections although a new one was answered late', async () => {
  const used: Socket[] = [];
  const base = await startServer((request, response) => {
    used.push(request.socket);
    setTimeout(() => response.end('hello'), request.headers.connection === 'close' ? 3_200 : 0);
  });
  useClient(3, 5_000);
  await client.send({ ...readFrom(base), connection: 'fresh' });
  for (const _time of ['first', 'second']) await client.send(readFrom(base));
  expect(used[1]).toBe(used[2]);
});

it.each(ways)('requests sent %s share a connection that no others use', async (_way, prepare) => {
  await prepare();
  const connections: Socket[] = [];
  const base = await startServer(({ socket }, response) => {
    connections.push(socket);
    response.end('hello');
  });
  const ask = (connection?: symbol) => client.send({ ...readFrom(base), ...(connection && { connection }) });
  const [one, other] = [Symbol('one'), Symbol('other')];
  for (const connection of [undefined, one, undefined, one, other, one, other]) await ask(connection);
  const numbers = connections.map((connection) => connections.indexOf(connection));
  expect(numbers).toEqual([0, 1, 0, 1, 4, 1, 4]);
});

const fields = (...lines: readonly string[]) => lines.map((line) => line.split(': '));

const longText = 'long'.repeat(20_000);

describe.each(ways)('received answers to requests sent %s', (_way, prepare) => {
  beforeEach(prepare);

  it('an answer to HEAD has a status and header fields and no text', async () => {
    const headers = { 'Content-Length': 20, 'X-Mark': 'seen' };
    const { answer } = await receive(answerWith(401, headers), { method: 'HEAD' });
    expect(answer).toMatchObject({ status: 401, text: '' });
    expect(answer?.headers).toContainEqual(['X-Mark', 'seen']);
  });

  it.each<readonly [what: string, written: string, answer: object]>([
    [
      'its status, its text and its header fields in order and spelling',
      'HTTP/1.1 418 No\r\nX-b: 1\r\nX-A: 2\r\nx-B: 3\r\nContent-Length: 2\r\n\r\n{x',
      {
        ...{ status: 418, reasonPhrase: 'No', text: '{x', truncated: false },
        headers: fields('X-b: 1', 'X-A: 2', 'x-B: 3', 'Content-Length: 2'),
      },
    ],
    [
      'the fields after a chunked body, and those of interim answers before it',
      'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\nX-After: 1\r\n\r\n',
      {
        ...{ status: 200, headers: fields('Transfer-Encoding: chunked'), text: 'hi', truncated: false },
        trailers: fields('Link: </x>', 'X-After: 1'),
      },
    ],
    [
      'the length that a 204 announces',
      'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n',
      { status: 204, headers: fields('Content-Length: 5'), text: '', truncated: false },
    ],
    [
      'a head that is longer than Node reads by default',
      `HTTP/1.1 204 No Content\r\nX-Long: ${longText}\r\n\r\n`,
      { status: 204, headers: fields(`X-Long: ${longText}`), text: '', truncated: false },
    ],
  ])('an answer keeps %s', async (_what, written, expected) => {
    expect((await receiveRaw(written)).answer).toEqual(expected);
  });

  it('the client keeps what came of a compressed body that ends too early', async () => {
    const early = gzipSync('hello '.repeat(10_000)).subarray(0, -20);
    const { answer } = await receive(answerWith(200, { 'Content-Encoding': 'gzip' }, early));
    expect(answer?.text).toMatch(/^hello /);
  });

  it.each([302, 307])('the client does not follow a redirect (%i)', async (status) => {
    const { answer } = await receive(answerWith(status, { Location: '/elsewhere' }, 'moved'));
    expect(answer).toMatchObject({ status, text: 'moved' });
  });

  it.each([
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('the client decodes a body that is compressed with %s', async (coding, compress) => {
    const { answer } = await receive(answerWith(404, { 'Content-Encoding': coding }, compress('{"a":"é"}')));
    expect(answer).toMatchObject({ status: 404, text: '{"a":"é"}', truncated: false });
  });

  const long = 'h'.repeat(3 * bodyLimit);
  const writeEndlessly: RequestListener = (_request, response) => {
    const timer = setInterval(() => response.write('h'.repeat(100_000)), 1);
    response.on('close', () => clearInterval(timer));
  };

  it.each<readonly [string, RequestListener, isCut: boolean]>([
    ['long', answerWith(200, {}, long), true],
    ['long once decoded', answerWith(200, { 'Content-Encoding': 'gzip' }, gzipSync(long)), true],
    ['endless', writeEndlessly, true],
    ['exactly as long', answerWith(200, {}, 'h'.repeat(bodyLimit)), false],
  ])('the client keeps as much as its limit of a body that is %s', async (_name, answer, isCut) => {
    const received = await receive(answer);
    expect(received.answer).toMatchObject({ status: 200, truncated: isCut });
    expect(received.answer?.text).toHaveLength(bodyLimit);
  });

  it('the client leaves a stream once it has what it needs', async () => {
    // One that stayed would end with no answer.
    const { answer } = await receive((_request, response) => response.write('one two'), {
      until: () => (piece) => piece.includes('two'),
    });
    expect(answer?.text).toBe('one two');
  });

  it('stray bytes after a 204 affect neither that answer nor the next', async () => {
    const { answer: first, lost } = await receiveRaw('HTTP/1.1 204 No Content\r\n\r\nhello');
    expect(String(first?.status ?? lost)).toMatch(/^204$|\(HPE_/);
    const base = await startRawServer((socket) => {
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
      setTimeout(() => socket.write('hello'), 20);
    });
    expect((await client.send(readFrom(base))).answer).toMatchObject({ status: 204, text: '' });
    await sleep(50);
    expect((await receive(answerWith(200, {}, 'next'))).answer?.text).toBe('next');
  });
});

it.each([
  [
    'loses every request',
    (response: ServerResponse) => response.destroy(),
    /connection lost \(ECONNRESET\)\. The first without an answer was GET \/x \(X-Request-Id [-0-9a-f]+-2\)\./,
  ],
  ['answers with errors', (response: ServerResponse) => response.writeHead(503).end(), /503\./],
])('the client notes when a server %s from some time on, not now and then', async (_, fail, last) => {
  let isUp = true;
  const base = await startServer((_, response) => (isUp ? response.end() : fail(response)));
  const send = async (times: number) => {
    for (let time = 0; time < times; time++) {
      const operation = time % 2 === 0 ? 'key-info' : 'vault-delete';
      await client.send({ ...readFrom(`${base}/${time}`), operation });
    }
  };
  await send(1);
  isUp = false;
  await send(19);
  expect(client.notes).toEqual([]);
  await send(1);
  const words = `^${base} has served nothing since \\d\\d:\\d\\d:\\d\\d UTC: 20 requests in a row failed, the last with `;
  expect(client.notes).toEqual([expect.stringMatching(RegExp(`${words}${last.source}$`))]);
  isUp = true;
  await send(1);
  expect(client.notes).toEqual([]);
});

it('the client says that nothing answers any more once that has lasted for a minute', async () => {
  const onOutage = vi.fn();
  client = new Client({ concurrency: 3, timeoutMs: 1_000, onOutage });
  let isUp = true;
  const base = await startServer((_, response) => (isUp ? response.end() : response.destroy()));
  const sendTwenty = async () => {
    for (let time = 0; time < 20; time++) await client.send(readFrom(base));
  };
  const later = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1_000);
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  await client.send(readFrom(base));
  later(90);
  isUp = false;
  await sendTwenty();
  expect(onOutage).not.toHaveBeenCalled();
  later(61);
  isUp = true;
  await sendTwenty();
  expect(onOutage).not.toHaveBeenCalled();
  isUp = false;
  await sendTwenty();
  later(61);
  await client.send(readFrom(base));
  expect(onOutage.mock.lastCall).toEqual([
    expect.stringMatching(/^nothing has answered since \d\d:\d\d:\d\d UTC$/),
  ]);
});

it.each([
  ['a service that answers with errors is noted although its control answers', 'guardrail-read', 1],
  ['one operation that answers with errors is not taken for the service', 'key-info', 0],
] as const)('%s', async (_, other, notes) => {
  let isUp = true;
  const base = await startServer(({ url }, response) =>
    response.writeHead(isUp || url?.startsWith('/control') ? 200 : 503).end(),
  );
  const sendBoth = async () => {
    for (const operation of ['key-info', other] as const)
      await client.send({ ...readFrom(`${base}/v1`), operation });
    await client.send(readFrom(`${base}/control`));
  };
  await sendBoth();
  isUp = false;
  for (let time = 0; time < 10; time++) await sendBoth();
  expect(client.notes).toHaveLength(notes);
});

it('once an answer was lost the client sends by supertest, so that no way of its own is blamed on the server', async () => {
  const isQuick: boolean[] = [];
  const base = await startRawServer((socket, request) => {
    isQuick.push(request.includes('\r\nhost: '));
    // Nobody asked to be told to continue: undici breaks the connection, and node:http reads on.
    socket.write('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
  });
  expect(await client.send(readFrom(base))).toMatchObject({ lost: 'connection lost (ECONNRESET)' });
  expect((await client.send(readFrom(base))).answer?.text).toBe('hi');
  expect(isQuick).toEqual([true, false]);
});

it.each(ways)(
  'requests sent %s have the usual fields, and what is given unchanged',
  async (_way, prepare) => {
    await prepare();
    const seen: unknown[] = [];
    const base = await startServer(async (request, response) => {
      const { method, url, headers } = request;
      seen.push([method, url, headers, await text(request)]);
      response.end();
    });
    const path = '/a%zz/../b//%2F?x=%00';
    const headers = { Host: 'EU.vault.test:443', 'X-A': '1', 'Content-Type': 'application/json' };
    await client.send(readFrom(base));
    await client.send({ method: 'POST', base, path: '/x', headers: {} });
    await client.send({ method: 'DELETE', base, path, headers, body: '{"ä":' });
    await client.send({ method: 'DELETE', base, path: '/x', headers: { 'Content-Length': '0' } });
    const usual = {
      host: new URL(base).host,
      'user-agent': expect.any(String),
      'x-request-id': expect.any(String),
      'accept-encoding': 'gzip, deflate',
      connection: 'keep-alive',
    };
    const sent = { 'x-a': '1', 'content-type': 'application/json', 'content-length': '6' };
    expect(seen).toEqual([
      ['GET', '/x', usual, ''],
      ['POST', '/x', { ...usual, 'content-length': '0' }, ''],
      ['DELETE', path, { ...usual, ...sent, host: headers.Host }, '{"ä":'],
      ['DELETE', '/x', { ...usual, 'content-length': '0' }, ''],
    ]);
  },
);

it('the client keeps to the concurrency, other kinds of requests included', async () => {
  let inFlight = 0;
  let most = 0;
  const passed: number[] = [];
  const base = await startServer(async (_request, response) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await sleep(5);
    inFlight -= 1;
    response.end();
  });
  const requests = Array.from({ length: 30 }, async (_, at) => {
    if (at % 3 === 0) await client.occupy(async () => passed.push((await fetch(base)).status));
    else await client.send(readFrom(base));
  });
  await Promise.all(requests);
  expect(most).toBe(3);
  expect(passed).toHaveLength(10);
  expect(client.sent).toBe(30);
});

it('a request leaves only once it has a slot, whether the client sends it or a raw socket does', async () => {
  useClient(1);
  const base = await startServer((_request, response) => setTimeout(() => response.end(), 100));
  const left: number[] = [];
  const outgoing = { ...readFrom(base), onLeave: () => left.push(performance.now()) };
  const raw = () => client.occupy(() => fetch(base), undefined, { load: outgoing });
  await Promise.all([client.send(outgoing), raw(), client.send(outgoing)]);
  const [first = 0, second = 0, third = 0] = left;
  expect(left).toHaveLength(3);
  expect(Math.min(second - first, third - second)).toBeGreaterThan(90);
});

it('an aborted signal stops new requests and ends pending ones', async () => {
  const stop = new AbortController();
  const outgoing = readFrom(await startServer(() => setTimeout(() => stop.abort('enough'), 20)));
  expect(await client.send(outgoing, stop.signal)).toEqual({ lost: 'the run was stopped' });
  await expect(client.send(outgoing, stop.signal)).rejects.toBe('enough');
  expect(client.sent).toBe(1);
});

it('every request names the tool, the run and its own number, unless the caller names it, in whatever case', async () => {
  client = new Client({ concurrency: 1, timeoutMs: 1_000, runId: 'the-run' });
  const seen: unknown[] = [];
  const base = await startServer(({ headers }, response) => {
    seen.push([headers['x-request-id'], headers['user-agent']]);
    response.end();
  });
  const named = { 'user-agent': 'our staging', 'X-REQUEST-ID': 'mine' };
  for (const headers of [{}, client.identify({}), {}, named])
    await client.send({ ...readFrom(base), headers });
  const tool = expect.stringMatching(/^plumbline-conformance\/\d/);
  const numbers = [2, 1, 3].map((number) => [`the-run-${number}`, tool]);
  expect(seen).toEqual([...numbers, ['mine', 'our staging']]);
});
