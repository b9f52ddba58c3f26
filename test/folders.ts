import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = fileURLToPath(new URL('../', import.meta.url));

const folders: string[] = [];

/** Creates a folder, which is removed after the last test of the file. */
export function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'plumbline-test-'));
  folders.push(made);
  return made;
}

/** Writes a file into a folder of its own; returns its path. */
export function fileOf(content: string | Uint8Array, name = 'input'): string {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
}

/** Makes a pipe that nobody writes into: a plain open would wait for ever. */
export function makePipe(path = join(folder(), 'pipe')): string {
  execFileSync('mkfifo', [path]);
  return path;
}

/** Writes a program into a folder, for a PATH that begins with it. Returns the folder. */
export function installProgram(name: string, text: string, bin = folder()): string {
  writeFileSync(join(bin, name), text, { mode: 0o755 });
  return bin;
}

export function removeFolders(): void {
  for (const made of folders.splice(0)) rmSync(made, { recursive: true, force: true });
}
