import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { ReferenceOptions } from '../../reference/server.js';
import { reportFiles } from '../../reports/formats.js';
import { journalFile } from '../../reports/report-folder.js';
import type { Report } from '../../spec/report.js';
import { folder, root } from '../folders.js';
import type { ProgramEnd } from '../run-program.js';
import { serveReference } from '../servers.js';
import { compileSchema } from '../spec/schemas.js';
import { CommandRunner, type Ended, maxRunMs } from './command-runner.js';

export const command = fileURLToPath(new URL('../../dist/cli/plumbline.js', import.meta.url));

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

/** Arguments of the command: a list, or a text in which blanks separate them. */
export type Words = string | readonly string[];

export interface Surroundings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a run writes its reports in every format; by default only in JSON, which is faster. */
  readonly everyFormat?: boolean;
  /** Milliseconds after which a separate process is killed. */
  readonly atMostMs?: number;
}

/** Starts the command in a separate process, which is killed if it takes too long. */
export function start(
  words: Words,
  { cwd = tmpdir(), env = {}, everyFormat = false, atMostMs = maxRunMs }: Surroundings = {},
) {
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
  /** Resolves with the output once it contains the text; rejects if the command ends before. */
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

/** Runs the command to its end, and expects that it prints no stack trace. */
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

/** Runs `plumbline run` into a fresh folder; `words` are both outputs in one line, `report` reads the report. */
export async function runInto(flags: Words, surroundings?: Surroundings) {
  const directory = folder();
  const ended = await plumbline(['run', ...listWords(flags), '--report', directory], surroundings);
  const words = `${ended.stdout} ${ended.stderr}`.replace(/\s+/g, ' ');
  return { ...ended, directory, words, report: () => readReport(directory) };
}

/** Runs `plumbline run` against a reference server through its control. */
export async function runOnReference(options: ReferenceOptions, flags: Words, surroundings?: Surroundings) {
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
 * Writes a program in place of the command that runs it in a process which these tests keep, since starting one takes
 * longer. It handles no signals.
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

// The test runner sets these for itself; they would colour the output, or cause a warning.
function withoutColours({ FORCE_COLOR: _, NO_COLOR: __, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

const validate = compileSchema('report');

/** The files that a run may write into its folder. */
export const runFiles = [...Object.values(reportFiles), journalFile].sort();

/** Reads the report in a folder, and expects that it matches the schema and that the folder has no other files than a run's. */
export function readReport(directory: string): Report {
  expect(readdirSync(directory).filter((name) => !runFiles.includes(name))).toEqual([]);
  const report: unknown = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
  expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
  return report as Report;
}

export async function waitForJournal(directory: string, text = ''): Promise<void> {
  const path = join(directory, journalFile);
  while (!existsSync(path) || !readFileSync(path, 'utf8').includes(text)) await sleep(5);
}
