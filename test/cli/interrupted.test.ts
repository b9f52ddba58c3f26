import { EventEmitter, once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lockFile } from '../../reports/report-folder.js';
import { ledger } from '../../spec/ledger.js';
import { folder } from '../folders.js';
import { expectNoStack, readReport, start } from './plumbline-process.js';
import { behaveAsMutant, serveReference, startServer } from './servers.js';
import { slowDown } from './slow-answers.js';

// From the first positive control to well into the checks; the whole run sends more than a thousand.
const moments = [
  [1, 'SIGINT'],
  // The terminal was closed.
  [60, 'SIGHUP'],
  [300, 'SIGTERM'],
] as const;

/** A control that never answers; `asked` resolves at its first request. */
async function silentControl() {
  const control = new EventEmitter();
  const asked = once(control, 'asked');
  return { asked, origin: await startServer(() => control.emit('asked')) };
}

/** Runs against a slow server and sends the signal after this many requests. */
async function interruptRun(signal: NodeJS.Signals, moment: number) {
  const { behaviour, reached } = slowDown(30);
  const { controlUrl, worldCount } = await serveReference({ behaviour });
  const directory = folder();
  const running = start(['run', '--control', controlUrl, '--report', directory]);
  await reached(moment);
  const worldsBefore = worldCount();
  const begun = performance.now();
  running.child.kill(signal);
  const ended = await running.ended;
  const took = performance.now() - begun;
  return { ended, took, worldsBefore, worldsAfter: worldCount(), report: readReport(directory) };
}

// Each test waits for its own process.
it.concurrent.each(moments)(
  'a run that is interrupted at request %i by %s writes its report and gives back every world',
  async (moment, signal) => {
    const { ended, took, worldsBefore, worldsAfter, report } = await interruptRun(signal, moment);
    expect(worldsBefore).toBeGreaterThan(0);
    expect(worldsAfter).toBe(0);
    expect(took, 'it takes its time to end').toBeLessThan(15_000);
    expectNoStack(ended);
    expect(ended.code).toBe(130);
    expect(ended.stdout).toContain('The run stopped early');
    const { run, gate, requirements, totals } = report;
    expect([run.complete, gate.exit_code]).toEqual([false, 130]);
    expect(requirements).toHaveLength(ledger.length);
    expect(totals.fail, 'an interruption accuses nobody').toBe(0);
  },
);

it.concurrent('a run that is interrupted after a confirmed violation ends with 1 and says that it is incomplete', async () => {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('key-info.figures-of-member') });
  const directory = folder();
  const only = ['--depth', 'deep', '--only', 'key-info.*'];
  const running = start(['run', '--control', controlUrl, ...only, '--report', directory]);
  const journal = join(directory, 'journal.ndjson');
  const isFound = () => existsSync(journal) && readFileSync(journal, 'utf8').includes('"outcome":"fail"');
  while (!isFound()) await sleep(20);
  running.child.kill('SIGINT');
  const { code, stdout } = await running.ended;
  expect(code).toBe(1);
  expect(stdout).toContain('The run stopped early (interrupted); the results so far are below.');
  const { run, gate, verdict } = readReport(directory);
  expect([run.complete, gate.exit_code, verdict]).toEqual([false, 1, 'non-conformant']);
});

it.concurrent('a run that is interrupted before the control answers writes its report', async () => {
  const { asked, origin } = await silentControl();
  const directory = folder();
  const running = start(['run', '--control', origin, '--timeout', '1', '--report', directory]);
  await asked;
  running.child.kill('SIGINT');
  const ended = await running.ended;
  expectNoStack(ended);
  expect(ended.code).toBe(130);
  const { run, verdict } = readReport(directory);
  expect([run.complete, verdict]).toEqual([false, 'unjudged']);
});

it.concurrent('a second signal ends a run immediately, and leaves no lock', async () => {
  // A control that never answers delays the orderly end.
  const { asked, origin } = await silentControl();
  const directory = folder();
  const running = start(['run', '--control', origin, '--report', directory]);
  await asked;
  running.child.kill('SIGINT');
  await sleep(200);
  const begun = performance.now();
  running.child.kill('SIGINT');
  const ended = await running.ended;
  expect(ended.code).toBe(130);
  expect(performance.now() - begun).toBeLessThan(8000);
  expectNoStack(ended);
  expect(readdirSync(directory)).not.toContain(lockFile);
});
