import { readFile, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { inertJsonLine } from '../reports/inert-json.js';
import { writeWhole } from '../reports/write-whole.js';
import { codeOf } from '../spec/thrown.js';
import type { Redactor } from '../targets/redaction.js';

/**
 * Looks through written files of JSON lines for secrets, takes out what is found, and names the files that held some. A
 * file that cannot be written without them is removed.
 */
export async function scrubbed(files: readonly string[], redactor: Redactor): Promise<readonly string[]> {
  const held: string[] = [];
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      if (codeOf(error) === 'ENOENT') return '';
      throw error;
    });
    const clean = text
      .split('\n')
      .map((line) => withoutSecrets(line, redactor))
      .join('\n');
    if (clean === text) continue;
    await writeWhole(dirname(file), basename(file), clean).catch(() => rm(file, { force: true }));
    held.push(file);
  }
  return held;
}

function withoutSecrets(line: string, redactor: Redactor): string {
  const clean = redactor.redact(line);
  if (clean === line) return line;
  try {
    // What is replaced within a text leaves the JSON around it whole.
    return inertJsonLine(redactor.redactTexts(JSON.parse(line) as unknown));
  } catch {
    return clean;
  }
}
