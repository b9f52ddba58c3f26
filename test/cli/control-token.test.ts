import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runOnReference } from './plumbline-process.js';

const token = 'a-control-token-of-the-test-7f3a';
const other = 'another-token-of-the-test';

it('the token of the environment opens the control and appears in no output', async () => {
  const flags = '--depth quick --only {key-info,vault-delete.204}.*';
  const env = { PLUMBLINE_CONTROL_TOKEN: token };
  const run = await runOnReference({ controlToken: token }, flags, { env });
  expect([run.code, run.report().verdict, run.server.worldCount()]).toEqual([0, 'conformant', 0]);
  expect(`${run.words}${readFileSync(join(run.directory, 'report.json'), 'utf8')}`).not.toContain(token);
});

it.each([
  ['a wrong token', `--control-token ${other}`],
  ['no token', '--depth quick'],
])('%s ends with 3 and a hint that names the variable', async (_name, flags) => {
  const run = await runOnReference({ controlToken: token }, flags);
  expect(run.code).toBe(3);
  expect(run.words).toMatch(/^unjudged: .* was answered 401 .*PLUMBLINE_CONTROL_TOKEN/);
  expect(run.report().run.notes[0]).toContain('PLUMBLINE_CONTROL_TOKEN');
  const all = `${run.words}${readFileSync(join(run.directory, 'report.json'), 'utf8')}`;
  for (const secret of [token, other]) expect(all).not.toContain(secret);
  expect(run.server.worldCount()).toBe(0);
});
