import { basename, dirname } from 'node:path';
import { writeWhole } from '../reports/write-whole.js';
import { UsageError } from './usage-error.js';

/** Puts a result where the user wants it: in a file, or on standard output. Throws UsageError where it cannot be written. */
export async function writeResult(text: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  await writeWhole(dirname(file), basename(file), text, '--output').catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
  process.stderr.write(`plumbline: written to ${file}\n`);
}
