import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Profile } from '../../../targets/profile/profile.js';
import { readProfile } from '../../../targets/profile/read-profile.js';
import { InvalidInput } from '../../../targets/yaml-file.js';
import { folder } from '../../folders.js';

/** A profile that says where its target is, and nothing else. */
export const bareProfile: Profile = {
  target: { base_url: 'http://127.0.0.1:1/v1' },
  ...{ keys: {}, interns: {}, disposable_interns: [], headers: {}, tls: { insecure: false }, limits: {} },
  ...{ policy: { decides: ['must'], excused: [] }, literal_keys: [], literal_headers: [], secrets: {} },
};

/** Creates a folder with these files, which is removed after the last test of the file. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const made = folder();
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(made, name)), { recursive: true });
    writeFileSync(join(made, name), content);
  }
  return made;
}

/** The profile that a text makes. */
export function parseProfile(text: string | Uint8Array, env: NodeJS.ProcessEnv = {}): Promise<Profile> {
  return readProfile(join(folderOf({ 'plumbline.yaml': text }), 'plumbline.yaml'), env);
}

/** Returns the lines of the error that refuses a text as a profile, paths without its folder; none if it is accepted. */
export async function listFaults(
  text: string | Uint8Array,
  env: NodeJS.ProcessEnv = {},
): Promise<readonly string[]> {
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
