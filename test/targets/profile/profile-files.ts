import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Profile } from '../../../targets/profile/profile.js';
import { ProfileError, readProfile } from '../../../targets/profile/read-profile.js';

const folders: string[] = [];

/** Creates a folder with these files, which removeFolders removes. */
export function folderOf(files: Readonly<Record<string, string | Uint8Array>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'plumbline-profile-'));
  folders.push(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Removes what folderOf made. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
}

/** The profile that a text makes. */
export function profileOf(text: string | Uint8Array, env: NodeJS.ProcessEnv = {}): Promise<Profile> {
  return readProfile(join(folderOf({ 'plumbline.yaml': text }), 'plumbline.yaml'), env);
}

/** Returns the lines of the error that refuses a profile, paths without its folder; none if it is accepted. */
export async function refusedAt(path: string, env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  try {
    await readProfile(path, env);
    return [];
  } catch (error) {
    if (!(error instanceof ProfileError)) throw error;
    if (error.message !== error.lines.join('\n')) throw new Error('The message is not the lines.');
    return error.lines.map((line) => line.replace(`${dirname(path)}/`, ''));
  }
}

/** The lines that refuse a text. */
export function refused(text: string | Uint8Array, env: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  return refusedAt(join(folderOf({ 'plumbline.yaml': text }), 'plumbline.yaml'), env);
}
