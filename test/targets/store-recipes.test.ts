import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Client } from '../../targets/client.js';
import type { CommandRecipe, HttpRecipe, Profile } from '../../targets/profile/profile.js';
import {
  makeCommandStorer,
  makeHttpStorer,
  NameList,
  type SecretToStore,
  StoreError,
  selectShardNames,
} from '../../targets/store-recipes.js';
import { NotShown } from '../../targets/world.js';
import { folder } from '../folders.js';
import { startServer } from '../servers.js';
import { bareProfile } from './profile/profile-files.js';

let client: Client;
beforeEach(() => {
  client = new Client({ concurrency: 2, timeoutMs: 300 });
});
afterEach(() => client.close());

const value = 's3cret $(value) "quoted"';
const quoted: SecretToStore = { scope: 'sibling', intern: 'id-2', name: 'plumb_a', value };

function storeByCommand(run: CommandRecipe['run'], timeout = 5, what = quoted): Promise<void> {
  return makeCommandStorer({ run, timeout, scopes: ['own'] }, client, 'store').store(what);
}

const shell = (line: string, ...args: string[]): CommandRecipe['run'] => ['sh', '-c', line, ...args];

it('a command gets the secret in its environment and its arguments unchanged', async () => {
  const file = join(folder(), 'given');
  const names = ['PATH', ...['SCOPE', 'INTERN', 'NAME', 'VALUE'].map((name) => `PLUMBLINE_${name}`)];
  const line = `printf "%s|" ${names.map((name) => `"$${name}"`).join(' ')} "$@" > "$0"`;
  await storeByCommand(shell(line, file, '$HOME; {name}', 'a b'));
  const given = `${process.env.PATH}|sibling|id-2|plumb_a|s3cret $(value) "quoted"|$HOME; {name}|a b|`;
  expect(readFileSync(file, 'utf8')).toBe(given);
});

it.each([
  ['reads standard input and prints much', 'cat; head -c 3000000 /dev/zero'],
  ['leaves a process behind', 'sleep 20 &'],
])('storing ends when a command ends that %s', async (_what, line) => {
  const start = performance.now();
  await storeByCommand(shell(line), 2);
  expect(performance.now() - start).toBeLessThan(15_000);
});

it('a command counts as one request and reserves one for the delete', async () => {
  client.close();
  client = new Client({ concurrency: 1, timeoutMs: 300, maxRequests: 2 });
  await storeByCommand(shell('true'));
  expect(client.sent).toBe(1);
  await expect(storeByCommand(shell('true'))).rejects.toThrow('limit of 2 requests reached');
});

it.each<[what: string, run: CommandRecipe['run'], message: string]>([
  [
    'with its exit code, never with what it printed',
    shell('echo "$PLUMBLINE_VALUE"; echo "$PLUMBLINE_VALUE" >&2; exit 7'),
    'the command of the profile that stores a secret (store.command) ended with 7; run it by hand to see its output',
  ],
  ['if there is no program', ['./no-such-program'], 'could not be run (ENOENT); see store.command.run'],
  ['if it takes too long', ['sleep', '60'], 'did not end within 0.5 s'],
  ['if a signal kills it', shell('kill -9 $$'), 'ended with SIGKILL; run it by hand'],
])('storing by a command fails %s', async (_what, run, message) => {
  const error: unknown = await storeByCommand(run, 0.5).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreError);
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain(value);
});

type Sent = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string };

let arrived: Sent[];
let status: number;
let origin: string;
beforeEach(async () => {
  arrived = [];
  status = 201;
  origin = await startServer(async (request, response) => {
    const { method, url, headers } = request;
    arrived.push({ method, url, headers, body: await text(request) });
    if (status > 0) response.writeHead(status).end('said with the value in it: s3cret-value');
  });
});

const secret: SecretToStore = { scope: 'own', intern: 'id-1', name: 'plumb_a', value: 's3cret-value' };

async function storeWith(recipe: Partial<HttpRecipe>, what: SecretToStore = secret, headers = {}) {
  const whole: HttpRecipe = {
    ...{ method: 'PUT', headers: {}, accept: [200, 201, 204], key: 'member', scopes: ['own'] },
    ...(recipe.url === undefined ? { path: '/store/{intern}/{name}' } : {}),
    ...recipe,
  };
  const entries = { entry: 'store', keyEntry: 'keys.member' };
  const means = { client, baseUrl: `${origin}/v1`, key: 'sk-key', ...entries, headers };
  await makeHttpStorer(whole, means).store(what);
  return arrived.at(-1);
}

