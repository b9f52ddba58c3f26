import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toolVersion } from '../../spec/version.js';
import { folder } from '../folders.js';
import { plumbline, type Words } from './plumbline-process.js';

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
  ['run --reference --history no/h', 'no/h cannot be appended to: its folder does not exist; make it'],
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
  ['observe - -', 'Standard input can be read only once.'],
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
