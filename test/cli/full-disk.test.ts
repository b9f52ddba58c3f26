import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { folder } from '../folders.js';
import { type ProgramEnd, runProgram } from '../run-program.js';
import { serveReference } from '../servers.js';
import { runAtMostMs } from './command-runner.js';
import { command, expectNoStack, plumbline } from './plumbline-process.js';
import { readWritten } from './secret-search.js';

/** Runs the command with a limit on the size of files, as on a disk that fills up. */
async function withinKilobytes(limit: number, args: string): Promise<ProgramEnd> {
  const shell = `ulimit -f ${limit}; exec "$0" "$@"`;
  const words = ['-c', shell, process.execPath, command, ...args.split(' ')];
  const ended = await runProgram('bash', words, { timeout: runAtMostMs });
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
