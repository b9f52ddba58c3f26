import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lockFile, lockFolder } from '../../reports/report-folder.js';
import { fileOf, folder } from '../folders.js';
import { plumbline, readReport, runInto, start, waitForJournal } from './plumbline-process.js';

const few = '--reference --only key-info.200.read --depth quick';
const short = `run ${few} --quiet --report`;

/** Writes a lock of another machine that was last updated this many seconds ago. */
function lockOfOtherMachine(directory: string, secondsAgo: number, text?: string): void {
  const path = join(directory, lockFile);
  const holder = { id: '1', pid: 1, place: 'build-7', since: '2026-01-01T00:00:00.000Z' };
  writeFileSync(path, text ?? JSON.stringify(holder));
  const seen = new Date(Date.now() - secondsAgo * 1_000);
  utimesSync(path, seen, seen);
}

it('a second run into a folder ends with 2 and names the first, which goes on', async () => {
  const directory = folder();
  const first = start(`run --reference --report ${directory}`);
  await waitForJournal(directory);
  const second = await plumbline(`${short} ${directory}`);
  expect([second.code, second.stdout]).toEqual([2, '']);
  expect(second.stderr).toMatch(
    /^plumbline: .+ is in use: process \d+ on \S+ \(since 2.+Z\) is writing reports there\. Wait until it ends, or give --report another folder; .+\n$/,
  );
  expect(second.stderr).toContain(`process ${first.child.pid} on ${hostname()}`);
  first.child.kill('SIGINT');
  expect((await first.ended).code).toBe(130);
  expect(readReport(directory).gate.exit_code).toBe(130);
});

it('one of many runs that start at once in one folder goes on', async () => {
  const directory = folder();
  const runs = Array.from({ length: 3 }, () => start(`run --reference --report ${directory}`));
  const codes: (number | null)[] = [];
  const all = runs.map(async ({ ended }) => codes.push((await ended).code));
  while (codes.length < 2) await sleep(20);
  for (const { child } of runs) child.kill('SIGINT');
  await Promise.all(all);
  expect(codes).toEqual([2, 2, 130]);
  expect(readReport(directory).gate.exit_code).toBe(130);
});

it('a lock is stale if its pid now belongs to another process, which does not update it', async () => {
  const directory = folder();
  const path = join(directory, lockFile);
  lockFolder(directory);
  const seen = new Date(Date.now() - 60_000);
  utimesSync(path, seen, seen);
  expect((await plumbline(`${short} ${directory}`)).code).toBe(0);
});

it.each([
  ['of another machine', undefined],
  ['that is cut short', '{"pid":'],
])('a lock %s holds until its process stops updating it', async (_name, text) => {
  const directory = folder();
  lockOfOtherMachine(directory, 20, text);
  expect((await plumbline(`${short} ${directory}`)).code).toBe(2);
  lockOfOtherMachine(directory, 60, text);
  expect((await plumbline(`${short} ${directory}`)).code).toBe(0);
  expect(readdirSync(directory)).toEqual(['journal.ndjson', 'report.json']);
});

it('every command that writes reports refuses a folder that another process writes into', async () => {
  const shard = (await runInto(few)).directory;
  const directory = folder();
  const lock = lockFolder(directory);
  const recording = fileOf(
    '{"method":"GET","url":"http://api.example.test/v1/key","status":401,"response_headers":{"content-type":"application/json"},"response_body":{"error":{"code":401,"message":"x"}}}\n',
  );
  const commands = [
    `merge ${shard}`,
    `report --from ${shard}`,
    'prove --only key-info.figures-of-member --depth quick',
    `observe ${recording}`,
  ];
  for (const args of commands) {
    const { code, stderr } = await plumbline(`${args} --report ${directory}`);
    expect([args, code, stderr]).toEqual([args, 2, expect.stringContaining(' is in use: process ')]);
  }
  lock[Symbol.dispose]();
  for (const args of commands) {
    const { code } = await plumbline(`${args} --report ${directory}`);
    expect([args, code]).not.toEqual([args, 2]);
    expect(readdirSync(directory)).not.toContain(lockFile);
  }
});