it('a request fills in the address, the headers and the body, and carries the key', async () => {
  const sent = await storeWith({
    method: 'POST',
    path: '/store/{intern}/{name}?in={scope}',
    headers: { 'X-Name': '{name} in {scope}' },
    body: { '{name}': { name: '{name}', values: ['{value}', 1, null, true] }, of: '{other} {intern}' },
  });
  const headers = { authorization: 'Bearer sk-key', 'x-name': 'plumb_a in own' };
  expect(sent).toMatchObject({
    ...{ method: 'POST', url: '/v1/store/id-1/plumb_a?in=own' },
    headers: { ...headers, 'content-type': 'application/json' },
  });
  expect(JSON.parse(sent?.body ?? '')).toEqual({
    '{name}': { name: 'plumb_a', values: ['s3cret-value', 1, null, true] },
    of: '{other} id-1',
  });
});

it('a request encodes each placeholder for its place: address, JSON or plain text', async () => {
  const odd = { ...secret, value: 'a"b\\c\n{name}&é', name: 'a/b ?#%' };
  const inJson = await storeWith({ body: { value: '{value}' } }, odd);
  expect(inJson?.url).toBe('/v1/store/id-1/a%2Fb%20%3F%23%25');
  expect(JSON.parse(inJson?.body ?? '')).toEqual({ value: 'a"b\\c\n{name}&é' });
  const inText = await storeWith({ body: 'value={value}', headers: { 'Content-Type': 'text/plain' } }, odd);
  expect([inText?.body, inText?.headers['content-type']]).toEqual(['value=a"b\\c\n{name}&é', 'text/plain']);
  const inWorkspace = { ...secret, scope: 'workspace', intern: undefined } as const;
  const ofWorkspace = await storeWith({ path: '/{scope}/{intern}x/{name}' }, inWorkspace);
  expect(ofWorkspace).toMatchObject({ url: '/v1/workspace/x/plumb_a', body: '' });
});

it('a request carries the common headers, and an Authorization of the recipe replaces the key', async () => {
  const own = { Authorization: 'Basic abc', 'X-Both': 'of the recipe' };
  const sent = await storeWith({ headers: own }, secret, { 'X-Staging': 'on', 'X-Both': 'of all' });
  const headers = { authorization: 'Basic abc', 'x-staging': 'on', 'x-both': 'of the recipe' };
  expect(sent?.headers).toMatchObject(headers);
});

it('storing fails with a status that the recipe does not accept', async () => {
  status = 202;
  const failed: unknown = await storeWith({}).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreError);
  expect(String(failed)).toContain(
    '(store.http, PUT) was answered 202 instead of 200 or 201 or 204; see its path, its body and keys.member',
  );
  // Both the request and the answer may contain the value.
  expect(String(failed)).not.toMatch(/s3cret|sk-key/);
  status = 409;
  await expect(storeWith({ accept: [409] })).resolves.toBeDefined();
});

it('storing is repeated after a rate limit, as it asks', async () => {
  let isLimited = true;
  const base = await startServer((_request, response) => {
    response.writeHead(isLimited ? 429 : 201, { 'Retry-After': '1' }).end();
    isLimited = false;
  });
  const start = performance.now();
  await storeWith({ url: `${base}/{name}` });
  expect(performance.now() - start).toBeGreaterThan(900);
});

it('storing fails without an answer', async () => {
  status = 0;
  await expect(storeWith({})).rejects.toThrow('got no answer: no answer within 0.3 s');
});

it('each stored name is used once, in order, and one that both interns have for the first alone', () => {
  const names = { own: ['one', 'two'], sibling: ['two', 'three'] };
  const list = new NameList(names);
  expect([list.next('own'), list.next('own'), list.next('sibling')]).toEqual(['one', 'two', 'three']);
  expect(() => list.next('sibling')).toThrow(NotShown);
  expect(names.own).toEqual(['one', 'two']);
});

it('the names of an intern are used up if it has none of its own', () => {
  const list = new NameList({ own: ['one'], sibling: ['one'] });
  list.next('own');
  for (const intern of ['own', 'sibling', 'constructor'])
    expect(() => list.next(intern)).toThrow(`for the intern "${intern}" (store.names) are used up`);
  expect(['own', 'sibling', 'length'].filter((intern) => list.has(intern))).toEqual(['own']);
  expect(new NameList({ own: [] }).has('own')).toBe(false);
});

const profile: Profile = {
  ...bareProfile,
  store: { names: { own: ['a', 'b', 'c', 'd', 'e'], sibling: ['b', 'x', 'y', 'z'] } },
};

it('each stored name belongs to one shard, and the sibling has none that both interns have', () => {
  expect([1, 2].map((index) => selectShardNames(profile, { index, of: 2 }).store)).toEqual([
    { names: { own: ['a', 'c', 'e'], sibling: ['x', 'z'] } },
    { names: { own: ['b', 'd'], sibling: ['y'] } },
  ]);
});

it('an unsplit run has the profile as it is, and so has each shard without stored names', () => {
  expect(selectShardNames(profile, { index: 1, of: 1 })).toBe(profile);
  const { store: _, ...bare } = profile;
  expect(selectShardNames(bare, { index: 1, of: 2 })).toBe(bare);
});
