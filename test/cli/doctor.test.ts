import type { RequestListener } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { doctor } from '../../cli/doctor.js';
import { watchSecrets } from '../behaviours.js';
import { answerJson, findFreePort, htmlForEverything, startServer } from '../servers.js';
import { withPrinted } from './printed.js';
import {
  byRequest,
  type Deployment,
  profileFile,
  startDeployment,
  variableOf,
} from './profile-deployment.js';

afterEach(() => vi.unstubAllEnvs());

interface Examination {
  readonly code: number;
  readonly text: string;
  marked(mark: 'ok' | 'wrong' | 'missing' | 'note'): readonly string[];
}

/** Runs the doctor on a profile, written as JSON, which is valid YAML. */
async function examine(
  profile: object,
  { timeout = 2_000, allowDestructive = false }: { timeout?: number; allowDestructive?: boolean } = {},
): Promise<Examination> {
  const file = profileFile(profile);
  const { result: code, printed: text } = await withPrinted(() =>
    doctor({ profile: file, timeout, allowDestructive, insecure: false, color: false }),
  );
  const lines = text.split('\n');
  return { code, text, marked: (mark) => lines.filter((line) => line.startsWith(mark.padEnd(7))) };
}

async function expectWrong(profile: object, ...words: readonly (string | RegExp)[]): Promise<void> {
  const { code, marked } = await examine(profile);
  for (const said of words)
    expect([code, marked('wrong').join('\n')]).toEqual([1, expect.stringMatching(said)]);
}

const roles = ['member', 'management', 'provisioning', 'unscoped', 'outsider', 'disabled', 'write_disabled'];

function fromEnvironment(name: string): string {
  return `\${${name}}`;
}

/** Starts a deployment; returns it with a profile that has some of its keys, by the environment. */
async function deploy(given: readonly string[] = roles, options: Parameters<typeof startDeployment>[0] = {}) {
  const deployed = await startDeployment(options);
  const { described, env } = deployed;
  for (const role of given) vi.stubEnv(variableOf(role), env[variableOf(role)] ?? '');
  const keys = Object.fromEntries(given.map((role) => [role, fromEnvironment(variableOf(role))]));
  const { inference: _, ...others } = described;
  return { ...deployed, profile: { ...others, keys, store: byRequest } };
}

function replaceKey({ env }: Deployment, role: string, by: string): void {
  vi.stubEnv(variableOf(role), env[variableOf(by)] ?? by);
}

const two = ['member', 'management'];
const somebody = '00000000-0000-4000-8000-000000000004';

const unauthorized = answerJson(401, { error: { code: 401, message: 'No key' } });

const keyless = (baseUrl: string) => ({ target: { base_url: baseUrl } });

test('doctor ends with 0, identifies each key, prints no key and no stored value, and leaves nothing behind', async () => {
  const secrets = watchSecrets();
  const { profile, stored } = await deploy(roles, { behaviour: secrets.behaviour });
  const { code, text, marked } = await examine(profile);
  expect(code, text).toBe(0);
  expect(marked('wrong')).toEqual([]);
  for (const role of roles) expect(marked('ok').join('\n')).toContain(`keys.${role}:`);
  for (const what of ['target.base_url', 'clock', 'store', 'interns.sibling', 'target.regional_host'])
    expect(marked('ok').join('\n')).toContain(`${what}:`);
  expect(text).toContain('No problems found.');
  expect(text).toContain('Next: plumbline plan --profile ');
  expect(await stored()).toEqual([]);
  expect(secrets.keys.size).toBeGreaterThan(0);
  expect(secrets.values.size).toBeGreaterThan(0);
  for (const secret of [...secrets.keys, ...secrets.values]) expect(text).not.toContain(secret);
});

test('doctor lists what each missing capability would unlock, the most requirements first', async () => {
  const { store: _, ...profile } = (await deploy(two)).profile;
  const { code, marked } = await examine(profile);
  expect(code).toBe(0);
  const [first = ''] = marked('missing');
  expect(first).toMatch(
    /^missing {2}store, a way to store secrets: would unlock \d+ requirements \(\d+ must\): vault-delete\.[\w.-]+, /,
  );
  const missing = marked('missing').join('\n');
  for (const field of ['keys.outsider', 'keys.exhausted', 'control protocol', 'inference'])
    expect(missing).toContain(field);
  expect(missing).toContain('disposable_interns');
  expect(missing).not.toContain('--allow-destructive');
  expect(missing).not.toContain('keys.member');
});

