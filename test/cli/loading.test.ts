import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileOf, folder, root } from '../folders.js';
import { command } from './plumbline-process.js';

const short = ['run', '--reference', '--only', 'key-info.200.read', '--depth', 'quick', '--format', 'json'];

const run = 'exec "$0" "$@"';

let copy: string | undefined;

function copiedPackage(): string {
  if (copy !== undefined) return copy;
  copy = folder();
  cpSync(join(root, 'dist'), join(copy, 'dist'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  const packages = join(copy, 'node_modules');
  mkdirSync(packages);
  for (const name of readdirSync(join(root, 'node_modules')))
    symlinkSync(join(root, 'node_modules', name), join(packages, name));
  return copy;
}

/** Runs the copied command with one file of the package missing or replaced; returns its message. */
function messageWith(file: string, text: string | undefined, shell = run): string {
  const path = join(copiedPackage(), file);
  const aside = `${path}.aside`;
  renameSync(path, aside);
  if (text !== undefined) writeFileSync(path, text);
  try {
    return expectSuiteFault(shell, join(copiedPackage(), 'dist/cli/plumbline.js'));
  } finally {
    rmSync(path, { force: true });
    renameSync(aside, path);
  }
}

/** Runs a shell command line in which `$0` is node and `$1` the command. */
function expectSuiteFault(shell: string, entry = command, env: NodeJS.ProcessEnv = {}): string {
  const report = join(folder(), 'report');
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', shell, process.execPath, entry, ...short, '--report', report],
    { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 20_000, killSignal: 'SIGKILL' },
  );
  expect([status, stdout]).toEqual([5, '']);
  expect(stderr.trim().split('\n')).toHaveLength(1);
  return stderr;
}

// Node 20 opens all modules at once, later versions a few at a time.
const limits = process.version.startsWith('v20.') ? [25, 50] : [25];

it.each(limits)('a command ends with 5 and says what to do if at most %i files may be open', (limit) => {
  expect(expectSuiteFault(`ulimit -n ${limit}; ${run}`)).toBe(
    'plumbline: could not open its files (EMFILE). Raise the limit of open files, for example with "ulimit -n 1024".\n',
  );
});

it.each([
  ['the program is missing', 'dist/cli/program.js', undefined, /cli\/program\.js' imported/],
  ['a command is cut short', 'dist/cli/run.js', 'import { rand', /could not load/],
  ['a file lacks an export', 'dist/judge/run.js', '', /'\.\/run\.js' does not provide/],
  ['a dependency is missing', 'node_modules/commander', undefined, /package 'commander'/],
  ['package.json is missing', 'package.json', undefined, /package\.json of plumbline/],
])('a command ends with 5 and says what to do if %s', (_name, file, text, words) => {
  const message = messageWith(file, text);
  expect(message).toMatch(words);
  expect(message).toMatch(
    /^plumbline: could not load its files: .+ Reinstall plumbline; in a checkout run "npm ci"\.$/m,
  );
});

const throwing = 'setTimeout(() => { throw new Error("too\\nlate"); }, 10)';

it.each([
  [
    'it waits for something that can no longer happen',
    'dist/cli/compare.js',
    'export const compare = () => new Promise(() => {});',
    'exec "$0" "$1" compare old new',
    /stopped early/,
  ],
  ['the embedded server stops at once', 'dist/reference/worker.js', '', run, /ended before it listened/],
  [
    'an error is not caught',
    'dist/cli/run.js',
    `export const run = () => new Promise(() => ${throwing});`,
    run,
    /^plumbline: uncaught error: too late\n$/,
  ],
])('a command ends with 5 if %s', (_name, file, text, shell, words) => {
  expect(messageWith(file, text, shell)).toMatch(words);
});

it.each(['12.22.9', '20.18.3'])('a command ends with 5 and says that Node.js %s is too old', (version) => {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly engines: { readonly node: string };
  };
  const value = `{ ...process.versions, node: '${version}' }`;
  const preload = fileOf(`Object.defineProperty(process, 'versions', { value: ${value} });`, 'version.cjs');
  expect(expectSuiteFault(run, command, { NODE_OPTIONS: `--require ${preload}` })).toBe(
    `plumbline: Node.js ${version} is too old. Use Node.js ${engines.node.replace('>=', '')} or later.\n`,
  );
});

it('the entry point uses only syntax that Node.js 12 parses and imports only modules of Node.js', () => {
  const code = readFileSync(command, 'utf8').replace(/^\s*(?:\/\/|\/\*\*).*$/gm, '');
  expect(code).not.toMatch(/\?\.|\?\?|\|\|=|\bawait\b|\bclass\b|#\w+\s*[=;(]/);
  for (const [, from] of code.matchAll(/^import .* from '(.*)'/gm)) expect(from).toMatch(/^node:/);
});

const writesCommand = `require('node:fs').mkdirSync('dist/cli', { recursive: true });
require('node:fs').writeFileSync('dist/cli/plumbline.js', 'console.log(process.argv.slice(2).join(" "))');`;

/** Makes a checkout that is built by a given script. Returns a function that runs `npm start -- --json` there. */
function checkoutWith(build: string) {
  const checkout = folder();
  mkdirSync(join(checkout, 'cli'));
  cpSync(join(root, 'cli/start.mjs'), join(checkout, 'cli/start.mjs'));
  writeFileSync(join(checkout, 'build.cjs'), build);
  const scripts = { build: 'node build.cjs', start: 'node cli/start.mjs' };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ type: 'module', scripts }));
  return () => spawnSync('npm', ['--silent', 'start', '--', '--json'], { cwd: checkout, encoding: 'utf8' });
}

it('npm start builds first where the installation did not, and says nothing of it on standard output', () => {
  const start = checkoutWith(`console.log('built');${writesCommand}`);
  const [first, second] = [start(), start()];
  expect([first.stdout, first.status]).toEqual(['run --reference --json\n', 0]);
  expect(first.stderr).toContain('built');
  expect([second.stdout, second.stderr]).toEqual([first.stdout, '']);
});

it('npm start ends with 5 where the build fails', () => {
  const { status, stdout } = checkoutWith('process.exit(2);')();
  expect([status, stdout]).toEqual([5, '']);
});
