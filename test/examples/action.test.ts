import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { journalFile } from '../../reports/report-folder.js';
import { toolVersion } from '../../spec/version.js';
import { command as ownProcess, readReport, sharedCommand } from '../cli/plumbline-process.js';
import { behaveAsMutant, serveReference } from '../cli/servers.js';
import { folder } from '../folders.js';
import { runAction } from './run-action.js';

// The scripts of action.yml, run as a job would run them.

const command = sharedCommand();
const small = { command, only: 'key-info.*', depth: 'quick', 'extra-args': '--cases=1' };
const token = 'the-token-of-a-job';
// Nothing listens on port 1 of this machine.
const nowhere = 'http://127.0.0.1:1/control';

describe('the action', () => {
  it('judges a server that conforms, and tells the job so', async () => {
    const { controlUrl } = await serveReference({ controlToken: token });
    const { code, log, outputs, summary, workspace } = await runAction({
      ...small,
      control: controlUrl,
      'control-token': token,
      history: 'runs.ndjson',
      report: 'out',
      seed: '7',
    });
    expect([code, log]).toEqual([0, expect.stringContaining('conformant')]);
    const { totals, run } = readReport(join(workspace, 'out'));
    expect(outputs).toEqual({
      verdict: 'conformant',
      'exit-code': '0',
      judged: 'true',
      totals: JSON.stringify(totals),
      report: join(workspace, 'out'),
      command,
    });
    expect([run.seed, run.selection.only]).toEqual([7, ['key-info.*']]);
    expect(summary).toContain('conformant');
    expect(readFileSync(join(workspace, 'runs.ndjson'), 'utf8').split('\n')).toHaveLength(2);
    expect(log).not.toContain(token);
  });

  it('ends with 1 on a violation, and tells it', async () => {
    const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('key-info.figures-of-member') });
    const { code, log, outputs } = await runAction({ ...small, control: controlUrl });
    expect(code).toBe(1);
    expect(outputs).toMatchObject({ verdict: 'non-conformant', 'exit-code': '1', judged: 'true' });
    expect(JSON.parse(outputs.totals ?? '')).toMatchObject({ fail: expect.any(Number) });
    expect(log).toContain('::error');
  });

  it('ends with 2 on a wrong call, and says nothing of a report that was there before', async () => {
    const workspace = folder();
    mkdirSync(join(workspace, 'plumbline-report'));
    writeFileSync(join(workspace, 'plumbline-report/report.json'), '{"verdict":"conformant","totals":{}}');
    const wrong = { ...small, control: nowhere, depth: 'deeper' };
    const { code, outputs } = await runAction(wrong, { workspace });
    expect(code).toBe(2);
    expect(outputs).toEqual({
      verdict: '',
      'exit-code': '2',
      judged: 'false',
      totals: '',
      report: '',
      command,
    });
  });

  it('hands a cancelled job a report of what it knows', async () => {
    const { controlUrl } = await serveReference();
    const workspace = folder();
    const { code, outputs } = await runAction(
      { command: ownProcess, control: controlUrl, depth: 'deep' },
      {
        workspace,
        onStep: (id, child) => {
          if (id === 'judge') void waitForJournal(workspace).then(() => child.kill('SIGINT'));
        },
      },
    );
    expect(code).toBe(130);
    expect(outputs).toMatchObject({
      'exit-code': '130',
      judged: 'false',
      report: expect.stringContaining('plumbline-report'),
    });
  });
});

describe('whether the server was judged to the end', () => {
  it('is said of an incomplete run that reached its end, and of none that did not', async () => {
    const { controlUrl } = await serveReference({ capabilities: { roles: ['member'] } });
    const only = 'key-info.200.*\nguardrail-read.404.unknown';
    const whole = await runAction({ ...small, control: controlUrl, only });
    expect(whole.outputs).toMatchObject({ verdict: 'incomplete', 'exit-code': '4', judged: 'true' });
    const cut = await runAction({ command, control: controlUrl, 'extra-args': '--max-requests=40' });
    expect(cut.outputs).toMatchObject({ verdict: 'incomplete', 'exit-code': '4', judged: 'false' });
  });

  it('is denied where the server cannot be reached', async () => {
    const { code, outputs } = await runAction({ ...small, control: nowhere });
    expect(code).toBe(3);
    expect(outputs).toMatchObject({ verdict: 'unjudged', judged: 'false' });
  });
});

