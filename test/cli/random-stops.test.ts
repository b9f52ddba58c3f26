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
interface StoppableServer {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Flags of `clean` that say what the target is. */
  readonly targetFlags: readonly string[];
  /** Lists what a run added to the server: secrets by name, worlds by number. */
  leftover(): Promise<readonly string[]>;
}

// Enough to store secrets from first to last.
const few = '--depth quick --only {vault-delete,secret-name}.**'.split(' ');

async function serveWithControl(): Promise<StoppableServer> {
  const { controlUrl, worldCount } = await serveReference();
  const targetFlags = ['--control', controlUrl];
  const leftover = async () => Array.from({ length: worldCount() }, (_, at) => `a world, ${at + 1}`);
  return { args: [...targetFlags, ...few], env: {}, targetFlags, leftover };
}

async function serveWithProfile(): Promise<StoppableServer> {
  const deployed = await startDeployment();
  await deployed.store('own', 'theirs');
  const targetFlags = ['--profile', profileFile({ ...deployed.described, store: byRequest })];
  const leftover = async () => (await deployed.stored()).filter((name) => name !== 'own/theirs');
  return { args: [...targetFlags, ...few], env: deployed.env, targetFlags, leftover };
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
async function stopRun(server: StoppableServer, signal: NodeJS.Signals, afterMs: number): Promise<void> {
  const directory = folder();
  const run = ['run', ...server.args, '--report', directory];
  const running = start(run, { env: server.env, everyFormat: true, atMostMs });
  const what = `${signal} after ${afterMs.toFixed(0)} ms (${server.targetFlags[0]})`;
  await Promise.race([sleep(afterMs), running.ended]);
  running.child.kill(signal);
  const { code } = await running.ended;
  expectWholeFiles(directory);
  const left = await server.leftover();
  const isWritten = existsSync(join(directory, 'report.json'));
  if (!isWritten) {
    // A process handles signals only once its modules are loaded, and a killed process writes nothing.
    expect(code, what).toBeNull();
    const { code: rendered } = await plumbline(['report', '--from', directory, '--format', 'json']);
    if (rendered === 2) expect(left, `${what}: before the journal begins, nothing is created`).toEqual([]);
    if (rendered === 2) return;
    expect(rendered, what).toBe(0);
  }
  // A killed run may leave files half written beside its report.
  const { run: facts, totals } = code === null ? readKilled(directory) : readReport(directory);
  expect(totals.fail, what).toBe(0);
  if (code === 130) expect(facts.complete, what).toBe(false);
  const unknown = facts.left_behind.filter(({ kind, id }) => kind === 'world' && id === undefined).length;
  const listed = facts.left_behind.map(({ kind, scope, name }) =>
    kind === 'world' ? kind : `${scope}/${name}`,
  );
  if (server.targetFlags[0] === '--control') expect(listed.length, what).toBeGreaterThanOrEqual(left.length);
  else expect(listed, what).toEqual(expect.arrayContaining([...left]));
  if (signal !== 'SIGKILL') expect(left, `${what}: an orderly end leaves nothing`).toEqual([]);
  const cleaned = await plumbline(['clean', '--from', directory, ...server.targetFlags], { env: server.env });
  expect(cleaned.code, `${what}: ${cleaned.stderr}${cleaned.stdout}`).toBe(unknown === 0 ? 0 : 3);
  expect((await server.leftover()).length, what).toBeLessThanOrEqual(unknown);
  // Nothing that was half written harms the next run, or stays.
  const next = `run --reference --only key-info.200.read --depth quick --report ${directory}`;
  expect((await plumbline(next)).code, what).toBe(0);
  expect(readdirSync(directory).sort(), what).toEqual(['journal.ndjson', 'report.json']);
}

it.each([
  ['with a control protocol', serveWithControl],
  ['with a profile', serveWithProfile],
] as const)(
  'a run %s that is stopped at any moment lists what it leaves, and clean removes it',
  async (_what, serve) => {
    const whole = await serve();
    const { ms } = await start(['run', ...whole.args, '--report', folder()], { env: whole.env, atMostMs })
      .ended;
    const half = Math.ceil(times / 2);
    const rounds = serve === serveWithControl ? half : Math.max(1, times - half);
    const stops = Object.entries(signals).flatMap(([signal, count]) =>
      Array.from({ length: count * rounds }, () => signal as NodeJS.Signals),
    );
    const moment = () => 100 + Math.random() * Math.max(100, ms - 100);
    await Promise.all(
      stops.map((signal) => threeAtOnce(async () => stopRun(await serve(), signal, moment()))),
    );
  },
  600_000,
);
