import { existsSync, readFileSync } from 'node:fs';
import { writeAtomically } from '../reports/atomic-write.js';
import { UsageError } from '../spec/thrown.js';

/** Writes a commented profile and prints what to do next. Returns the exit code; throws UsageError. */
export async function init(file: string, { force }: { readonly force: boolean }): Promise<number> {
  if (!force && existsSync(file))
    throw new UsageError(`${file} already exists. Name another file, or overwrite it with --force.`);
  const template = readFileSync(new URL('../spec/profile-template.yaml', import.meta.url), 'utf8');
  await writeAtomically(file, template, 'init');
  process.stdout.write(`Wrote ${file}.
Fill in the URL and the IDs, set PLUMBLINE_KEY_MEMBER and PLUMBLINE_KEY_MANAGEMENT in the environment, then run:
  plumbline doctor --profile ${file}    shows what works and what is missing
  plumbline run --profile ${file}       judges the deployment
`);
  return 0;
}
