import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport, start } from './plumbline-process.js';

const signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL', 'SIGKILL'];
// Enough to store secrets from first to last. On a busy machine a stopped run takes its time to clean up.
const few = ['--depth', 'quick', '--only', '{vault-delete,secret-name}.**'];
const atMostMs = 90_000;

/** Expects that every file that is there is whole; only a journal may end in the middle of a line. */
function expectWholeFiles(directory: string): void {
  for (const file of readdirSync(directory)) {
    const text = readFileSync(join(directory, file), 'utf8');
    if (/\.(?:json|sarif|har)$/.test(file)) JSON.parse(text);
    if (/\.(?:xml|html)$/.test(file)) expect(text.trimEnd()).toMatch(/<\/(?:testsuites|html)>$/);
    if (file === 'journal.ndjson') for (const line of text.split('\n').slice(0, -1)) JSON.parse(line);
  }
}

async function stopRun(signal: NodeJS.Signals, afterMs: number): Promise<void> {
  const { controlUrl, worldCount } = await serveReference();
  const directory = folder();
  const run = ['run', '--control', controlUrl, ...few, '--report', directory];
  const running = start(run, { everyFormat: true, atMostMs });
  const what = `${signal} after ${afterMs.toFixed(0)} ms`;
  await Promise.race([sleep(afterMs), running.ended]);
  running.child.kill(signal);
  const { code } = await running.ended;
  expectWholeFiles(directory);
  const left = worldCount();
  if (!existsSync(join(directory, 'report.json'))) {
    // A process handles signals only once its modules are loaded, and a killed process writes nothing.
    expect(code, what).toBeNull();
    const { code: rendered } = await plumbline(['report', '--from', directory, '--format', 'json']);
    if (rendered === 2) expect(left, `${what}: before the journal begins, nothing is created`).toBe(0);
    if (rendered === 2) return;
    expect(rendered, what).toBe(0);
  }
  // A killed run may leave files half written beside its report.
  const { run: facts, totals }: Report =
    code === null ? JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')) : readReport(directory);
  expect(totals.fail, what).toBe(0);
  if (code === 130) expect(facts.complete, what).toBe(false);
  expect(facts.left_behind.length, what).toBeGreaterThanOrEqual(left);
  if (signal !== 'SIGKILL') expect(left, `${what}: an orderly end leaves nothing`).toBe(0);
  const unknown = facts.left_behind.filter(({ kind, id }) => kind === 'world' && id === undefined).length;
  const cleaned = await plumbline(['clean', '--from', directory, '--control', controlUrl]);
  expect(cleaned.code, `${what}: ${cleaned.stderr}${cleaned.stdout}`).toBe(unknown === 0 ? 0 : 3);
  expect(worldCount(), what).toBeLessThanOrEqual(unknown);
  // Nothing that was half written harms the next run, or stays.
  const next = `run --reference --only key-info.200.read --depth quick --report ${directory}`;
  expect((await plumbline(next)).code, what).toBe(0);
  expect(readdirSync(directory).sort(), what).toEqual(['journal.ndjson', 'report.json']);
}

it('a run that is stopped at any moment lists what it leaves, and clean removes it', async () => {
  const { controlUrl } = await serveReference();
  const whole = ['run', '--control', controlUrl, ...few, '--report', folder()];
  const { ms } = await start(whole, { atMostMs }).ended;
  const moment = () => 100 + Math.random() * Math.max(100, ms - 100);
  const threeAtOnce = pLimit(3);
  await Promise.all(signals.map((signal) => threeAtOnce(stopRun, signal, moment())));
}, 600_000);
