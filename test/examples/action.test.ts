import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toolVersion } from '../../spec/version.js';
import { behaveAsMutant } from '../behaviours.js';
import {
  command as ownProcess,
  readReport,
  sharedCommand,
  waitForJournal,
} from '../cli/plumbline-process.js';
import { folder, installProgram, root } from '../folders.js';
import { serveReference } from '../servers.js';
import { runAction } from './run-action.js';

// The scripts of action.yml, run as a job would run them.

const command = sharedCommand();
const small = { command, only: 'key-info.*', depth: 'quick', 'extra-args': '--cases=1' };
const token = 'the-token-of-a-job';
// Nothing listens on port 1 of this machine.
const nowhere = 'http://127.0.0.1:1/control';

it('the action judges a server that conforms, and reports it to the job', async () => {
  const { controlUrl: control } = await serveReference({ controlToken: token });
  const own = { control, 'control-token': token, history: 'runs.ndjson', report: 'out', seed: '7' };
  const { code, log, outputs, summary, workspace } = await runAction({ ...small, ...own });
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

it('the action ends with 1 on a violation, and reports it', async () => {
  const behaviour = behaveAsMutant('key-info.figures-of-member');
  const { controlUrl: control } = await serveReference({ behaviour });
  const { code, log, outputs } = await runAction({ ...small, control });
  expect([code, log]).toEqual([1, expect.stringContaining('::error')]);
  expect(outputs).toMatchObject({ verdict: 'non-conformant', 'exit-code': '1', judged: 'true' });
  expect(JSON.parse(outputs.totals ?? '')).toMatchObject({ fail: expect.any(Number) });
});

it('the action ends with 2 on a usage error, and outputs nothing of an earlier report', async () => {
  const workspace = folder();
  mkdirSync(join(workspace, 'plumbline-report'));
  writeFileSync(join(workspace, 'plumbline-report/report.json'), '{"verdict":"conformant","totals":{}}');
  const wrong = { ...small, control: nowhere, depth: 'deeper' };
  const { code, outputs } = await runAction(wrong, { workspace });
  const none = { verdict: '', totals: '', report: '' };
  expect([code, outputs]).toEqual([2, { ...none, 'exit-code': '2', judged: 'false', command }]);
});

it('the action leaves a report of the results so far if its job is cancelled', async () => {
  const { controlUrl: control } = await serveReference();
  const workspace = folder();
  const { code, outputs } = await runAction(
    { command: ownProcess, control, depth: 'deep' },
    {
      workspace,
      onStep: async (id, child) => {
        if (id !== 'judge') return;
        await waitForJournal(join(workspace, 'plumbline-report'));
        child.kill('SIGINT');
      },
    },
  );
  expect(code).toBe(130);
  expect(outputs).toMatchObject({ 'exit-code': '130', judged: 'false' });
  expect(outputs.report).toContain('plumbline-report');
});

it('the action says whether the server was judged to the end', async () => {
  const { controlUrl: control } = await serveReference({ capabilities: { roles: ['member'] } });
  const only = 'key-info.200.*\nguardrail-read.404.unknown';
  const whole = await runAction({ ...small, control, only });
  expect(whole.outputs).toMatchObject({ verdict: 'incomplete', 'exit-code': '4', judged: 'true' });
  const cut = await runAction({ command, control, 'extra-args': '--max-requests=40' });
  expect(cut.outputs).toMatchObject({ verdict: 'incomplete', 'exit-code': '4', judged: 'false' });
  const unreachable = await runAction({ ...small, control: nowhere });
  expect(unreachable.outputs).toMatchObject({ verdict: 'unjudged', 'exit-code': '3', judged: 'false' });
});

it.each([
  ['no input', {}],
  ['inputs that are empty', { target: '', control: '', profile: '', 'extra-args': '' }],
  ['other flags', { 'extra-args': '--max-time=5\r\n--observed-target=http://127.0.0.1:1/v1\n--control=' }],
])('%s end with 2, although there is a plumbline.yaml', async (_name, inputs) => {
  const workspace = folder();
  writeFileSync(join(workspace, 'plumbline.yaml'), 'target:\n  base_url: http://127.0.0.1:1/v1\n');
  const { code, log, outputs } = await runAction({ command, ...inputs }, { workspace });
  expect([code, log]).toEqual([2, expect.stringMatching(/^::error title=plumbline::Nothing to judge: /)]);
  expect(Object.values(outputs).join('')).toBe('');
});

/** Runs the action with a program in the place of plumbline.js; returns the arguments that it got. */
async function runStub(inputs: Readonly<Record<string, string>>) {
  const workspace = folder();
  const stub = join(workspace, 'stub.js');
  writeFileSync(stub, "require('node:fs').writeFileSync('arguments', JSON.stringify(process.argv.slice(2)))");
  const { code } = await runAction({ ...inputs, command: stub }, { workspace });
  expect([code, existsSync(join(workspace, 'pwned'))]).toEqual([0, false]);
  return JSON.parse(readFileSync(join(workspace, 'arguments'), 'utf8')) as unknown;
}

describe('inputs of the action', () => {
  const targets = ['--target', '--control=x', '--profile\nx', '--reference'];
  it.each(targets)('%s in extra-args names the target', async (line) => {
    expect(await runStub({ 'extra-args': line })).toContain(line.split('\n')[0]);
  });

  it('an input becomes an argument and never a command, whatever it contains', async () => {
    const quoted = ['$(touch pwned)', '`touch pwned`', '"; touch pwned; "', "' && touch pwned '"];
    const hostile = [...quoted, '--report=pwned', '* ?'];
    const [target = '', profile = '', depth = ''] = hostile;
    expect(await runStub({ target, profile, depth, skip: `\n${hostile.join('\r\n')}\n\n` })).toEqual([
      'run',
      `--target=${target}`,
      `--profile=${profile}`,
      `--depth=${depth}`,
      ...hostile.map((line) => `--skip=${line}`),
      '--report=plumbline-report',
    ]);
  });

  it.each([
    ['version', '0.1.0 --registry=http://evil.example', 'version takes a version'],
    ['version', 'file:../evil', 'version takes a version'],
    ['command', 'no-such-file.js', 'command takes the path'],
    ['inference', 'yes', 'inference takes true or false'],
  ])('the input %s is refused if it is %s', async (name, value, words) => {
    const given = { command: name === 'version' ? '' : command, control: nowhere, [name]: value };
    const { code, log, outputs } = await runAction(given);
    expect([code, outputs.verdict, log]).toEqual([2, '', expect.stringContaining(words)]);
    expect(log).toContain('::error title=plumbline::');
  });
});

it('the action installs its own version of the package by default', async () => {
  // A script in place of npm records its arguments, and links the checkout where npm installs packages.
  const bin = folder();
  symlinkSync(process.execPath, join(bin, 'node'));
  const lines = [
    '#!/bin/sh',
    `echo "npm $*" >"${bin}/arguments"`,
    'mkdir -p "$3/node_modules"',
    `ln -s "${root}" "$3/node_modules/plumbline-conformance"`,
  ];
  installProgram('npm', lines.join('\n'), bin);
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const { code, outputs } = await runAction({ control: nowhere, 'extra-args': '--no-such-flag' }, { env });
  expect(code).toBe(2);
  expect(outputs.command).toMatch(/plumbline-\w{6}\/node_modules\/.*\/plumbline\.js$/);
  const called = readFileSync(join(bin, 'arguments'), 'utf8');
  expect(called).toMatch(/^npm install --prefix \S+ --no-save --ignore-scripts /);
  expect(called.trim().split(' ').at(-1)).toBe(`plumbline-conformance@${toolVersion}`);
});
