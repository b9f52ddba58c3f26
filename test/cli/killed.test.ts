import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lockFile } from '../../reports/report-folder.js';
import { ledger } from '../../spec/ledger.js';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { idsWith } from '../report-rows.js';
import { serveReference } from '../servers.js';
import { plumbline, readReport, runInto, start } from './plumbline-process.js';

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
  const run = `run --control ${controlUrl} --only inference.502.model-down --report ${directory}`;
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
  const { code, directory, report } = await runInto('--reference --depth quick --seed 5');
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
