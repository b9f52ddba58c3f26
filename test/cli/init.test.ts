import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { init } from '../../cli/init.js';
import { UsageError } from '../../spec/thrown.js';
import { readProfile } from '../../targets/profile/read-profile.js';
import { fileOf, folder } from '../folders.js';
import { withPrinted } from './printed.js';

test('init writes a valid profile and says what to do next', async () => {
  const file = join(folder(), 'plumbline.yaml');
  const { result, printed } = await withPrinted(() => init(file, { force: false }));
  expect(result).toBe(0);
  const [member, management] = ['sk-of-a-member', 'sk-of-a-manager'];
  const env = { PLUMBLINE_KEY_MEMBER: member, PLUMBLINE_KEY_MANAGEMENT: management };
  expect((await readProfile(file, env)).keys).toEqual({ member, management });
  const lines = printed.trimEnd().split('\n');
  expect(lines[0]).toBe(`Wrote ${file}.`);
  expect(lines.length).toBeLessThanOrEqual(4);
  for (const name of [...Object.keys(env), `run --profile ${file}`]) expect(printed).toContain(name);
});

test('init overwrites an existing file only with --force', async () => {
  const file = fileOf(`mine${'\n'.repeat(50_000)}`, 'plumbline.yaml');
  const refusal = new UsageError(`${file} already exists. Name another file, or overwrite it with --force.`);
  await expect(init(file, { force: false })).rejects.toThrow(refusal);
  expect(readFileSync(file, 'utf8')).toMatch(/^mine\n/);
  expect((await withPrinted(() => init(file, { force: true }))).result).toBe(0);
  const template = new URL('../../spec/profile-template.yaml', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(template, 'utf8'));
});

test('init makes a missing folder, and refuses a folder in place of the file', async () => {
  const file = join(folder(), 'none', 'plumbline.yaml');
  expect(await init(file, { force: false })).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('base_url');
  await expect(init(folder(), { force: true })).rejects.toThrow('is in the way');
});