test('doctor without a way to store reports no error for a member key that it cannot verify', async () => {
  const { store: _, ...profile } = (await deploy([...two, 'outsider'])).profile;
  const { code, marked } = await examine(profile);
  expect(code).toBe(0);
  expect(marked('note').join('\n')).toContain('as that of an outsider would');
});

test('doctor does not use up names that are already stored', async () => {
  const { profile } = await deploy(['member']);
  const { code, marked } = await examine({ ...profile, store: { names: { own: ['plumb_one'] } } });
  expect(code).toBe(0);
  expect(marked('note').join('\n')).toContain('store.names: not tried');
});

const signIn = 'https://login.example.test/start';
const redirect: RequestListener = (_, response) =>
  void response.writeHead(302, { Location: `${signIn}?back=1` }).end();
const hostilePage: RequestListener = (_, response) =>
  void response.writeHead(200, { 'Content-Type': 'text/html' }).end('<title>\u001b[2J\u202eok</title>');

test.each<readonly [what: string, listener: RequestListener, code: number, said: string]>([
  ['a server that never answers', (request) => request.resume(), 3, 'no answer within 0.2 s'],
  ['a redirect to a sign-in page', redirect, 1, `${signIn}: an edge that asks for a sign-in`],
  ['a page of an edge', htmlForEverything, 1, 'a page titled "Welcome" instead of JSON: an edge'],
  ['a page whose title could act on a terminal', hostilePage, 1, '\\u001b[2J\\u202eok'],
])('doctor recognizes %s', async (what, listener, code, said) => {
  const timeout = what.includes('never') ? 200 : 2_000;
  const examined = await examine(keyless(await startServer(listener)), { timeout });
  expect([examined.code, examined.text]).toEqual([code, expect.stringContaining(said)]);
  expect(examined.text).not.toContain('\u001b');
});

