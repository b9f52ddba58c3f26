import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Need } from '../../spec/need.js';
import { Agents } from '../../targets/agents.js';
import type { Permissions } from '../../targets/capabilities.js';
import { Client, type ClientOptions } from '../../targets/client.js';
import type { Profile, StoreRecipe } from '../../targets/profile/profile.js';
import { ProfiledTarget } from '../../targets/profiled-target.js';
import { StoreError } from '../../targets/store-recipes.js';
import { NotShown, Unavailable } from '../../targets/world.js';
import { startServer } from '../servers.js';
import { bareProfile } from './profile/profile-files.js';

const own = '03f7a7fe-f41a-429b-ba43-dd7e1a1c7ea3';
const sibling = '03f7a7fe-0000-429b-ba43-dd7e1a1c7ea3';

let origin: string;
let requests: string[];
/** The status that a request gets; 0 for no answer. */
let answers: (method: string, name: string) => number;
let client: Client;
beforeEach(async () => {
  requests = [];
  answers = () => 204;
  origin = await startServer((request, response) => {
    const [, intern, name = ''] = /interns\/([^/]*)\/secrets\/([^/?]*)/.exec(request.url ?? '') ?? [];
    requests.push(`${request.method} ${intern === own ? 'own' : 'sibling'}/${name}`);
    const status = answers(request.method ?? '', name);
    if (status > 0) response.writeHead(status).end();
  });
});
afterEach(() => client?.close());

const recipe = { method: 'PUT', headers: {}, accept: [204], key: 'member' } as const;
const store: StoreRecipe = { http: { ...recipe, path: '/vault/interns/{intern}/secrets/{name}' } };

function target(
  more: Partial<Profile> = {},
  permissions: Permissions = { destructive: false, inference: false },
  limits: Partial<ClientOptions> = {},
): ProfiledTarget {
  client = new Client({ concurrency: 4, timeoutMs: 200, agents: Agents.direct(), ...limits });
  const given = { target: { base_url: `${origin}/v1//` }, keys: { member: 'sk-member-key' } };
  const profile: Profile = { ...bareProfile, ...given, interns: { own, sibling }, ...more };
  return new ProfiledTarget(profile, client, permissions);
}

const inference = { method: 'POST', path: '/x', free_model: 'a:free' } as const;
const base_url = 'http://127.0.0.1:1';
const interns = { own, foreign: sibling };
const named = { names: { own: ['a'] } };
const withAddress = { guardrail: { id: own }, target: { base_url, regional_base_url: 'http://127.0.0.2:1' } };

it.each<readonly [what: string, Partial<Profile>, met: string, lacked: string]>([
  ['keys', {}, 'role:member', 'role:management role:outsider'],
  ['interns', {}, 'intern:own intern:sibling', 'intern:foreign'],
  ['no way to store', {}, '', 'store store:named any-name scope:own scope:workspace'],
  ['what a recipe can store', { store }, 'store store:named', 'any-name'],
  ['the scopes of a recipe', { store }, 'scope:own scope:sibling', 'scope:workspace scope:foreign'],
  [
    'the scopes of the member key',
    { store, interns },
    'scope:own',
    'scope:sibling scope:workspace scope:foreign',
  ],
  ['disposable interns', { store, disposable_interns: ['own'] }, 'any-name', ''],
  [
    'names',
    { store: named, disposable_interns: ['own'] },
    'store scope:own',
    'store:named scope:sibling any-name',
  ],
  ['names of the sibling', { store: { names: { sibling: ['a'] } } }, 'scope:sibling', 'store'],
  ['inference', { inference }, 'inference inference:free', 'inference:paid'],
  ['a regional host', { target: { base_url, regional_host: 'eu.test' } }, 'regional regional-host', ''],
  ['a guardrail and a regional address', withAddress, 'guardrail regional', 'regional-host'],
  ['nothing that takes the control', withAddress, '', 'worlds inspect feature:key_info fault:vault_timeout'],
])('a profiled target knows which needs a profile meets: %s', (_what, more, met, lacked) => {
  const profiled = target(more);
  const isLacking = (need: string) => profiled.lacks(need as Need) !== undefined;
  expect(met.split(' ').filter((need) => need !== '' && isLacking(need))).toEqual([]);
  expect(lacked.split(' ').filter((need) => need !== '' && !isLacking(need))).toEqual([]);
});

const remote = 'https://staging.example.test/v1';
const paid = { method: 'POST', path: '/x', paid_model: 'a' } as const;
const elsewhere: readonly (readonly [string, Partial<Profile>])[] = [
  ['the base URL', { target: { base_url: remote }, store }],
  ['the regional address', { target: { base_url: `${base_url}/v1`, regional_base_url: remote }, store }],
  [
    'the address that stores',
    { store: { http: { ...recipe, url: 'https://{scope}.example.test/{name}', scopes: ['own'] } } },
  ],
  ['the base URL, names given', { target: { base_url: remote }, store: named }],
];

it.each(elsewhere)('no store or delete is sent unasked if %s is not on loopback', (_what, more) => {
  expect(target(more).lacks('store')).toContain('--allow-destructive');
  expect(target(more, { destructive: true, inference: false }).lacks('store')).toBeUndefined();
});

it.each(elsewhere.slice(0, 2))('no inference is sent unasked if %s is not on loopback', (_what, more) => {
  const profile = { ...more, inference: paid };
  expect(target(profile).lacks('inference:paid')).toContain('--inference');
  expect(target(profile, { destructive: false, inference: true }).lacks('inference')).toBeUndefined();
});

it('a target on loopback allows stores, deletes and inference without permission', () => {
  const here = target({ store, inference: paid });
  expect([here.lacks('store'), here.lacks('inference')]).toEqual([undefined, undefined]);
});

