import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readProfile } from '../../../targets/profile/read-profile.js';
import { bareProfile, folderOf, listFaults, parseProfile, wholeProfile } from './profile-files.js';

const { target } = bareProfile;
const own = '3f2b9a44-5c61-4d7e-8b0a-1e9d6c7f5a21';

test('a missing member has its default', async () => {
  const policy = { decides: ['must', 'derived'], excused: [] };
  expect(await parseProfile(stringify({ target }))).toEqual({ ...bareProfile, policy });
});

test('a recipe, a command and the inference route have defaults', async () => {
  const read = (members: object) => parseProfile(stringify({ target, interns: { own }, ...members }));
  const http = { method: 'PUT', path: '/secrets/{name}' };
  const defaults = { headers: {}, accept: [200, 201, 204], key: 'member' };
  expect((await read({ store: { http } })).store).toEqual({ http: { ...http, ...defaults } });
  const command = { run: ['node', 'store.mjs', '7'] };
  expect((await read({ store: { command } })).store).toEqual({ command: { ...command, timeout: 10 } });
  const inference = { path: '/chat', paid_model: 'acme/large' };
  expect((await read({ inference })).inference).toEqual({ method: 'POST', ...inference });
});

test('a profile is read with everything that it says, and finds its files beside itself', async () => {
  const { http } = wholeProfile.store;
  const written = {
    ...wholeProfile,
    keys: { ...wholeProfile.keys, management: `\${KEY_MANAGEMENT}` },
    store: { http: { ...http, headers: { ...http.headers, Authorization: `Bearer \${ADMIN}` } } },
    tls: { ca: '../ca.pem', cert: 'client.pem', key: 'client.key', insecure: false },
  };
  const files = { 'ca.pem': 'x', 'conf/client.pem': 'x', 'conf/client.key': 'x' };
  const folder = folderOf({ ...files, 'conf/plumbline.yaml': stringify(written) });
  const env = { KEY_MANAGEMENT: wholeProfile.keys.management, ADMIN: 'admin-token', OTHER: 'x' };
  const [ca = '', cert = '', key = ''] = Object.keys(files).map((file) => join(folder, file));
  expect(await readProfile(join(folder, 'conf/plumbline.yaml'), env)).toEqual({
    ...wholeProfile,
    tls: { ca, cert, key, insecure: false },
    literal_keys: ['member', 'provisioning'],
    literal_headers: [],
    secrets: { KEY_MANAGEMENT: wholeProfile.keys.management, ADMIN: 'admin-token' },
  });
});

const onLoopback = ['http://localhost:1', 'https://127.0.0.1:8443', 'https://[::1]:8443'];
test.each(onLoopback)('tls.insecure is accepted on loopback: %s', async (origin) => {
  const { tls } = await parseProfile(`target: { base_url: "${origin}/v1" }\ntls: { insecure: true }`);
  expect(tls).toEqual({ insecure: true });
});

test('a profile may have anchors and aliases, JSON, a byte order mark and CRLF', async () => {
  const anchored = await parseProfile(`target: { base_url: "http://127.0.0.1:1/v1" }
keys: { member: &one sk-0123456789, management: *one }
inference: { path: /p, free_model: a:free, body: { again: [*one] } }`);
  expect(anchored.keys).toEqual({ member: 'sk-0123456789', management: 'sk-0123456789' });
  expect(anchored.inference?.body).toEqual({ again: ['sk-0123456789'] });
  const json = JSON.stringify({ target }, null, 2).replaceAll('\n', '\r\n');
  expect((await parseProfile(`\uFEFF${json}`)).target).toEqual(target);
});

function withBody(body: string): string {
  return `target: { base_url: "http://127.0.0.1:1/v1" }
inference:
  path: /p
  free_model: a:free
  body: ${body}`;
}

async function bodyOf(body: string, env: NodeJS.ProcessEnv): Promise<unknown> {
  return (await parseProfile(withBody(body), env)).inference?.body;
}

const env = { A: 'one', B_2: 'two', _c: 'three' };
test.each<readonly [yaml: string, value: unknown]>([
  [`\${A}`, 'one'],
  [`"\${A}-\${B_2}\${_c}"`, 'one-twothree'],
  [`[x, { y: "\${A}" }]`, ['x', { y: 'one' }]],
  ['$A and $ { and $', '$A and $ { and $'],
  [`$\${A}`, `\${A}`],
  [`$$\${A}`, `$\${A}`],
  [`"$\${A} \${A}"`, `\${A} one`],
  [`"{name} \${A}"`, '{name} one'],
  [`{ "\${A}": x }`, { ['$'.concat('{A}')]: 'x' }],
])('the references in %s are resolved', async (yaml, value) => {
  expect(await bodyOf(yaml, env)).toEqual(value);
});

test.each([
  ['text that is YAML', '[a, {b: c}]\n- d: &x !!int 7'],
  ['a reference', `\${B}`],
  ['a number', '7'],
  ['the words of a replacement', '$& $1 $$'],
  ['a comment', 'a # b'],
])('the value of a reference may contain %s and stays unchanged', async (_what, text) => {
  expect(await bodyOf(`"<\${A}>"`, { A: text, B: 'never' })).toBe(`<${text}>`);
});

test('the value of a reference is validated, and is text even if a number is expected', async () => {
  const text = `target: { base_url: "\${URL}" }\nlimits: { rate: "\${N}" }`;
  expect(await listFaults(text, { URL: 'nowhere', N: '7' })).toEqual([
    'plumbline.yaml:1: target.base_url: must be a URL that begins with http:// or https://',
    'plumbline.yaml:2: limits.rate: must be a number above 0',
  ]);
});

const explainMissing = (at = '', name = '', what = 'member') =>
  `plumbline.yaml:${at}: environment variable ${name} is not set; set it or remove this ${what}`;

test('a missing variable is reported without the rest of its value, and an empty one counts as missing', async () => {
  const text = `target:
  base_url: \${URL}/v1
keys:
  member: \${PLUMBLINE_KEY_MEMBER}
interns:
  own: "\${A}\${B}"
store:
  http:
    method: PUT
    url: \${STORE}
policy:
  excused: [{ requirement: "\${WHAT}", reason: x }]`;
  const lines = [
    ['2: target.base_url', 'URL'],
    ['4: keys.member', 'PLUMBLINE_KEY_MEMBER', 'key'],
    ['6: interns.own', 'A'],
    ['6: interns.own', 'B'],
    ['10: store.http.url', 'STORE'],
    ['12: policy.excused[0].requirement', 'WHAT'],
  ].map((parts) => explainMissing(...parts));
  expect(await listFaults(text)).toEqual(lines);
  const env = { URL: '', PLUMBLINE_KEY_MEMBER: '', A: '', B: '', STORE: '', WHAT: '' };
  expect(await listFaults(text, env)).toEqual(lines);
});

test.each(['constructor', '__proto__', 'toString'])('a prototype gives no variable: %s', async (name) => {
  const missing = explainMissing('5: inference.body', name);
  for (const env of [{}, process.env])
    expect(await listFaults(withBody(`"\${${name}}"`), env)).toEqual([missing]);
});

test('a malformed reference is refused', async () => {
  const refusal = `plumbline.yaml:5: inference.body: has \${ without a name and }; write \${NAME}, or $\${ for the literal characters`;
  for (const text of [`\${`, `\${}`, `\${A`, `\${A:-b}`, `\${ A }`, `\${1A}`, `x\${{A}}`])
    expect(await listFaults(withBody(JSON.stringify(text)), { A: 'a' })).toEqual([refusal]);
});
