import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Profile } from '../../../targets/profile/profile.js';
import { readProfile } from '../../../targets/profile/read-profile.js';
import { InvalidInput } from '../../../targets/yaml-file.js';
import { folder } from '../../folders.js';

export const bareProfile: Profile = {
  target: { base_url: 'http://127.0.0.1:1/v1' },
  ...{ keys: {}, interns: {}, disposable_interns: [], headers: {}, tls: { insecure: false }, limits: {} },
  ...{ policy: { decides: ['must'], excused: [] }, literal_keys: [], literal_headers: [], secrets: {} },
};

const makeId = (digit: number) => `0000000${digit}-abcd-4000-8000-000000000000`;

/** A profile as it is written, with every member that needs no file beside it. */
export const wholeProfile = {
  target: { base_url: 'https://h.test:8443/api/v1/', regional_base_url: 'https://eu.h.test/v1' },
  keys: { member: 'sk-member-5f0c3b7a', management: 'sk-other-5f0c3b7a', provisioning: 'sk-member-5f0c3b7a' },
  interns: { own: makeId(1), sibling: makeId(2).toUpperCase(), foreign: makeId(3) },
  disposable_interns: ['sibling'],
  guardrail: { id: makeId(4), workspace_id: makeId(5) },
  store: {
    http: {
      ...{ method: 'POST', url: 'https://admin.h.test/{scope}/{intern}?as=admin', accept: [201, 409] },
      headers: { Authorization: 'Bearer admin-token', 'X-Name': '{name}' },
      body: { list: [{ name: '{name}', n: 1 }], value: '{value}', constructor: null },
      ...{ key: 'management', scopes: ['own', 'workspace'] },
    },
  },
  inference: {
    ...{ method: 'PUT', path: '/chat/completions', body: { model: '{model}' } },
    ...{ free_model: 'acme/tiny:free', paid_model: 'acme/large' },
  },
  headers: { 'X-Gate': 'open' },
  tls: { insecure: false },
  limits: { concurrency: 2, rate: 0.5, requests: 10, time: 1.5 },
  policy: {
    decides: ['must', 'derived', 'advisory'],
    excused: [
      { requirement: 'vault-delete.504.*', reason: 'slow' },
      { requirement: 'vault-delete.204.deleted', reason: 'x' },
    ],
  },
} as const;

export function folderOf(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const made = folder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made, name)), { recursive: true });
    writeFileSync(join(made, name), content);
  }
  return made;
}

export function parseProfile(
  text: string | Uint8Array,
  env: NodeJS.ProcessEnv = {},
  files: Readonly<Record<string, string>> = {},
): Promise<Profile> {
  return readProfile(join(folderOf({ ...files, 'plumbline.yaml': text }), 'plumbline.yaml'), env);
}

/** Returns the lines of the error that refuses a text as a profile, paths without its folder; none if it is accepted. */
export async function listFaults(text: string | Uint8Array, env: NodeJS.ProcessEnv = {}) {
  const path = join(folderOf({ 'plumbline.yaml': text }), 'plumbline.yaml');
  try {
    await readProfile(path, env);
    return [];
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    if (error.message !== error.lines.join('\n')) throw new Error('The message is not the lines.');
    return error.lines.map((line) => line.replace(`${dirname(path)}/`, ''));
  }
}
