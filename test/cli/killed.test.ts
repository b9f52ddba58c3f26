import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lockFile } from '../../reports/report-folder.js';
import { ledger } from '../../spec/ledger.js';
import { folder } from '../folders.js';
import { idsWith, plumbline, readReport, start } from './plumbline-process.js';
import { behaveAsMutant, serveReference } from './servers.js';

const journal = (directory: string): string => join(directory, 'journal.ndjson');

/** Kills a run once its journal contains a whole line and this text; returns its folder. */
async function killRun(text: string): Promise<string> {
  const directory = folder();
  const running = start(['run', '--reference', '--seed', '5', '--concurrency', '2', '--report', directory]);
  const written = () => (existsSync(journal(directory)) ? readFileSync(journal(directory), 'utf8') : '');
  // A journal without a whole first line does not even identify its run.
  for (let held = written(); !held.includes(text) || !held.includes('\n'); held = written()) await sleep(5);
  running.child.kill('SIGKILL');
  await running.ended;
  return directory;
}

it.each([
  ['with its first line', '\n', 0],
  ['when a check has passed', '"outcome":"pass"', 1],
])('the report of a run that is killed %s contains what was known by then', async (_when, text, passed) => {
  const directory = await killRun(text);
  expect(readdirSync(directory).sort()).toEqual([lockFile, 'journal.ndjson']);
  const { code, stdout } = await plumbline(['report', '--from', directory]);
  expect(code).toBe(0);
  expect(stdout).toContain('the run was killed');
  const report = readReport(directory);
  expect(report.run.complete).toBe(false);
  expect(report.gate.exit_code).toBe(130);
  expect(report.requirements).toHaveLength(ledger.length);
  expect(report.totals.fail).toBe(0);
  expect(idsWith(report, 'not-exercised'), 'a reference gives every means').toEqual([]);
  expect(report.totals.pass).toBeGreaterThanOrEqual(passed);
  expect(report.verdict).toBe(report.totals.pass > 0 ? 'incomplete' : 'unjudged');
});

it.each([
  ['a violation that was confirmed before the end makes its report end with 1', '[]', 1],
  ['a violation that a waiver may cover does not make its report end with 1', undefined, 130],
] as const)('a killed run: %s', async (_what, given, expected) => {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('inference.model-down-500') });
  const directory = folder();
  const run = ['run', '--control', controlUrl, '--only', 'inference.502.model-down', '--report', directory];
  const waivers = join(folder(), 'waivers.yaml');
  if (given === undefined) await plumbline([...run, '--propose-waivers', waivers]);
  const filled = given ?? readFileSync(waivers, 'utf8').replace(/(reason|owner):$/gm, '$1: known');
  writeFileSync(waivers, filled);
  await plumbline([...run, '--waivers', waivers]);
  const lines = readFileSync(journal(directory), 'utf8').split('\n');
  writeFileSync(journal(directory), lines.filter((line) => !line.startsWith('{"ended"')).join('\n'));
  rmSync(join(directory, 'report.json'));
  expect((await plumbline(['report', '--from', directory, '--format', 'json'])).code).toBe(0);
  const { gate, verdict } = readReport(directory);
  expect([verdict, gate.exit_code]).toEqual(['non-conformant', expected]);
});

it('every truncated journal yields a report that knows no more than the whole journal', async () => {
  const directory = folder();
  const { code } = await plumbline([
    ...'run --reference --depth quick --seed 5 --report'.split(' '),
    directory,
  ]);
  expect(code).toBe(0);
  const whole = readReport(directory);
  const lines = readFileSync(journal(directory), 'utf8').split('\n');
  const part = folder();
  for (const share of [0.01, 0.3, 0.7, 0.99]) {
    const text = lines.slice(0, Math.ceil(lines.length * share)).join('\n');
    writeFileSync(journal(part), `${text.slice(0, -20)}`);
    expect((await plumbline(['report', '--from', part, '--format', 'json', '--quiet'])).code).toBe(0);
    const partial = JSON.parse(readFileSync(join(part, 'report.json'), 'utf8')) as typeof whole;
    expect(partial.run.complete).toBe(false);
    const held = new Set(idsWith(whole, 'pass'));
    expect(idsWith(partial, 'pass').filter((id) => !held.has(id))).toEqual([]);
  }
});

it('a finished run is rendered again without changes, in the requested formats', async () => {
  const directory = folder();
  const again = folder();
  await plumbline(
    ['run', '--reference', '--only', 'key-info.200.read', '--depth', 'quick', '--report', directory],
    {
      everyFormat: true,
    },
  );
  const { code } = await plumbline([
    'report',
    '--from',
    join(directory, 'report.json'),
    '--report',
    again,
    '--format',
    'json,har',
  ]);
  expect(code).toBe(0);
  expect(readdirSync(again).sort()).toEqual(['report.json', 'traffic.har']);
  for (const file of readdirSync(again))
    expect(readFileSync(join(again, file), 'utf8')).toBe(readFileSync(join(directory, file), 'utf8'));
});

it('a report of an earlier run is not taken for that of a killed run', async () => {
  const directory = folder();
  await plumbline([
    ...'run --reference --only key-info.200.read --depth quick --report'.split(' '),
    directory,
  ]);
  const running = start(['run', '--reference', '--report', directory]);
  const before = readFileSync(journal(directory), 'utf8');
  while (!existsSync(journal(directory)) || readFileSync(journal(directory), 'utf8') === before)
    await sleep(5);
  running.child.kill('SIGKILL');
  await running.ended;
  expect(existsSync(join(directory, 'report.json'))).toBe(false);
});
