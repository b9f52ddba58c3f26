import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];

/** Creates a folder, which is removed after the last test of the file. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
  folders.push(made);
  return made;
}

export function removeFolders(): void {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
}
