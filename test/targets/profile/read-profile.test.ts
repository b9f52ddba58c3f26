import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readProfile } from '../../../targets/profile/read-profile.js';
import { folderOf, profileOf, removeFolders } from './profile-files.js';

afterAll(removeFolders);

const own = '3f2b9a44-5c61-4d7e-8b0a-1e9d6c7f5a21';
const sibling = '8A1D3C55-0E72-4F93-9B46-C2D5E8F7A613';
const foreign = 'd4e5f6a7-1b2c-4d3e-8f90-a1b2c3d4e5f6';

describe('what a profile leaves out', () => {
  test('has its default', async () => {
    expect(await profileOf('target: { base_url: https://h.test/v1 }')).toEqual({
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

  test('has its default in a recipe, where it stores for the interns that are given', async () => {
    const { store } = await profileOf(`
target: { base_url: "http://127.0.0.1:1/v1" }
interns: { own: ${own}, foreign: ${foreign} }
store: { http: { method: PUT, path: "/secrets/{name}" } }`);
    expect(store).toEqual({
      http: {
        method: 'PUT',
        path: '/secrets/{name}',
        headers: {},
        accept: [200, 201, 204],
        key: 'member',
        scopes: ['own'],
      },
    });
  });

  test('has its default in a command and in the inference route', async () => {
    const { store, inference } = await profileOf(`
target: { base_url: "http://127.0.0.1:1/v1" }
interns: { own: ${own}, sibling: ${sibling} }
store: { command: { run: [node, store.mjs, "7"] } }
inference: { path: /chat, paid_model: acme/large }`);
    expect(store).toEqual({
      command: { run: ['node', 'store.mjs', '7'], timeout: 10, scopes: ['own', 'sibling'] },
    });
    expect(inference).toEqual({ method: 'POST', path: '/chat', paid_model: 'acme/large' });
  });
});

test('everything that a profile says is in it', async () => {
  const folder = folderOf({
    'conf/plumbline.yaml': `
target:
  base_url: https://h.test:8443/api/v1/
  regional_base_url: https://eu.h.test/v1
keys: { member: sk-m-0123456789, management: "\${KEY_MANAGEMENT}", provisioning: sk-m-0123456789 }
interns: { own: ${own}, sibling: ${sibling}, foreign: ${foreign} }
disposable_interns: [sibling]
guardrail: { id: ${own}, workspace_id: ${foreign} }
store:
  http:
    method: POST
    url: https://admin.h.test/{scope}/{intern}?as=admin
    headers: { Authorization: "Bearer \${ADMIN}", X-Name: "{name}" }
    body: { list: [{ name: "{name}", n: 1 }], value: "{value}", constructor: null }
    accept: [201, 409]
    key: management
    scopes: [own, workspace]
inference:
  method: PUT
  path: /chat/completions
  free_model: acme/tiny:free
  paid_model: acme/large
  body: { model: "{model}" }
headers: { X-Gate: open }
tls: { ca: ../ca.pem, cert: client.pem, key: client.key, insecure: false }
limits: { concurrency: 2, rate: 0.5, requests: 10, time: 1.5 }
policy:
  decides: [must, derived, advisory]
  excused: [{ requirement: "vault-delete.504.*", reason: slow }, { requirement: vault-delete.204.deleted, reason: x }]
`,
    'ca.pem': 'x',
    'conf/client.pem': 'x',
    'conf/client.key': 'x',
  });
  const env = { KEY_MANAGEMENT: 'sk-managing-0123', ADMIN: 'admin-token', OTHER: 'x' };
  expect(await readProfile(join(folder, 'conf/plumbline.yaml'), env)).toEqual({
    target: { base_url: 'https://h.test:8443/api/v1/', regional_base_url: 'https://eu.h.test/v1' },
    keys: { member: 'sk-m-0123456789', management: 'sk-managing-0123', provisioning: 'sk-m-0123456789' },
    interns: { own, sibling, foreign },
    disposable_interns: ['sibling'],
    guardrail: { id: own, workspace_id: foreign },
    store: {
      http: {
        method: 'POST',
        url: 'https://admin.h.test/{scope}/{intern}?as=admin',
        headers: { Authorization: 'Bearer admin-token', 'X-Name': '{name}' },
        body: { list: [{ name: '{name}', n: 1 }], value: '{value}', constructor: null },
        accept: [201, 409],
        key: 'management',
        scopes: ['own', 'workspace'],
      },
    },
    inference: {
      method: 'PUT',
      path: '/chat/completions',
      free_model: 'acme/tiny:free',
      paid_model: 'acme/large',
      body: { model: '{model}' },
    },
    headers: { 'X-Gate': 'open' },
    tls: {
      ca: join(folder, 'ca.pem'),
      cert: join(folder, 'conf/client.pem'),
      key: join(folder, 'conf/client.key'),
      insecure: false,
    },
    limits: { concurrency: 2, rate: 0.5, requests: 10, time: 1.5 },
    policy: {
      decides: ['must', 'derived', 'advisory'],
      excused: [
        { requirement: 'vault-delete.504.*', reason: 'slow' },
        { requirement: 'vault-delete.204.deleted', reason: 'x' },
      ],
    },
    literal_keys: ['member', 'provisioning'],
    literal_headers: [],
    secrets: { KEY_MANAGEMENT: 'sk-managing-0123', ADMIN: 'admin-token' },
  });
});

test('the names of stored secrets', async () => {
  const { store } = await profileOf(`
target: { base_url: "http://127.0.0.1:1/v1" }
interns: { own: ${own}, sibling: ${sibling} }
store: { names: { own: [one, two], sibling: [one] } }`);
  expect(store).toEqual({ names: { own: ['one', 'two'], sibling: ['one'] } });
});

test.each(['http://localhost:1/v1', 'https://127.0.0.1:8443/v1', 'https://[::1]:8443/v1'])(
  'any certificate is accepted on loopback: %s',
  async (url) => {
    const { tls } = await profileOf(`target: { base_url: "${url}" }\ntls: { insecure: true }`);
    expect(tls).toEqual({ insecure: true });
  },
);

test('an anchor and its alias, JSON, a byte order mark, CRLF', async () => {
  const anchored = await profileOf(`target: { base_url: "http://127.0.0.1:1/v1" }
keys: { member: &one sk-0123456789, management: *one }
inference: { path: /p, free_model: a:free, body: { again: [*one] } }`);
  expect(anchored.keys).toEqual({ member: 'sk-0123456789', management: 'sk-0123456789' });
  expect(anchored.inference?.body).toEqual({ again: ['sk-0123456789'] });
  const json = JSON.stringify({ target: { base_url: 'http://127.0.0.1:1/v1' } }, null, 2);
  const { target } = await profileOf(`\uFEFF${json.replaceAll('\n', '\r\n')}`);
  expect(target).toEqual({ base_url: 'http://127.0.0.1:1/v1' });
});