it('each world has a unique prefix', async () => {
  const profiled = target({ store });
  // Nor may any name be used.
  const worlds = await Promise.all(Array.from({ length: 3_000 }, () => profiled.openWorld('x', 'any')));
  const prefixes = new Set(worlds.map(({ prefix }) => prefix));
  expect(prefixes.size).toBe(3_000);
  expect([...prefixes].filter((prefix) => !/^plumb[aeio]{16}$/.test(prefix))).toEqual([]);
  expect(new Set([...prefixes].map((prefix) => prefix.slice(0, 13))).size).toBe(1);
});

it('only one world at a time may use any name', async () => {
  const profiled = target({ store, disposable_interns: ['own'] });
  const first = await profiled.openWorld('one', 'any');
  expect(first.prefix).toBe('');
  const second = profiled.openWorld('two', 'any');
  const other = profiled.openWorld('other');
  expect((await Promise.race([second, other])).prefix).not.toBe('');
  await first.close();
  await first.close();
  expect((await second).prefix).toBe('');
  await (await second).close();
});

it('a world has the contents of its profile and throws for what is missing', async () => {
  const world = await target({ guardrail: { id: own, workspace_id: sibling } }).openWorld('x');
  expect([world.key('member'), world.intern('own')]).toEqual(['sk-member-key', own]);
  expect([world.guardrailId(), world.workspaceId]).toEqual([own, sibling]);
  expect(() => world.key('outsider')).toThrow(Unavailable);
  expect(() => world.intern('foreign')).toThrow(Unavailable);
  await expect(world.store('own')).rejects.toThrow(Unavailable);
  for (const asked of [world.lists('own', 'a'), world.setFaults('model_down'), world.setGuardrail({})])
    await expect(asked).rejects.toThrow(NotShown);
});

it('a world without a recipe stores nothing, and one with given names stores no others', async () => {
  const world = await target({ store }).openWorld('x');
  await expect(world.store('workspace')).rejects.toThrow('a way to store a secret for the scope "workspace"');
  const listed = await target({ store: { names: { own: ['given'] } } }).openWorld('x');
  await expect(listed.store('own', 'chosen')).rejects.toThrow('names of its own');
  expect(await listed.store('own')).toBe('given');
  expect(requests).toEqual([]);
});

const left = ({ leftBehind }: ProfiledTarget) => leftBehind.map(({ scope, name }) => `${scope}/${name}`);

it('closing a target deletes no given names, since they belong to others', async () => {
  const profiled = target({ store: { names: { own: ['given'] } } });
  await (await profiled.openWorld('x')).store('own');
  await profiled.close();
  expect([requests, profiled.leftBehind]).toEqual([[], []]);
});

it('closing a target retries deletes and lists those that fail', async () => {
  const profiled = target({ store });
  const world = await profiled.openWorld('x');
  await world.store('own', 'plumb_a');
  await world.store('own', 'plumb_b');
  let asked = 0;
  answers = (_method, name) => (name === 'plumb_a' ? 503 : ++asked === 1 ? 502 : 204);
  await profiled.close();
  const why = 'its delete got 503; delete it with the member key';
  expect(profiled.leftBehind).toEqual([{ kind: 'secret', scope: 'own', intern: own, name: 'plumb_a', why }]);
});

it('closing a target also deletes secrets whose store failed or had no answer', async () => {
  const profiled = target({ store });
  const world = await profiled.openWorld('x');
  answers = (method, name) => (method === 'DELETE' ? 404 : name === 'plumb_a' ? 0 : 500);
  await expect(world.store('own', 'plumb_a')).rejects.toThrow(StoreError);
  await expect(world.store('own', 'plumb_b')).rejects.toThrow(StoreError);
  await profiled.close();
  const deletes = requests.filter((line) => line.startsWith('DELETE'));
  expect(deletes.sort()).toEqual(['DELETE own/plumb_a', 'DELETE own/plumb_b']);
  expect(profiled.leftBehind).toEqual([]);
});

it('closing a target sends no delete for a store that was never sent', async () => {
  const profiled = target({ store }, undefined, { maxRequests: 2 });
  const world = await profiled.openWorld('x');
  await world.store('own', 'plumb_a');
  await expect(world.store('own', 'plumb_b')).rejects.toThrow('limit of 2 requests reached');
  // Stored before, so that it is still there.
  await expect(world.store('own', 'plumb_a')).rejects.toThrow('limit of');
  await profiled.close();
  expect(requests).toEqual(['PUT own/plumb_a', 'DELETE own/plumb_a']);
  expect(profiled.leftBehind).toEqual([]);
});

it('closing a target lists secrets that the member key cannot delete', async () => {
  const scopes = ['workspace', 'foreign', 'own'] as const;
  const everywhere: StoreRecipe = { command: { run: ['true'], timeout: 5, scopes } };
  const profiled = target({ store: everywhere, interns: { own, foreign: sibling } });
  const world = await profiled.openWorld('x');
  for (const scope of scopes) await world.store(scope, 'plumb_a');
  await profiled.close();
  expect(requests).toEqual(['DELETE own/plumb_a']);
  expect(left(profiled)).toEqual(['workspace/plumb_a', 'foreign/plumb_a']);
});

it('closing a target lists secrets that the request limit left over', async () => {
  const profiled = target({ store }, undefined, { maxRequests: 2 });
  await (await profiled.openWorld('x')).store('own', 'plumb_a');
  await client.send({ method: 'GET', base: origin, path: '/', headers: {} }, undefined, { uses: 1 });
  await profiled.close();
  expect(left(profiled)).toEqual(['own/plumb_a']);
  const why = 'no time or no request was left to delete it; delete it with the member key';
  expect(profiled.leftBehind[0]?.why).toBe(why);
});
