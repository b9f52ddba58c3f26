import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '../spec/thrown.js';

/**
 * Makes a folder, and those above it, where it is missing. Throws what the system says. Node's own recursive way takes
 * ever more memory, and never ends, where the system calls a folder missing that is there, as below /proc.
 */
export async function madeFolder(directory: string): Promise<void> {
  if (await isFolder(directory)) return;
  const above = dirname(directory);
  if (above !== directory) await madeFolder(above);
  try {
    await mkdir(directory);
  } catch (error) {
    // Somebody else may have made it just now; a link that leads nowhere is in the way too.
    if (codeOf(error) !== 'EEXIST' || !(await isFolder(directory))) throw nowhere(error);
  }
}

/** False where there is nothing; throws where there is something else, or nobody can say. */
async function isFolder(path: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
  throw Object.assign(new Error(`${path} is no folder`), { code: 'ENOTDIR' });
}

function nowhere(error: unknown): unknown {
  return codeOf(error) === 'EEXIST'
    ? Object.assign(new Error('a link leads nowhere'), { code: 'ENOENT' })
    : error;
}
