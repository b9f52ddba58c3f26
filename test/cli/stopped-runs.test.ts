import { EventEmitter, once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { conforming } from '../../reference/conforming.js';
import { lockFile } from '../../reports/report-folder.js';
import { ledger } from '../../spec/ledger.js';
import { behaveAsMutant, slowDown } from '../behaviours.js';
import { folder } from '../folders.js';
import { idsWith } from '../report-rows.js';
import { passOnTo, serveReference, startServer } from '../servers.js';
import { expectNoStack, plumbline, readReport, runInto, start, waitForJournal } from './plumbline-process.js';
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
  [150, 'SIGTERM'],
] as const)('a run interrupted at request %i by %s still reports and cleans up', async (moment, signal) => {
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
});

it.concurrent('a run that is interrupted after a confirmed violation ends with 1 and says that it is incomplete', async () => {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('key-info.figures-of-member') });
  const running = startRun(`--control ${controlUrl} --depth deep --only key-info.*`);
  await waitForJournal(running.directory, '"outcome":"fail"');
  // As when a terminal is closed.
  const { code, stdout } = await running.stop('SIGHUP');
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
  const { behaviour, reached } = slowDown(30);
  const { controlUrl } = await serveReference({ behaviour });
  const control = new EventEmitter();
  const deletes = once(control, 'delete');
  const passOn = passOnTo(controlUrl);
  // Worlds that are never deleted delay the orderly end.
  const front = await startServer((request, response) =>
    request.method === 'DELETE' ? control.emit('delete') : passOn(request, response),
  );
  const running = startRun(`--control ${front} --timeout 60`);
  await reached(10);
  running.child.kill('SIGINT');
  await deletes;
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

const journal = (directory: string): string => join(directory, 'journal.ndjson');

/** What a journal holds; nothing where a run that begins has just removed it. */
function readJournal(directory: string): string {
  try {
    return readFileSync(journal(directory), 'utf8');
  } catch {
    return '';
  }
}

const short = '--reference --only key-info.200.read --depth quick';

it.each([
  ['with its first line', '\n', 0],
  ['when a check has passed', '"outcome":"pass"', 1],
])('the report of a run that is killed %s contains what was known by then', async (_when, text, passed) => {
  // A report of an earlier run is not taken for that of the killed one.
  const { directory } = await runInto(short);
  const earlier = readFileSync(journal(directory), 'utf8');
  const running = start(`run --reference --seed 5 --concurrency 2 --report ${directory}`);
  // A journal without a whole first line does not even identify its run.
  for (let held = ''; held === earlier || !held.includes(text) || !held.includes('\n'); await sleep(5))
    held = readJournal(directory);
  running.child.kill('SIGKILL');
  await running.ended;
  expect(readdirSync(directory).sort()).toEqual([lockFile, 'journal.ndjson']);
  const { code, stdout } = await plumbline(`report --from ${directory}`);
  expect([code, stdout]).toEqual([0, expect.stringContaining('the run was killed')]);
  expect(readdirSync(directory), 'the lock of the killed run is stale').not.toContain(lockFile);
  const { run, gate, requirements, totals, ...report } = readReport(directory);
  expect([run.complete, gate.exit_code, totals.fail]).toEqual([false, 130, 0]);
  expect(requirements).toHaveLength(ledger.length);
  expect(totals['not-exercised'], 'a reference gives every means').toBe(0);
  expect(totals.pass).toBeGreaterThanOrEqual(passed);
  expect(report.verdict).toBe(totals.pass > 0 ? 'incomplete' : 'unjudged');
});

it.each([
  ['a violation that was confirmed before the end makes its report end with 1', '[]', 1],
  ['a violation that a waiver may cover does not make its report end with 1', undefined, 130],
] as const)('a killed run: %s', async (_what, given, expected) => {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('inference.model-down-500') });
  const directory = folder();
  const run = `run --control ${controlUrl} --only inference.502.model-down --depth quick --report ${directory}`;
  const waivers = join(folder(), 'waivers.yaml');
  if (given === undefined) await plumbline(`${run} --propose-waivers ${waivers}`);
  const filled = given ?? readFileSync(waivers, 'utf8').replace(/(reason|owner):$/gm, '$1: known');
  writeFileSync(waivers, filled);
  await plumbline(`${run} --waivers ${waivers}`);
  const lines = readFileSync(journal(directory), 'utf8').split('\n');
  writeFileSync(journal(directory), lines.filter((line) => !line.startsWith('{"ended"')).join('\n'));
  rmSync(join(directory, 'report.json'));
  expect((await plumbline(`report --from ${directory} --format json`)).code).toBe(0);
  const { gate, verdict } = readReport(directory);
  expect([verdict, gate.exit_code]).toEqual(['non-conformant', expected]);
});

it('every truncated journal yields a report that knows no more than the whole journal', async () => {
  const { code, directory, report } = await runInto(
    '--reference --depth quick --seed 5 --only {key-info,auth,guardrail-read}.*',
  );
  expect(code).toBe(0);
  const known = new Set(idsWith(report(), 'pass'));
  const lines = readFileSync(journal(directory), 'utf8').split('\n');
  const part = folder();
  for (const share of [0.01, 0.5, 0.99]) {
    const text = lines.slice(0, Math.ceil(lines.length * share)).join('\n');
    writeFileSync(journal(part), text.slice(0, -20));
    expect((await plumbline(`report --from ${part} --format json --quiet`)).code).toBe(0);
    const partial = readReport(part);
    expect(partial.run.complete).toBe(false);
    expect(idsWith(partial, 'pass').filter((id) => !known.has(id))).toEqual([]);
  }
});

it('a finished run is rendered again without changes, in the requested formats', async () => {
  const { directory } = await runInto(short, { everyFormat: true });
  const again = folder();
  const args = `report --from ${join(directory, 'report.json')} --report ${again} --format json,har`;
  expect((await plumbline(args)).code).toBe(0);
  expect(readdirSync(again).sort()).toEqual(['report.json', 'traffic.har']);
  for (const file of readdirSync(again))
    expect(readFileSync(join(again, file), 'utf8')).toBe(readFileSync(join(directory, file), 'utf8'));
});
