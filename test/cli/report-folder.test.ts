import { existsSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { lockFile, lockFolder } from '../../reports/report-folder.js';
import { behaveAsMutant } from '../behaviours.js';
import { fileOf, folder } from '../folders.js';
import { type ProgramEnd, runProgram } from '../run-program.js';
import { serveReference } from '../servers.js';
import { maxRunMs } from './command-runner.js';
import {
  command,
  expectNoStack,
  plumbline,
  readReport,
  runInto,
  start,
  waitForJournal,
} from './plumbline-process.js';
import { readWritten } from './secret-search.js';

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

it('one of two runs that start at once in one folder goes on', async () => {
  const directory = folder();
  const runs = Array.from({ length: 2 }, () => start(`run --reference --report ${directory}`));
  const codes: (number | null)[] = [];
  const all = runs.map(async ({ ended }) => codes.push((await ended).code));
  while (codes.length < 1) await sleep(20);
  for (const { child } of runs) child.kill('SIGINT');
  await Promise.all(all);
  expect(codes).toEqual([2, 130]);
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

/** Runs the command with a limit on the size of files, as on a disk that fills up. */
async function withinKilobytes(limit: number, args: string): Promise<ProgramEnd> {
  const shell = `ulimit -f ${limit}; exec "$0" "$@"`;
  const words = ['-c', shell, process.execPath, command, ...args.split(' ')];
  const ended = await runProgram('bash', words, { timeout: maxRunMs });
  expectNoStack(ended);
  return ended;
}

const quickRun = 'run --reference --only key-info.200.read --depth quick --report';
const isReport = (name: string): boolean => name !== 'journal.ndjson';
// Large enough for report.json and for most other formats, too small for the page and the traffic.
const tooSmallForPage = 160;

it('a run without violations ends with 5 and writes no report if the disk is full', async () => {
  const directory = folder();
  const history = join(folder(), 'history.ndjson');
  const args = `${quickRun} ${directory} --history ${history} --format json,html`;
  const { code, stdout, stderr } = await withinKilobytes(tooSmallForPage, args);
  expect(code).toBe(5);
  expect(readdirSync(directory).filter(isReport)).toEqual([]);
  expect(stderr).toMatch(
    /^plumbline: .*report\.html was not written: the file is larger than allowed .+ raise the limit/m,
  );
  expect(stdout).toContain('The suite itself failed');
  expect(stdout).not.toContain('Reports:');
  expect(existsSync(history)).toBe(false);
});

it('a run with a violation ends with 1 although the disk is full', async () => {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('key-info.figures-of-member') });
  const directory = folder();
  const only = '--only key-info.200.own-figures --depth quick --quiet --format json,html';
  const args = `run --control ${controlUrl} ${only} --report ${directory}`;
  const { code, stdout } = await withinKilobytes(tooSmallForPage, args);
  expect([code, stdout]).toEqual([1, 'non-conformant (no report was written)\n']);
  expect(readdirSync(directory).filter(isReport)).toEqual([]);
});

it('reports of an earlier run stay as they were if the disk is full when they are rendered again', async () => {
  const directory = folder();
  expect((await plumbline(`${quickRun} ${directory} --format json,html`)).code).toBe(0);
  const before = readWritten(directory);
  const again = `report --from ${directory} --format json,html`;
  expect((await withinKilobytes(tooSmallForPage, again)).code).toBe(2);
  expect(readWritten(directory)).toEqual(before);
});

it('a journal does not exist if its first line could not be written whole', async () => {
  const directory = folder();
  expect((await withinKilobytes(8, `${quickRun} ${directory} --format json`)).code).toBe(5);
  expect(readdirSync(directory)).toEqual([]);
});
