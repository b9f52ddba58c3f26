import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { readProfile } from '../../../targets/profile/read-profile.js';
import { folderOf, listFaults, parseProfile, wholeProfile } from './profile-files.js';

const own = '3f2b9a44-5c61-4d7e-8b0a-1e9d6c7f5a21';
const sibling = '8A1D3C55-0E72-4F93-9B46-C2D5E8F7A613';
const foreign = 'd4e5f6a7-1b2c-4d3e-8f90-a1b2c3d4e5f6';

test('a missing member has its default', async () => {
  expect(await parseProfile('target: { base_url: https://h.test/v1 }')).toEqual({
    target: { base_url: 'https://h.test/v1' },
    keys: {},
    interns: {},
    disposable_interns: [],
    headers: {},
    tls: { insecure: false },
    limits: {},
    policy: { decides: ['must', 'derived'], excused: [] },
    literal_keys: [],
    literal_headers: [],
    secrets: {},
  });
});

test('a recipe has defaults', async () => {
  const { store } = await parseProfile(`
target: { base_url: "http://127.0.0.1:1/v1" }
interns: { own: ${own}, foreign: ${foreign} }
store: { http: { method: PUT, path: "/secrets/{name}" } }`);
  const defaults = { headers: {}, accept: [200, 201, 204], key: 'member' };
  expect(store).toEqual({ http: { method: 'PUT', path: '/secrets/{name}', ...defaults } });
});

test('a command and the inference route have defaults', async () => {
  const { store, inference } = await parseProfile(`
target: { base_url: "http://127.0.0.1:1/v1" }
interns: { own: ${own}, sibling: ${sibling} }
store: { command: { run: [node, store.mjs, "7"] } }
inference: { path: /chat, paid_model: acme/large }`);
  expect(store).toEqual({ command: { run: ['node', 'store.mjs', '7'], timeout: 10 } });
  expect(inference).toEqual({ method: 'POST', path: '/chat', paid_model: 'acme/large' });
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

test.each(['http://localhost:1/v1', 'https://127.0.0.1:8443/v1', 'https://[::1]:8443/v1'])(
  'tls.insecure is accepted on loopback: %s',
  async (url) => {
    const { tls } = await parseProfile(`target: { base_url: "${url}" }\ntls: { insecure: true }`);
    expect(tls).toEqual({ insecure: true });
  },
);

test('a profile may have anchors and aliases, JSON, a byte order mark and CRLF', async () => {
  const anchored = await parseProfile(`target: { base_url: "http://127.0.0.1:1/v1" }
keys: { member: &one sk-0123456789, management: *one }
inference: { path: /p, free_model: a:free, body: { again: [*one] } }`);
  expect(anchored.keys).toEqual({ member: 'sk-0123456789', management: 'sk-0123456789' });
  expect(anchored.inference?.body).toEqual({ again: ['sk-0123456789'] });
  const json = JSON.stringify({ target: { base_url: 'http://127.0.0.1:1/v1' } }, null, 2);
  const { target } = await parseProfile(`\uFEFF${json.replaceAll('\n', '\r\n')}`);
  expect(target).toEqual({ base_url: 'http://127.0.0.1:1/v1' });
});

/** A profile whose body of an inference request is this YAML. */
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

describe(`\${NAME}`, () => {
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
});

describe('missing environment variables', () => {
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
    '2: target.base_url: environment variable URL is not set; set it or remove this member',
    '4: keys.member: environment variable PLUMBLINE_KEY_MEMBER is not set; set it or remove this key',
    '6: interns.own: environment variable A is not set; set it or remove this member',
    '6: interns.own: environment variable B is not set; set it or remove this member',
    '10: store.http.url: environment variable STORE is not set; set it or remove this member',
    '12: policy.excused[0].requirement: environment variable WHAT is not set; set it or remove this member',
  ].map((line) => `plumbline.yaml:${line}`);

  test('a missing variable is reported without the rest of its value', async () => {
    expect(await listFaults(text)).toEqual(lines);
  });

  test('an empty variable counts as missing', async () => {
    const env = { URL: '', PLUMBLINE_KEY_MEMBER: '', A: '', B: '', STORE: '', WHAT: '' };
    expect(await listFaults(text, env)).toEqual(lines);
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'a variable is not taken from Object.prototype: %s',
    async (name) => {
      for (const env of [{}, process.env]) {
        expect(await listFaults(withBody(`"\${${name}}"`), env)).toEqual([
          `plumbline.yaml:5: inference.body: environment variable ${name} is not set; set it or remove this member`,
        ]);
      }
    },
  );
});

test.each([`\${`, `\${}`, `\${A`, `\${A:-b}`, `\${ A }`, `\${1A}`, `x\${{A}}`])(
  'a malformed reference is refused: %s',
  async (text) => {
    expect(await listFaults(withBody(JSON.stringify(text)), { A: 'a' })).toEqual([
      `plumbline.yaml:5: inference.body: has \${ without a name and }; write \${NAME}, or $\${ for the literal characters`,
    ]);
  },
);