describe('without anything to judge', () => {
  it.each([
    ['no input', {}],
    ['inputs that are empty', { target: '', control: '', profile: '', 'extra-args': '' }],
    ['other flags', { 'extra-args': '--max-time=5\r\n--observed-target=http://127.0.0.1:1/v1\n--control=' }],
  ])('%s end with 2, though a plumbline.yaml lies there', async (_name, inputs) => {
    const workspace = folder();
    writeFileSync(join(workspace, 'plumbline.yaml'), 'target:\n  base_url: http://127.0.0.1:1/v1\n');
    const { code, log, outputs } = await runAction({ command, ...inputs }, { workspace });
    expect([code, log]).toEqual([2, expect.stringMatching(/^::error title=plumbline::Nothing to judge: /)]);
    expect(Object.values(outputs).join('')).toBe('');
  });

  it.each(['--target', '--control=x', '--profile\nx', '--reference'])(
    '%s in extra-args names what is judged',
    async (line) => {
      const workspace = folder();
      const stub = join(workspace, 'stub.js');
      writeFileSync(stub, '');
      expect((await runAction({ command: stub, 'extra-args': line }, { workspace })).code).toBe(0);
    },
  );
});

/** Resolves once a run writes its journal. */
async function waitForJournal(workspace: string): Promise<void> {
  while (!existsSync(join(workspace, 'plumbline-report', journalFile))) await after(20);
}

describe('an input', () => {
  const hostile = [
    '$(touch pwned)',
    '`touch pwned`',
    '"; touch pwned; "',
    "' && touch pwned '",
    '--report=pwned',
    '* ?',
  ];

  it('is an argument, whatever it holds', async () => {
    // A program in the place of plumbline.js that tells its arguments.
    const workspace = folder();
    const told = join(workspace, 'told.js');
    writeFileSync(told, "require('node:fs').writeFileSync('told', JSON.stringify(process.argv.slice(2)))");
    const only = hostile.join('\r\n');
    const given = { target: hostile[0], profile: hostile[1], depth: hostile[2], skip: `\n${only}\n\n` };
    const text = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? '']));
    const { code } = await runAction({ ...text, command: told }, { workspace });
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(workspace, 'told'), 'utf8'))).toEqual([
      'run',
      `--target=${hostile[0]}`,
      `--profile=${hostile[1]}`,
      `--depth=${hostile[2]}`,
      ...hostile.map((line) => `--skip=${line}`),
      '--report=plumbline-report',
    ]);
    expect(existsSync(join(workspace, 'pwned'))).toBe(false);
  });

  it.each([
    ['version', '0.1.0 --registry=http://evil.example', 'version takes a version'],
    ['version', 'file:../evil', 'version takes a version'],
    ['command', 'no-such-file.js', 'command takes the path'],
    ['inference', 'yes', 'inference takes true or false'],
  ])('%s is refused where it is %s', async (name, value, words) => {
    const { code, log, outputs } = await runAction({
      command: name === 'version' ? '' : command,
      control: nowhere,
      [name]: value,
    });
    expect([code, outputs.verdict, log]).toEqual([
      2,
      '',
      expect.stringContaining(`::error title=plumbline::`),
    ]);
    expect(log).toContain(words);
  });
});

it('installs the version of the action where no other is named', async () => {
  // npm's place is taken by a script that tells what it was asked for, and puts the checkout where npm puts packages.
  const bin = folder();
  const npm = join(bin, 'npm');
  const root = fileURLToPath(new URL('../../', import.meta.url));
  symlinkSync(process.execPath, join(bin, 'node'));
  writeFileSync(
    npm,
    [
      '#!/bin/sh',
      `echo "npm $*" >"${bin}/told"`,
      'mkdir -p "$3/node_modules"',
      `ln -s "${root}" "$3/node_modules/plumbline-conformance"`,
    ].join('\n'),
  );
  chmodSync(npm, 0o755);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const { code, outputs } = await runAction({ control: nowhere, 'extra-args': '--no-such-flag' }, { env });
  expect([code, outputs.command]).toEqual([
    2,
    expect.stringMatching(/plumbline-\w{6}\/node_modules\/.*\/plumbline\.js$/),
  ]);
  const told = readFileSync(join(bin, 'told'), 'utf8');
  expect(told).toMatch(/^npm install --prefix \S+ --no-save --ignore-scripts /);
  expect(told.trim().split(' ').at(-1)).toBe(`plumbline-conformance@${toolVersion}`);
});
