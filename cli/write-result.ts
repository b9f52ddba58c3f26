import { stat, writeFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { explainedWrite, UnwritableFile, writeWhole } from '../reports/write-whole.js';
import { UsageError } from '../spec/thrown.js';

/** Puts a result where the user wants it: in a file, or on standard output. Throws UsageError where it cannot be written. */
export async function writeResult(text: string, file: string | undefined): Promise<void> {
  if (file === undefined) {
    process.stdout.write(text);
    return;
  }
  await written(text, file).catch((error: unknown) => {
    throw error instanceof UnwritableFile ? new UsageError(error.message) : error;
  });
  process.stderr.write(`plumbline: written to ${file}\n`);
}

/** A device or a pipe is written into: the file that would be put in its place is not what was meant. */
async function written(text: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.isFile() || found.isDirectory()) {
    await writeWhole(dirname(file), basename(file), text, '--output');
    return;
  }
  await writeFile(file, text).catch((error: unknown) => {
    throw new UnwritableFile(`${file} was not written: ${explainedWrite(error, file, '--output')}`);
  });
}
