import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exitCodes } from '../../spec/exit-codes.js';
import { ledger } from '../../spec/ledger.js';
import { folder, plumbline, readReport, removeFolders, start } from '../cli/plumbline-process.js';

// Fifty by hand: PLUMBLINE_KILLS=50 npx vitest run --project thorough test/hostile/killed.test.ts
const kills = Number(process.env.PLUMBLINE_KILLS ?? 5);
const run = ['run', '--reference', '--depth', 'quick', '--seed', '5'];
const one = ['--only', 'key-info.200.read', '--format', 'json', '--quiet'];

afterAll(removeFolders);

let wholeMs = 0;
beforeAll(async () => {
  const { code, ms } = await plumbline([...run, '--report', folder()], { everyFormat: true });
  expect(code).toBe(0);
  wholeMs = ms;
}, 30_000);

/** Kills a run at a moment, a part of the time that a whole one takes. */
async function killedAt(part: number, directory: string): Promise<void> {
  const running = start([...run, '--report', directory], { everyFormat: true });
  await sleep(part * wholeMs);
  running.child.kill('SIGKILL');
  await running.ended;
}

/** Every file of a report that is there is whole; only the journal may end in the middle of a line. */
function expectWholeFiles(directory: string): void {
  for (const file of readdirSync(directory)) {
    const text = readFileSync(join(directory, file), 'utf8');
    if (/\.(?:json|sarif|har)$/.test(file)) JSON.parse(text);
    if (file.endsWith('.xml')) expect(text.trimEnd()).toMatch(/<\/testsuites>$/);
    if (file.endsWith('.html')) expect(text.trimEnd()).toMatch(/<\/html>$/);
    if (file === 'journal.ndjson') for (const line of text.split('\n').slice(0, -1)) JSON.parse(line);
  }
}

it.each(Array.from({ length: kills }, (_, at) => ({ part: (at + Math.random()) / kills })))(
  'killed at $part of its time: what is left is whole, says that it is partial, and harms no other run',
  async ({ part }) => {
    const directory = folder();
    await killedAt(part, directory);
    expectWholeFiles(directory);
    const rendered = await plumbline(['report', '--from', directory, '--format', 'json', '--quiet']);
    // Killed before it had begun its journal, it left nothing to tell of.
    if (readdirSync(directory).includes('report.json')) {
      expect(rendered.code, rendered.stderr).toBe(0);
      const {
        run: told,
        gate,
        requirements,
        totals,
      } = JSON.parse(readFileSync(join(directory, 'report.json'), 'utf8')) as ReturnType<typeof readReport>;
      expect(requirements).toHaveLength(ledger.length);
      expect(totals.fail).toBe(0);
      if (!told.complete) {
        expect(gate.exit_code).toBe(exitCodes.interrupted);
        expect(told.notes.join()).toContain('the run was killed');
      }
    } else expect(rendered.code).toBe(2);
    const next = await plumbline(['run', '--reference', ...one, '--report', directory]);
    expect(next.code, next.stderr).toBe(0);
    const { run: whole, totals } = readReport(directory);
    expect([whole.complete, totals.pass]).toEqual([true, 1]);
    // Nothing of the killed run stays, a file that was half written least of all.
    expect(readdirSync(directory).sort()).toEqual(['journal.ndjson', 'report.json']);
  },
);
