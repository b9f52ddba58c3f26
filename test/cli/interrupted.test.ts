import { EventEmitter, once } from 'node:events';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { conforming } from '../../reference/conforming.js';
import { lockFile } from '../../reports/report-folder.js';
import { ledger } from '../../spec/ledger.js';
import { behaveAsMutant, slowDown } from '../behaviours.js';
import { folder } from '../folders.js';
import { serveReference, startServer } from '../servers.js';
import { expectNoStack, readReport, start, waitForJournal } from './plumbline-process.js';
import { byRequest, startDeployment, startProfiled } from './profile-deployment.js';

/** Starts a run; `stop` sends it a signal and waits for its end. */
function startRun(flags: string) {
  const directory = folder();
  const { child, ended } = start(`run ${flags} --report ${directory}`);
  const stop = async (signal: NodeJS.Signals) => {
    const begun = performance.now();
    child.kill(signal);
    const result = await ended;
    expectNoStack(result);
    return { ...result, took: performance.now() - begun };
  };
  return { child, directory, stop, report: () => readReport(directory) };
}

/** Starts a run on a control that never answers; resolves at its first request. */
async function startOnSilence(flags: string) {
  const control = new EventEmitter();
  const asked = once(control, 'asked');
  const run = startRun(`--control ${await startServer(() => control.emit('asked'))} ${flags}`);
  await asked;
  return run;
}

// Each test waits for its own process.
it.concurrent.each([
  // From the first positive control to well into the checks; the whole run sends more than a thousand.
  [1, 'SIGINT'],
  // The terminal was closed.
  [60, 'SIGHUP'],
  [150, 'SIGTERM'],
] as const)(
  'a run that is interrupted at request %i by %s writes its report and gives back every world',
  async (moment, signal) => {
    const { behaviour, reached } = slowDown(30);
    const { controlUrl, worldCount } = await serveReference({ behaviour });
    const running = startRun(`--control ${controlUrl}`);
    await reached(moment);
    expect(worldCount()).toBeGreaterThan(0);
    const { code, stdout, took } = await running.stop(signal);
    expect(worldCount()).toBe(0);
    expect(took, 'it takes its time to end').toBeLessThan(15_000);
    expect([code, stdout]).toEqual([130, expect.stringContaining('The run stopped early')]);
    const { run, gate, requirements, totals } = running.report();
    expect([run.complete, gate.exit_code]).toEqual([false, 130]);
    expect(requirements).toHaveLength(ledger.length);
    expect(totals.fail, 'an interruption accuses nobody').toBe(0);
  },
);

it.concurrent('a run that is interrupted after a confirmed violation ends with 1 and says that it is incomplete', async () => {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('key-info.figures-of-member') });
  const running = startRun(`--control ${controlUrl} --depth deep --only key-info.*`);
  await waitForJournal(running.directory, '"outcome":"fail"');
  const { code, stdout } = await running.stop('SIGINT');
  expect(code).toBe(1);
  expect(stdout).toContain('The run stopped early: interrupted. The results so far are below.');
  const { run, gate, verdict } = running.report();
  expect([run.complete, gate.exit_code, verdict]).toEqual([false, 1, 'non-conformant']);
});

it.concurrent('a run that is interrupted before the control answers writes its report', async () => {
  const running = await startOnSilence('--timeout 1');
  expect((await running.stop('SIGINT')).code).toBe(130);
  const { run, verdict } = running.report();
  expect([run.complete, verdict]).toEqual([false, 'unjudged']);
});

it.concurrent('a second signal ends a run immediately, and leaves no lock', async () => {
  // A control that never answers delays the orderly end.
  const running = await startOnSilence('--timeout 60');
  running.child.kill('SIGINT');
  await sleep(200);
  const { code, took } = await running.stop('SIGINT');
  expect(code).toBe(130);
  expect(took).toBeLessThan(8_000);
  expect(readdirSync(running.directory)).not.toContain(lockFile);
});

it.concurrent('a run with a profile that is interrupted fails nothing and lists what the service does not delete, and what to do about it', async () => {
  let isClosed = false;
  const effects: typeof conforming.effects = {
    ...conforming.effects,
    'vault-delete': (call) =>
      isClosed
        ? call.behaviour.refuse(call, { status: 503, message: 'Closed' })
        : conforming.effects['vault-delete'](call),
  };
  const deployed = await startDeployment({ behaviour: { ...slowDown(20).behaviour, effects } });
  const somebodys = ['foreign/theirs', 'own/theirs', 'sibling/theirs', 'workspace/theirs'];
  for (const scope of ['own', 'sibling', 'workspace', 'foreign']) await deployed.store(scope, 'theirs');
  const flags = '--only vault-delete.** --depth quick';
  const { child, ended, directory } = startProfiled(deployed, { profile: { store: byRequest }, flags });
  while (deployed.seen.length < 40) await sleep(5);
  isClosed = true;
  while ((await deployed.stored()).length === somebodys.length) await sleep(5);
  child.kill('SIGINT');
  const begun = performance.now();
  const { code, ...output } = await ended;
  expectNoStack({ code, ...output });
  expect(code).toBe(130);
  expect(performance.now() - begun).toBeLessThan(15_000);
  const { run, gate, totals } = readReport(directory);
  expect([run.complete, gate.exit_code, totals.fail]).toEqual([false, 130, 0]);
  const left = run.left_behind.map(({ scope, name }) => `${scope}/${name}`);
  expect((await deployed.stored()).toSorted()).toEqual([...somebodys, ...left].sort());
  expect(left.length).toBeGreaterThan(0);
  for (const { name, why } of run.left_behind) {
    expect(why).toBe('its delete got 503; delete it with the member key');
    expect(name).toMatch(/^plumb[aeio]+/);
  }
  expect(output.stdout).toContain(run.left_behind[0]?.name ?? 'a name');
});