test('doctor suggests the address of a redirect to https and sends no key to it', async () => {
  const seen: (string | undefined)[] = [];
  const origin = await startServer((request, response) => {
    seen.push(request.headers.authorization);
    response.writeHead(301, { Location: `https://api.example.test${request.url}?token=1` });
    response.end();
  });
  vi.stubEnv('PLUMBLINE_KEY_MEMBER', 'sk-never-to-be-sent');
  const { code, text } = await examine({
    ...keyless(`${origin}/v1`),
    keys: { member: fromEnvironment('PLUMBLINE_KEY_MEMBER') },
  });
  expect(code).toBe(1);
  expect(text).toContain('a redirect to https://api.example.test;');
  expect(text).toContain('Write target.base_url: https://api.example.test/v1.');
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

test('doctor names a proxy of the environment that answers for the service, without its password', async () => {
  const origin = await startServer((_request, response) => void response.writeHead(407).end('Who are you?'));
  for (const name of ['HTTP_PROXY', 'http_proxy'])
    vi.stubEnv(name, origin.replace('//', '//somebody:pass-word-of-nobody@'));
  for (const name of ['NO_PROXY', 'no_proxy']) vi.stubEnv(name, '');
  const { code, text } = await examine(keyless('http://api.example.test/v1'));
  expect(code).toBe(1);
  expect(text).toContain(`requests go through the proxy ${new URL(origin).host}, as the environment says`);
  expect(text).toContain('a proxy requires a password');
  expect(text).not.toContain('pass-word-of-nobody');
});

test('doctor says that nothing listens at a regional address', async () => {
  const { baseUrl } = await startDeployment();
  const target = { base_url: baseUrl, regional_base_url: `http://127.0.0.1:${await findFreePort()}/v1` };
  await expectWrong({ target }, `target.regional_base_url: ${target.regional_base_url} cannot be reached`);
});

test('doctor notices a clock that is an hour ahead', async () => {
  const origin = await startServer((request, response) => {
    response.setHeader('Date', new Date(Date.now() + 3_600_000).toUTCString());
    unauthorized(request, response);
  });
  await expectWrong(
    keyless(`${origin}/v1`),
    /clock: the target's clock is (?:60 min|59 min 59 s) ahead of .*Set the clock that is wrong/,
  );
});

test('doctor recognizes swapped management and provisioning keys', async () => {
  const { profile, ...deployed } = await deploy();
  replaceKey(deployed, 'management', 'provisioning');
  replaceKey(deployed, 'provisioning', 'management');
  const { code, text } = await examine(profile);
  expect(code).toBe(1);
  expect(text).toContain('the key given as provisioning may read guardrails');
  expect(text).toContain('Swap keys.management and keys.provisioning.');
  expect(text).toContain('keys.provisioning: can read the guardrail, so it is a management key');
});

test.each([
  ['outsider', 'unscoped', /behaves as a key without workspace scope \(unscoped\)/],
  ['outsider', 'member', 'the same key'],
  ['unscoped', 'write_disabled', /behaves as a key with vault writes disabled \(write_disabled\)/],
  ['write_disabled', 'provisioning', 'behaves as a provisioning key'],
  ['disabled', 'unscoped', 'the key is not disabled'],
  ['expired_session', 'unscoped', 'the session has not expired'],
  ['unscoped', 'disabled', 'does not know the key, or it is disabled'],
  ['exhausted', 'unscoped', 'limit_remaining is'],
  ['free_large', 'free_small', 'never bought credits'],
  ['unscoped', 'exhausted', 'it is an exhausted key'],
] as const)('doctor recognizes an entry for %s that holds a key of the role %s', async (role, of, words) => {
  const { profile, ...deployed } = await deploy(['member', role]);
  replaceKey(deployed, role, of);
  await expectWrong(profile, `keys.${role}: `, words);
});

test('doctor reports a guardrail of another workspace', async () => {
  const { profile, described } = await deploy(two);
  const guardrail = { ...described.guardrail, workspace_id: somebody };
  const words = 'guardrail.workspace_id: the guardrail belongs to another workspace';
  await expectWrong({ ...profile, guardrail }, words);
});

test('doctor warns about keys, and headers that look like credentials, in the profile', async () => {
  const { profile, env } = await deploy([]);
  const member = env.PLUMBLINE_KEY_MEMBER;
  const headers = { 'X-Gate': 'gate-4711-opens', 'X-Api-Version': 'v1', 'User-Agent': 'agent/1.2.3-beta' };
  const { code, marked, text } = await examine({ ...profile, keys: { member }, headers });
  expect(code).toBe(0);
  const notes = marked('note').filter((line) => line.includes('is written in the file itself'));
  expect(notes.join()).toContain('headers.X-Gate: looks like a credential');
  expect(notes.join()).toContain('keys.member: is written in the file itself');
  expect(notes.join()).not.toMatch(/X-Api-Version|User-Agent/);
  for (const value of ['gate-4711-opens', member]) expect(text).not.toContain(value);
});

test('doctor reports a regional hostname that is not one', async () => {
  const { profile, baseUrl } = await deploy(two);
  const target = { base_url: baseUrl, regional_host: 'eu.other.test' };
  await expectWrong({ ...profile, target }, 'target.regional_host: a vault delete there gets 204');
});

test('doctor reports a path of inference that is not served', async () => {
  const { profile, described } = await deploy(two);
  const { marked } = await examine({ ...profile, inference: described.inference });
  expect(marked('ok').join()).toContain('inference.path: POST /chat/completions for a free model gets 200');
  const inference = { ...described.inference, path: '/completions' };
  await expectWrong({ ...profile, inference }, 'inference.path: POST /completions for a free model gets 404');
});

test('doctor deletes nothing without permission and says so', async () => {
  const { profile: here, baseUrl, seen } = await deploy(roles, { host: '0.0.0.0' });
  // 0.0.0.0 is no loopback address, and yet reaches this machine.
  const target = { base_url: baseUrl.replace('127.0.0.1', '0.0.0.0'), regional_host: 'eu.vault.test' };
  const profile = { ...here, target };
  const { code, marked } = await examine(profile);
  expect(code).toBe(0);
  expect(new Set(seen.map(({ method }) => method))).toEqual(new Set(['GET']));
  expect(marked('note').join('\n')).toContain('Give --allow-destructive');
  expect(marked('missing').join('\n')).toContain('the flag --allow-destructive: would unlock');
  const allowed = await examine(profile, { allowDestructive: true });
  expect(allowed.code, allowed.text).toBe(0);
  expect(seen.map(({ method }) => method)).toContain('DELETE');
  expect(allowed.text).not.toContain('--allow-destructive');
});
