import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { Client } from '../../targets/client.js';
import { ControlClient, ControlError } from '../../targets/control-client.js';
import { startServer } from '../servers.js';

const client = new Client({ concurrency: 2, timeoutMs: 1_000 });
afterEach(() => client.close());

interface Seen {
  readonly line: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

type Answering = (response: ServerResponse, request: IncomingMessage) => void;

/** Starts a server with the given answers and a control client for it; records the requests. */
async function speaking(answer: Answering, path = '/control', token?: string) {
  const seen: Seen[] = [];
  const origin = await startServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += String(chunk);
    });
    request.on('end', () => {
      const { authorization } = request.headers;
      seen.push({ line: `${request.method} ${request.url}`, authorization, body });
      answer(response, request);
    });
  });
  const url = `${origin}${path}`;
  return { seen, control: new ControlClient(client, token === undefined ? { url } : { url, token }) };
}

const json =
  (status: number, value: unknown): Answering =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
const page: Answering = (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>');

const capabilities = {
  protocol: '1',
  base_url: 'http://127.0.0.1:1/v1',
  roles: ['member'],
  faults: [],
  features: [],
};
const world = { id: 'w 1/ü', keys: { member: 'sk-member-0123' }, interns: {} };

it('a world may be described without interns', async () => {
  const { interns: _, ...others } = world;
  const { control } = await speaking(json(201, others));
  expect(await control.createWorld('x')).toEqual({ ...others, interns: {} });
});

it.each([
  ['/control', '/control/worlds'],
  ['/control/', '/control/worlds'],
  ['/a/b//', '/a/b/worlds'],
  ['/', '/worlds'],
  ['/control/?tenant=a%20b', '/control/worlds?tenant=a%20b'],
])('a call is appended to the address %s', async (path, expected) => {
  const { control, seen } = await speaking(json(201, world), path);
  await control.createWorld('a label');
  expect(seen).toEqual([{ line: `POST ${expected}`, authorization: undefined, body: '{"label":"a label"}' }]);
});

it.each(['/control', '/control/', '/a/b//', '/', '/control/?tenant=a%20b'])(
  'the capabilities are read at the address %s as it was given',
  async (path) => {
    const { control, seen } = await speaking(json(200, capabilities), path);
    await control.capabilities();
    expect(seen.map(({ line }) => line)).toEqual([`GET ${path}`]);
  },
);

it('a call carries the token', async () => {
  const { control, seen } = await speaking(json(200, capabilities), '/control', 't0ken');
  expect(await control.capabilities()).toEqual(capabilities);
  expect(seen).toEqual([{ line: 'GET /control', authorization: 'Bearer t0ken', body: '' }]);
});

type Call = (control: ControlClient) => Promise<unknown>;
const askCapabilities: Call = (control) => control.capabilities();
const makeWorld: Call = (control) => control.createWorld('x');
const setFaults: Call = (control) => control.set('w', 'faults', { faults: [] });

it.each<readonly [string, Answering, Call, string | RegExp]>([
  ['shows a page', page, askCapabilities, 'was answered with a body that is not valid JSON'],
  [
    'answers other JSON',
    json(200, { hello: 1 }),
    askCapabilities,
    /is not a control protocol: \w+ is missing$/,
  ],
  ['answers an array', json(200, []), askCapabilities, 'is not a control protocol: the body '],
  [
    'speaks another version',
    json(200, { ...capabilities, protocol: '2' }),
    askCapabilities,
    'is not a control protocol: protocol ',
  ],
  [
    'is asked at another URL',
    json(404, { error: 'no' }),
    askCapabilities,
    /was answered 404 instead of 200: no control protocol is there; its URL often ends with \/control$/,
  ],
  [
    'asks for a token',
    json(401, { error: 'no' }),
    askCapabilities,
    /was answered 401 instead of 200: its token is missing or wrong \(PLUMBLINE_CONTROL_TOKEN\)$/,
  ],
  [
    'describes a world without keys',
    json(201, { id: 'w', interns: {} }),
    makeWorld,
    'described a world wrongly: keys is missing',
  ],
  [
    'does not know the world',
    json(404, { error: 'no such world' }),
    setFaults,
    /the control call PUT http:\S+\/control\/worlds\/w\/faults was answered 404 instead of 204$/,
  ],
  [
    'describes a world with keys that would break a header',
    json(201, { ...world, keys: { member: 'sk-0123456789\r\nX: y' } }),
    makeWorld,
    'described a world wrongly: keys.member must match',
  ],
  [
    'describes a world with a role of a thousand letters, and no text for its key',
    json(201, { ...world, keys: { ['r'.repeat(1_000)]: 1 } }),
    makeWorld,
    /wrongly: keys\.\(a long name\) must be string$/,
  ],
  [
    'offers 190,000 roles that are numbers',
    json(200, { ...capabilities, roles: Array(190_000).fill(1) }),
    askCapabilities,
    'is not a control protocol: roles.0 must be string',
  ],
  [
    'offers what is nested 180,000 deep',
    (response) => response.end(`{"roles":${'['.repeat(180_000)}${']'.repeat(180_000)}}`),
    askCapabilities,
    'was answered with JSON nested deeper than the 500 levels that are read',
  ],
  ['answers 200 instead of 204', json(200, {}), setFaults, 'was answered 200 instead of 204'],
  [
    'lists secrets wrongly',
    json(200, { secrets: {} }),
    (control) => control.secrets('w'),
    'listed the secrets wrongly',
  ],
  ['hangs up', (response) => response.socket?.destroy(), setFaults, 'got no answer: connection lost'],
])('the error says what happened and where if a control %s', async (_name, answer, call, message) => {
  const { control } = await speaking(answer);
  const error = await call(control).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ControlError);
  expect(error).toMatchObject({
    message: typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message),
  });
  expect(String(error)).not.toContain('\n');
});

it('no error of a control contains its token', async () => {
  const { control } = await speaking(json(500, {}), '/control?secret=s3cret', 't0ken-t0ken');
  const error = await control.capabilities().catch((thrown: unknown) => thrown);
  expect(String(error)).not.toMatch(/t0ken|s3cret/);
});
