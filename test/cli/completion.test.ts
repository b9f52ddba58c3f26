import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { installProgram } from '../folders.js';
import { command, plumbline } from './plumbline-process.js';

async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout } = await plumbline(['complete', '--', ...words]);
  expect(code).toBe(0);
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || []);
}

it('completion offers commands, flags, the values of flags and requirement ids, and leaves files to the shell', async () => {
  expect(await complete('comp')).toEqual(['compare', 'completion']);
  expect(await complete('run', '--prof')).toEqual(['--profile']);
  expect(await complete('run', '--depth', '')).toEqual(['quick', 'standard', 'deep']);
  expect(await complete('run', '--depth', '=', 'q')).toEqual(['quick']);
  expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
  expect(await complete('explain', 'auth.b')).toEqual(['auth.bearer']);
  expect(await complete('run', '--skip', 'auth.b')).toEqual(['auth.bearer']);
  expect(await complete('run', '--profile', '')).toEqual([]);
  expect(await complete('observe', '')).toEqual([]);
});

it.each(['bash', 'zsh', 'fish'])('completion prints a script that %s accepts', async (shell) => {
  const { code, stdout } = await plumbline(['completion', shell]);
  expect([code, stdout.includes('plumbline complete -- ')]).toEqual([0, true]);
  const { status, error, stderr } = spawnSync(shell, ['-n', '-c', stdout], { encoding: 'utf8' });
  // A shell that is not installed cannot be asked.
  if (error === undefined) expect([status, stderr]).toEqual([0, '']);
});

it.skipIf(!existsSync('/bin/bash'))('completion works in bash and evaluates nothing that was typed', () => {
  const bin = installProgram('plumbline', `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`);
  const script = `eval "$(plumbline completion bash)"
      ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _plumbline; echo "\${COMPREPLY[*]}"; }
      ask plumbline comp; ask plumbline explain '$(touch made)' ''`;
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const { stdout } = spawnSync('/bin/bash', ['-c', script], { encoding: 'utf8', env, cwd: bin });
  expect(stdout.split('\n')[0]).toBe('compare completion');
  expect(existsSync(join(bin, 'made'))).toBe(false);
});
