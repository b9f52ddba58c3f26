import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { codeOf, UsageError } from '../spec/thrown.js';

/** The flags of `plumbline init`, read and checked. */
export interface InitFlags {
  /** Where the profile is written. */
  readonly file: string;
  /** Whether a file that is there already is written over. */
  readonly force: boolean;
}

/** Writes a commented profile and prints what to do next. Returns the exit code; throws UsageError. */
export async function init({ file, force }: InitFlags): Promise<number> {
  try {
    await writeFile(file, template(), { flag: force ? 'w' : 'wx' });
  } catch (error) {
    throw new UsageError(refusal(file, error));
  }
  process.stdout.write(next(file));
  return 0;
}

/** spec/profile-template.yaml; from the sources and from dist alike. */
function template(): string {
  return readFileSync(new URL('../spec/profile-template.yaml', import.meta.url), 'utf8');
}

function refusal(file: string, error: unknown): string {
  const code = codeOf(error) ?? 'the reason is unknown';
  if (code === 'EEXIST') return `${file} is there already. Name another file, or write over it with --force.`;
  const told = reasons[code] ?? code;
  return `${file} cannot be written (${told}). Name another file.`;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

function next(file: string): string {
  return `${[
    `Wrote ${file}.`,
    'Put in the address and the ids, set PLUMBLINE_KEY_MEMBER and PLUMBLINE_KEY_MANAGEMENT in the environment, then:',
    `  plumbline doctor --profile ${file}    tells what works, and what is missing`,
    `  plumbline run --profile ${file}       judges the deployment`,
  ].join('\n')}\n`;
}
