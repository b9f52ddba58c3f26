import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, test } from 'vitest';
import { init } from '../../cli/init.js';
import { UsageError } from '../../spec/thrown.js';
import { toolVersion } from '../../spec/version.js';
import { readProfile } from '../../targets/profile/read-profile.js';
import { fileOf, folder, installProgram } from '../folders.js';
import { command, plumbline, type Words } from './plumbline-process.js';
import { withPrinted } from './printed.js';

/** Usage errors, with the word in the message that names the wrong part. */
const wrongCalls: readonly (readonly [args: Words, named: string])[] = [
  ['run --format html,yaml', '--format'],
  ['run --no-such-flag', '--no-such-flag'],
  ['judge', 'judge'],
  ['rnu', 'Did you mean run?'],
  ['run --targt x', 'Did you mean --target?'],
  // They end with an empty argument.
  ['run ', 'a variable is not set'],
  ['merge ', 'a variable is not set'],
  ['run --reference --only auth.* --only nothing', '"nothing"'],
  ['run --reference --skip vault-delete.405.*', 'vault-delete.405.*'],
  ['run --timeout x', '--timeout'],
  ['run --target ftp://x', '--target'],
  ['run --control http://user:secret-word@127.0.0.1/', 'password'],
  ['run --target https://secret-word@127.0.0.1/v1', 'user name'],
  ['run --target', '--target'],
  ['run --shard 4/3', '--shard'],
  ['run --profile no-such-profile.yaml', 'no-such-profile.yaml'],
  ['run --reference --waivers no-such-waivers.yaml', 'no-such-waivers.yaml'],
  ['run --reference --propose-waivers no-such-folder/waivers.yaml', 'no-such-folder'],
  ['run --ledger 0.0.9', '0.1.0'],
  ['run --ledger 99.0.0', toolVersion],
  ['prove --only nothing.*', 'nothing.*'],
  ['serve --mutant no-such-mutant', 'no-such-mutant'],
  ['compare no-such-report other', 'no-such-report'],
  ['compare a b --fail-on rain', '--fail-on'],
  ['trend no-such-history', 'no-such-history'],
  ['run --reference --only auth.* --skip auth.*', 'requirement'],
  ['run --reference --shard 2/3', '--run-id'],
  ['run --reference --path valid-names:0:17 --seed 1 --shard 1/2', '--path'],
  ['run --reference --label abc', 'Give --history FILE too'],
  ['run --reference --history h --history-link https://bob:pw@h/', 'contains a user name or password'],
  ['run --reference --history no/h', 'no/h cannot be appended to: its folder does not exist; create it'],
  ['run --reference --sarif-location missing.yaml', 'It must be a file that exists.'],
  ['serve --mutant a.b --variant c', '--mutant and --variant cannot be combined. Remove one of them.'],
  ['explain vault-delete.404.never-strored', 'Did you mean vault-delete.404.never-stored?'],
  ['run http://127.0.0.1:1/v1 --target http://127.0.0.1:2/v1', 'the target is given twice'],
  ['run --reference http://127.0.0.1:1/v1', '--reference'],
  ['run --reference --target http://127.0.0.1:1/v1', '--reference'],
  ['run --reference --control http://127.0.0.1:1/v1', '--reference'],
  ['run --reference --profile plumbline.yaml', '--reference'],
  ['run --reference --bail 0', '--bail'],
  ['run --reference --key member=sk-0123456789abcdef', '--key cannot be combined with --reference'],
  ['run http://127.0.0.1:1/v1 --cacert a.pem --insecure', 'plumbline: --cacert'],
  ['run http://127.0.0.1:1/v1 --cacert missing.pem', 'plumbline: --cacert'],
  [['run', 'http://127.0.0.1:1/v1', '--cacert', import.meta.filename], 'plumbline: --cacert'],
  ['observe - -', '(standard input) is given twice, but can be read only once.'],
  ['run --reference --observed-target https://b.test/v1', '--observed-target'],
  ['run --reference --canary-file values.txt', '--canary-file'],
];

it.concurrent.each(wrongCalls)('%s ends with 2 and a line that names the error', async (args, named) => {
  const cwd = folder();
  const { code, stdout, stderr } = await plumbline(args, { cwd });
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^[^\n]+\n(?:\(Did you mean [^\n]+\n)?(?:[^\n]+\n)?$/);
  expect(stderr).toContain(named);
  expect(stderr).not.toMatch(/secret-word|pw@|0123456/);
  expect(readdirSync(cwd), 'wrong usage writes no report').toEqual([]);
});

it('plumbline without a command shows the help and ends with 2', async () => {
  const { code, stderr } = await plumbline([]);
  expect([code, stderr]).toEqual([2, expect.stringMatching(/^Usage: plumbline /)]);
});

it.each(['--help', 'help', 'run --help', 'observe --help'])('help ends with 0 (%s)', async (args) => {
  const { code, stdout, stderr } = await plumbline(args);
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(/^Usage: plumbline /)]);
});

it.each(['--version', '-V', '-v'])('%s alone prints the version of the package', async (flag) => {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const { code, stdout } = await plumbline(flag);
  expect([code, stdout, toolVersion]).toEqual([0, `${version}\n`, version]);
});

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
