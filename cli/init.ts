import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { codeOf, UsageError } from '../spec/thrown.js';

/** The flags and the argument of `plumbline init`, parsed. */
export interface InitFlags {
  readonly file: string;
  readonly force: boolean;
}

/** Writes a commented profile and prints what to do next. Returns the exit code; throws UsageError. */
export async function init({ file, force }: InitFlags): Promise<number> {
  const template = readFileSync(new URL('../spec/profile-template.yaml', import.meta.url), 'utf8');
  try {
    await writeFile(file, template, { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(explainRefusal(file, codeOf(error) ?? 'unknown error'));
  }
  process.stdout.write(`Wrote ${file}.
Fill in the URL and the IDs, set PLUMBLINE_KEY_MEMBER and PLUMBLINE_KEY_MANAGEMENT in the environment, then run:
  plumbline doctor --profile ${file}    shows what works and what is missing
  plumbline run --profile ${file}       judges the deployment
`);
  return 0;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

function explainRefusal(file: string, code: string): string {
  if (code === 'EEXIST') return `${file} already exists. Name another file, or overwrite it with --force.`;
  return `could not write ${file} (${reasons[code] ?? code}). Name another file.`;
}
