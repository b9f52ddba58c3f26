import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { Reference, ReferenceOptions } from '../../reference/server.js';
import { reportFiles } from '../../reports/formats.js';
import { journalFile } from '../../reports/report-folder.js';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import type { ProgramEnd } from '../run-program.js';
import { serveReference } from '../servers.js';
import { compileSchema } from '../spec/schemas.js';
import { CommandRunner, type Ended, runAtMostMs } from './command-runner.js';

/** The command as it is built, to be run by node. */
export const command = fileURLToPath(new URL('../../dist/cli/plumbline.js', import.meta.url));

const root = fileURLToPath(new URL('../../', import.meta.url));
const built = 'spec reference generators targets judge suites recordings reports library cli'.split(' ');

// The tests run the build: they would say nothing about newer sources.
if (!existsSync(command)) throw new Error(`${command} is missing. Run "npm run build" before these tests.`);
for (const name of built.flatMap(sourcesOf)) {
  if (statSync(join(root, name)).mtimeMs > statSync(command).mtimeMs)
    throw new Error(`dist is older than ${name}. Run "npm run build" before these tests.`);
}

function sourcesOf(part: string): readonly string[] {
  if (!existsSync(join(root, part))) return [];
  return readdirSync(join(root, part), { encoding: 'utf8', recursive: true })
    .filter((name) => /\.(?:tsx?|css|yaml|json)$/.test(name))
    .map((name) => join(part, name));
}

/** Arguments of the command: a list, or a text with a blank between two, as it is typed. */
export type Words = string | readonly string[];

/** How the command is run beside its arguments. */
export interface Surroundings {
  readonly cwd?: string;
  /** Added to the environment of the tests. */
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a run writes its reports in every format; in JSON alone, which is quicker, where nothing is said. */
  readonly everyFormat?: boolean;
  /** Milliseconds after which a process of its own is killed. */
  readonly atMostMs?: number;
}

/** The command while it runs. */
export interface Running {
  readonly child: ChildProcess;
  /** Resolves with what was printed once it holds the text; rejects when the command ends before. */
  printed(text: string): Promise<string>;
  readonly ended: Promise<Ended>;
}

/** Starts the command in a process of its own; it is killed when it takes too long. */
export function start(
  words: Words,
  { cwd = tmpdir(), env = {}, everyFormat = false, atMostMs = runAtMostMs }: Surroundings = {},
): Running {
  const begun = performance.now();
  const child = spawn(process.execPath, [command, ...inFormats(words, everyFormat)], {
    cwd,
    env: { ...withoutColours(process.env), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: atMostMs,
    killSignal: 'SIGKILL',
  });
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      texts[stream] += text;
    });
  }
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...texts, ms: performance.now() - begun }));
  });
  const printed = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (texts.stdout.includes(text)) resolve(texts.stdout);
      };
      child.stdout.on('data', look);
      look();
      ended.then(() => reject(new Error(`It ended without printing "${text}": ${texts.stderr}`)), reject);
    });
  return { child, printed, ended };
}

/** Runs the command to its end. Nothing that it prints may look like a stack trace. */
export async function plumbline(words: Words, surroundings: Surroundings = {}): Promise<Ended> {
  const { cwd = tmpdir(), env = {}, everyFormat = false } = surroundings;
  // Other variables may be read once, when a process starts.
  const isShareable = Object.keys(env).every((name) => /^(?:PLUMBLINE|GITHUB)_/.test(name));
  const ended = isShareable
    ? await idleRunner().run(inFormats(words, everyFormat), cwd, env)
    : await start(words, surroundings).ended;
  expectNoStack(ended);
  return ended;
}

/** The outcome of `plumbline run`, with its report. */
export interface Run extends Ended {
  readonly directory: string;
  /** Both outputs in one line. */
  readonly words: string;
  /** Reads the report, of a run that wrote one. */
  readonly report: () => Report;
}

/** Runs `plumbline run` into a fresh folder. */
export async function runInto(flags: Words, surroundings?: Surroundings): Promise<Run> {
  const directory = folder();
  const ended = await plumbline(['run', ...listWords(flags), '--report', directory], surroundings);
  const words = `${ended.stdout} ${ended.stderr}`.replace(/\s+/g, ' ');
  return { ...ended, directory, words, report: () => readReport(directory) };
}

/** Runs `plumbline run` against a reference server through its control. */
export async function runOnReference(
  options: ReferenceOptions,
  flags: Words,
  surroundings?: Surroundings,
): Promise<Run & { readonly server: Reference }> {
  const server = await serveReference(options);
  const run = await runInto(['--control', server.controlUrl, ...listWords(flags)], surroundings);
  return { ...run, server };
}

const runners: CommandRunner[] = [];

function idleRunner(): CommandRunner {
  const idle = runners.find(({ isIdle }) => isIdle);
  if (idle !== undefined) return idle;
  const added = new CommandRunner(command, withoutColours(process.env));
  runners.push(added);
  return added;
}

/**
 * Makes a program that stands for the command: it runs it in a process that these tests keep, which is quicker than to
 * start one. It takes no signals.
 */
export function sharedCommand(): string {
  const made = folder();
  const [socket, program] = [join(made, 'socket'), join(made, 'plumbline.js')];
  writeFileSync(
    program,
    `const socket = require('node:net').connect(${JSON.stringify(socket)});
     const { argv, env } = process;
     socket.end(JSON.stringify({ args: argv.slice(2), cwd: process.cwd(), env }));
     let answer = '';
     socket.setEncoding('utf8').on('data', (text) => { answer += text; }).on('end', () => {
       const { code, stdout, stderr } = JSON.parse(answer);
       process.stdout.write(stdout);
       process.stderr.write(stderr);
       process.exitCode = code;
     });`,
  );
  const server = createServer({ allowHalfOpen: true }, (client) => {
    let order = '';
    client.setEncoding('utf8').on('data', (text: string) => {
      order += text;
    });
    client.once('end', async () => {
      const { args, cwd, env } = JSON.parse(order);
      client.end(JSON.stringify(await idleRunner().run(args, cwd, env, true)));
    });
  });
  server.listen(socket).unref();
  return program;
}

/** Lists the arguments. */
export function listWords(words: Words): readonly string[] {
  return typeof words === 'string' ? words.split(' ') : words;
}

function inFormats(words: Words, everyFormat: boolean): readonly string[] {
  const args = listWords(words);
  const isBrief = args[0] === 'run' && !everyFormat && !args.includes('--format');
  return isBrief ? [...args, '--format', 'json'] : args;
}

/** Expects that the output has no stack trace and no warning of Node. */
export function expectNoStack({ stdout, stderr }: ProgramEnd): void {
  expect(`${stdout}${stderr}`).not.toMatch(/^ {4}at |node:internal|UnhandledPromise|Warning: |superagent: /m);
}

// What a test runner sets for itself would colour the output, or warn about it.
function withoutColours({ FORCE_COLOR: _, NO_COLOR: __, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

const validate = compileSchema('report');

/** What a run writes into its folder. */
export const runFiles = [...Object.values(reportFiles), journalFile].sort();

/** The report in a folder, after a look that the schema accepts it and that nothing but a run's files was written. */
export function readReport(directory: string): Report {
  expect(readdirSync(directory).filter((name) => !runFiles.includes(name))).toEqual([]);
  const report: unknown = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  return report as Report;
}

/** Waits until the journal in a folder holds a text. */
export async function waitForJournal(directory: string, text = ''): Promise<void> {
  const path = join(directory, journalFile);
  while (!existsSync(path) || !readFileSync(path, 'utf8').includes(text)) await sleep(5);
}
