import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { Client } from '../../targets/client.js';
import { ControlClient, ControlError } from '../../targets/control-client.js';
import { answerJson, startServer } from '../servers.js';

const client = new Client({ concurrency: 2, timeoutMs: 1_000 });
afterEach(() => client.close());

async function startControl(answer: RequestListener, path = '/control', token?: string) {
  const seen: object[] = [];
  const origin = await startServer(async (request, response) => {
    const { method, url, headers } = request;
    seen.push({ line: `${method} ${url}`, authorization: headers.authorization, body: await text(request) });
    answer(request, response);
  });
  return { seen, control: new ControlClient(client, { url: `${origin}${path}`, token }) };
}

const capabilities = {
  ...{ protocol: '1', base_url: 'http://127.0.0.1:1/v1' },
  ...{ roles: ['member'], faults: [], features: [] },
};
const world = { id: 'w 1/ü', keys: { member: 'sk-member-0123' }, interns: {} };

it('a world may be described without interns', async () => {
  const { interns: _, ...others } = world;
  const { control } = await startControl(answerJson(201, others));
  expect(await control.createWorld('x')).toEqual({ ...others, interns: {} });
});

it.each([
  ['/control', '/control/worlds'],
  ['/control/', '/control/worlds'],
  ['/a/b//', '/a/b/worlds'],
  ['/', '/worlds'],
  ['/control/?tenant=a%20b', '/control/worlds?tenant=a%20b'],
])('capabilities are read at %s as it was given, and calls are appended to it', async (path, expected) => {
  const { control, seen } = await startControl((request, response) => {
    const isRead = request.method === 'GET';
    answerJson(isRead ? 200 : 201, isRead ? capabilities : world)(request, response);
  }, path);
  await control.capabilities();
  await control.createWorld('a label');
  expect(seen).toEqual([
    { line: `GET ${path}`, authorization: undefined, body: '' },
    { line: `POST ${expected}`, authorization: undefined, body: '{"label":"a label"}' },
  ]);
});

it('a call carries the token', async () => {
  const { control, seen } = await startControl(answerJson(200, capabilities), '/control', 't0ken');
  expect(await control.capabilities()).toEqual(capabilities);
  expect(seen).toEqual([{ line: 'GET /control', authorization: 'Bearer t0ken', body: '' }]);
});

it.each<readonly [string, RequestListener]>([
  ['its connection is lost', (request) => request.socket.destroy()],
  ['a gateway answers 502', answerJson(502, { message: 'An invalid response was received' })],
])('a call that may arrive twice is sent again where %s, and no other', async (_what, lose) => {
  let count = 0;
  const { control, seen } = await startControl((request, response) => {
    count += 1;
    if (count % 3 === 0) answerJson(204, undefined)(request, response);
    else lose(request, response);
  });
  await control.set('w1', 'faults', { faults: [] });
  expect(seen).toHaveLength(3);
  await expect(control.createWorld('x')).rejects.toThrow('POST');
  expect(seen).toHaveLength(4);
});

/** Asserts that the answer to a call of a control is told in one line, which says what happened and where. */
async function expectError(
  call: (control: ControlClient) => Promise<unknown>,
  answer: RequestListener,
  message: RegExp,
): Promise<void> {
  const { control } = await startControl(answer);
  const error = await call(control).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ControlError);
  expect(error).toMatchObject({ message: expect.stringMatching(message) });
  expect(String(error)).not.toContain('\n');
}

type Row = readonly [what: string, answer: RequestListener, message: RegExp];

const ofRoles = (roles: unknown) => answerJson(200, { ...capabilities, roles });
const deep = `{"roles":${'['.repeat(180_000)}${']'.repeat(180_000)}}`;
const noControl = /404 instead of 200: no control protocol is there; its URL often ends with \/control$/;
const noToken = /401 instead of 200: its token is missing or wrong \(PLUMBLINE_CONTROL_TOKEN\)$/;
const noText = /is not a control protocol: roles.0 must be string/;
const tooDeep = /was answered with JSON nested deeper than the 500 levels that are read/;

it.each<Row>([
  ['a page', (_, response) => response.end('<html>'), /was answered with a body that is not valid JSON/],
  ['other JSON', answerJson(200, { hello: 1 }), /is not a control protocol: \w+ is missing$/],
  ['an array', answerJson(200, []), /is not a control protocol: the body /],
  ['version 2', answerJson(200, { ...capabilities, protocol: '2' }), /is not a control protocol: protocol /],
  ['404', answerJson(404, { error: 'no' }), noControl],
  ['401', answerJson(401, { error: 'no' }), noToken],
  ['190,000 roles that are numbers', ofRoles(Array(190_000).fill(1)), noText],
  ['JSON that is nested 180,000 deep', (_, response) => response.end(deep), tooDeep],
])('capabilities that are %s are an error', (_what, answer, message) =>
  expectError((control) => control.capabilities(), answer, message),
);

const ofKeys = (keys: unknown) => answerJson(201, { ...world, keys });
const badKey = { member: 'sk-0123456789\r\nX: y' };
const longRole = { ['r'.repeat(1_000)]: 1 };

it.each<Row>([
  ['no keys', ofKeys(undefined), /returned an invalid world: keys is missing/],
  ['keys that would break a header', ofKeys(badKey), /returned an invalid world: keys.member must match/],
  ['a role of a thousand letters', ofKeys(longRole), /invalid world: keys\.\(a long name\) must be string$/],
])('a world with %s is an error', (_what, answer, message) =>
  expectError((control) => control.createWorld('x'), answer, message),
);

const noWorld = /the control call PUT http:\S+\/control\/worlds\/w\/faults was answered 404 instead of 204$/;

it.each<Row>([
  ['404 for the world', answerJson(404, { error: 'no such world' }), noWorld],
  ['200 instead of 204', answerJson(200, {}), /was answered 200 instead of 204/],
  ['nothing', (_, { socket }) => socket?.destroy(), /got no answer: connection lost/],
])('%s in answer to a call that sets something is an error', (_what, answer, message) =>
  expectError((control) => control.set('w', 'faults', { faults: [] }), answer, message),
);

it('secrets that are no list are an error', () =>
  expectError(
    (control) => control.secrets('w'),
    answerJson(200, { secrets: {} }),
    /an invalid list of secrets/,
  ));

it('no error of a control contains its token', async () => {
  const { control } = await startControl(answerJson(500, {}), '/control?secret=s3cret', 't0ken-t0ken');
  const error = await control.capabilities().catch((thrown: unknown) => thrown);
  expect(String(error)).not.toMatch(/t0ken|s3cret/);
});
