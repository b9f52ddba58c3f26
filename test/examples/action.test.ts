import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { journalFile } from '../../reports/report-folder.js';
import { toolVersion } from '../../spec/version.js';
import { command, folder, readReport, removeFolders } from '../cli/plumbline-process.js';
import { mutant, reference } from '../cli/servers.js';
import { runAction } from './run-action.js';

afterAll(removeFolders);

// The scripts of action.yml, run as a job would run them.

const small = { command, only: 'key-info.*', 'extra-args': '--cases=1' };
const token = 'the-token-of-a-job';

describe('the action', () => {
  it('judges a server that conforms, and tells the job so', async () => {
    const { controlUrl } = await reference({ controlToken: token });
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
    const { controlUrl } = await reference({ behaviour: mutant('key-info.figures-of-member') });
    const { code, log, outputs } = await runAction({ ...small, control: controlUrl });
    expect(code).toBe(1);
    expect(outputs).toMatchObject({ verdict: 'non-conformant', 'exit-code': '1' });
    expect(JSON.parse(outputs.totals ?? '')).toMatchObject({ fail: expect.any(Number) });
    expect(log).toContain('::error');
  });

  it('ends with 2 on a wrong call, and says nothing of a report that was there before', async () => {
    const workspace = folder();
    mkdirSync(join(workspace, 'plumbline-report'));
    writeFileSync(join(workspace, 'plumbline-report/report.json'), '{"verdict":"conformant","totals":{}}');
    const { code, outputs } = await runAction({ ...small, depth: 'deeper' }, { workspace });
    expect(code).toBe(2);
    expect(outputs).toEqual({ verdict: '', 'exit-code': '2', totals: '', report: '', command });
  });

  it('hands a cancelled job a report of what it knows', async () => {
    const { controlUrl } = await reference();
    const workspace = folder();
    const { code, outputs } = await runAction(
      { command, control: controlUrl, depth: 'deep' },
      {
        workspace,
        onStep: (id, child) => {
          if (id === 'judge') void begun(workspace).then(() => child.kill('SIGINT'));
        },
      },
    );
    expect(code).toBe(130);
    expect(outputs).toMatchObject({
      'exit-code': '130',
      report: expect.stringContaining('plumbline-report'),
    });
  });
});

/** Resolves once a run writes its journal. */
async function begun(workspace: string): Promise<void> {
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
  const { code, outputs } = await runAction({ 'extra-args': '--no-such-flag' }, { env });
  expect([code, outputs.command]).toEqual([
    2,
    expect.stringMatching(/plumbline-\w{6}\/node_modules\/.*\/plumbline\.js$/),
  ]);
  const told = readFileSync(join(bin, 'told'), 'utf8');
  expect(told).toMatch(/^npm install --prefix \S+ --no-save --ignore-scripts /);
  expect(told.trim().split(' ').at(-1)).toBe(`plumbline-conformance@${toolVersion}`);
});
