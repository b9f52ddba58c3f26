import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport, start } from './plumbline-process.js';
import { byRequest, profileFile, startDeployment } from './profile-deployment.js';

/** How often each signal is sent; PLUMBLINE_STOPS=10 makes that 20, 10, 10 and 40. */
const times = Number(process.env.PLUMBLINE_STOPS ?? '1');
const signals = { SIGINT: 2, SIGTERM: 1, SIGHUP: 1, SIGKILL: 4 } as const;
const threeAtOnce = pLimit(3);
// On a busy machine a stopped run takes its time to clean up; the test must not kill it meanwhile.
const atMostMs = 90_000;

/** A server for runs that are stopped. */
interface Stage {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Flags of `clean` that say what the target is. */
  readonly means: readonly string[];
  /** Lists what a run added to the server: secrets by name, worlds by number. */
  leftover(): Promise<readonly string[]>;
}

// Enough to store secrets from first to last.
const few = '--depth quick --only {vault-delete,secret-name}.**'.split(' ');

async function control(): Promise<Stage> {
  const { controlUrl, worldCount } = await serveReference();
  const means = ['--control', controlUrl];
  const leftover = async () => Array.from({ length: worldCount() }, (_, at) => `a world, ${at + 1}`);
  return { args: [...means, ...few], env: {}, means, leftover };
}

async function profile(): Promise<Stage> {
  const deployed = await startDeployment();
  await deployed.store('own', 'theirs');
  const means = ['--profile', profileFile({ ...deployed.described, store: byRequest })];
  const leftover = async () => (await deployed.stored()).filter((name) => name !== 'own/theirs');
  return { args: [...means, ...few], env: deployed.env, means, leftover };
}

/** Expects that every file that is there is whole; only a journal may end in the middle of a line. */
function expectWholeFiles(directory: string): void {
  for (const file of readdirSync(directory)) {
    const text = readFileSync(join(directory, file), 'utf8');
    if (/\.(?:json|sarif|har)$/.test(file)) JSON.parse(text);
    if (/\.(?:xml|html)$/.test(file)) expect(text.trimEnd()).toMatch(/<\/(?:testsuites|html)>$/);
    if (file === 'journal.ndjson') for (const line of text.split('\n').slice(0, -1)) JSON.parse(line);
  }
}

function readKilled(directory: string): Report {
  return JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8'));
}

/** Stops a run after a while and expects that clean removes everything it left. */
async function stopRun(stage: Stage, signal: NodeJS.Signals, afterMs: number): Promise<void> {
  const directory = folder();
  const run = ['run', ...stage.args, '--report', directory];
  const running = start(run, { env: stage.env, everyFormat: true, atMostMs });
  const what = `${signal} after ${afterMs.toFixed(0)} ms (${stage.means[0]})`;
  await Promise.race([sleep(afterMs), running.ended]);
  running.child.kill(signal);
  const { code } = await running.ended;
  expectWholeFiles(directory);
  const left = await stage.leftover();
  const isWritten = existsSync(join(directory, 'report.json'));
  if (!isWritten) {
    // A process handles signals only once its modules are loaded, and a killed process writes nothing.
    expect(code, what).toBeNull();
    const { code: told } = await plumbline(['report', '--from', directory, '--format', 'json']);
    if (told === 2) expect(left, `${what}: before the journal began nothing is made`).toEqual([]);
    if (told === 2) return;
    expect(told, what).toBe(0);
  }
  // A killed run may leave files half written beside its report.
  const { run: told, totals } = code === null ? readKilled(directory) : readReport(directory);
  expect(totals.fail, what).toBe(0);
  if (code === 130) expect(told.complete, what).toBe(false);
  const unknown = told.left_behind.filter(({ kind, id }) => kind === 'world' && id === undefined).length;
  const listed = told.left_behind.map(({ kind, scope, name }) =>
    kind === 'world' ? kind : `${scope}/${name}`,
  );
  if (stage.means[0] === '--control') expect(listed.length, what).toBeGreaterThanOrEqual(left.length);
  else expect(listed, what).toEqual(expect.arrayContaining([...left]));
  if (signal !== 'SIGKILL') expect(left, `${what}: an orderly end leaves nothing`).toEqual([]);
  const cleaned = await plumbline(['clean', '--from', directory, ...stage.means], { env: stage.env });
  expect(cleaned.code, `${what}: ${cleaned.stderr}${cleaned.stdout}`).toBe(unknown === 0 ? 0 : 3);
  expect((await stage.leftover()).length, what).toBeLessThanOrEqual(unknown);
  // Nothing that was half written harms the next run, or stays.
  const next = `run --reference --only key-info.200.read --depth quick --report ${directory}`;
  expect((await plumbline(next)).code, what).toBe(0);
  expect(readdirSync(directory).sort(), what).toEqual(['journal.ndjson', 'report.json']);
}

it.each([
  ['with a control protocol', control],
  ['with a profile', profile],
] as const)(
  'a run %s that is stopped at any moment lists what it leaves, and clean removes it',
  async (_what, stage) => {
    const whole = await stage();
    const { ms } = await start(['run', ...whole.args, '--report', folder()], { env: whole.env, atMostMs })
      .ended;
    const half = Math.ceil(times / 2);
    const rounds = stage === control ? half : Math.max(1, times - half);
    const stops = Object.entries(signals).flatMap(([signal, count]) =>
      Array.from({ length: count * rounds }, () => signal as NodeJS.Signals),
    );
    const moment = () => 100 + Math.random() * Math.max(100, ms - 100);
    await Promise.all(
      stops.map((signal) => threeAtOnce(async () => stopRun(await stage(), signal, moment()))),
    );
  },
  600_000,
);
