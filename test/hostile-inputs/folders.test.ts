import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { compare } from '../../cli/compare.js';
import { report } from '../../cli/report.js';
import { writeAtomically } from '../../reports/atomic-write.js';
import { formats } from '../../reports/formats.js';
import { journalFile, prepareReportDirectory } from '../../reports/report-folder.js';
import { fileOf, folder, makePipe } from '../folders.js';
import { outcomeOf, smallReport } from './readers.js';

const small = fileOf(JSON.stringify(smallReport), 'report.json');

function rendered(directory: string, from = small) {
  return outcomeOf(() => report({ from, report: directory, format: formats, quiet: true, color: false }));
}

const impossible: readonly (readonly [name: string, make: (inside: string) => string, words: string])[] = [
  ['a file', () => fileOf('mine'), 'there is a file of that name'],
  ['below a file', () => join(fileOf('mine'), 'x', 'y'), 'there is a file of that name'],
  ['a link that leads nowhere', (inside) => link('nowhere', inside), 'a link is dangling'],
  ['below such a link', (inside) => join(link('nowhere', inside), 'x'), 'a link is dangling'],
  ['a link to itself', (inside) => link('link', inside), 'a link leads to itself'],
  ['a name of 300 letters', (inside) => join(inside, 'n'.repeat(300)), 'too long'],
  ['a NUL in its name', (inside) => join(inside, 'a\0b'), 'the system refused it'],
  ...(existsSync('/dev/null') ? [['a device', () => '/dev/null', 'a file of that name'] as const] : []),
  // The system calls it missing although its parent exists: a recursive mkdir of Node would use all memory.
  ...(existsSync('/proc/self')
    ? [['below /proc', () => '/proc/self/x/y', 'nothing can be created there'] as const]
    : []),
];

function link(to: string, inside: string): string {
  const path = join(inside, 'link');
  symlinkSync(to, path);
  return path;
}

it.each(impossible)('a --report that is %s is refused in one line', async (_name, make, words) => {
  const directory = make(folder());
  for (const write of [
    () => prepareReportDirectory(directory),
    () => writeAtomically(join(directory, 'report.json'), ''),
  ]) {
    const error = String(await write().catch((thrown: unknown) => thrown));
    expect(error).toMatch(/^UnwritableFile: [^\n]+$/);
    for (const part of [words, '--report']) expect(error).toContain(part);
  }
  expect((await rendered(directory)).code).toBeUndefined();
});

it('a --report that is a link to a folder is written into', async () => {
  const inside = folder();
  mkdirSync(join(inside, 'real'));
  expect((await rendered(link('real', inside))).code).toBe(0);
  expect(readdirSync(join(inside, 'real'))).toContain('report.html');
});

it.each([journalFile, 'report.json'])('a --report with a folder %s is refused and stays', async (name) => {
  const directory = folder();
  mkdirSync(join(directory, name));
  await expect(prepareReportDirectory(directory)).rejects.toThrow(`a folder named ${name} is in the way`);
  expect(existsSync(join(directory, name))).toBe(true);
});

it('links and pipes with the names of reports are replaced, and their targets stay', async () => {
  const directory = folder();
  const outside = fileOf('mine');
  symlinkSync(outside, join(directory, 'report.json'));
  symlinkSync(outside, join(directory, journalFile));
  makePipe(join(directory, 'report.html'));
  (await prepareReportDirectory(directory))[Symbol.dispose]();
  expect(readdirSync(directory)).toEqual([]);
  symlinkSync(outside, join(directory, 'report.json'));
  makePipe(join(directory, 'report.html'));
  expect((await rendered(directory)).code).toBe(0);
  expect(readFileSync(outside, 'utf8')).toBe('mine');
  expect(readFileSync(join(directory, 'report.html'), 'utf8')).toMatch(/^<!doctype html>/);
});

it('no text of a report is used as the name of a file', async () => {
  const climbing = '../../../climbed';
  const hostile = {
    ...smallReport,
    run: { ...smallReport.run, id: climbing, group: climbing, notes: [climbing] },
    target: { ...smallReport.target, base_url: climbing },
  };
  const inside = folder();
  const directory = join(inside, 'a', 'b', 'c', 'd');
  expect((await rendered(directory, fileOf(JSON.stringify(hostile)))).code).toBe(0);
  const made = readdirSync(inside, { recursive: true }).map(String);
  expect(made.filter((name) => name.includes('climbed'))).toEqual([]);
  expect(readdirSync(directory)).toHaveLength(formats.length);
});

const compared = (output: string) =>
  outcomeOf(() => compare({ old: small, new: small, format: 'json', failOn: [], output, color: false }));

it.each(
  impossible.filter(([name]) => name !== 'a file' && name !== 'a device' && !name.startsWith('a link')),
)('an --output that is %s is refused in one line that names the flag', async (_name, make) => {
  const { code, message } = await compared(make(folder()));
  expect([code, message]).toEqual([undefined, expect.stringMatching(/^[^\n]+--output[^\n]+$/)]);
});

it('an --output that is a folder is refused, and a file is replaced', async () => {
  expect((await compared(folder())).message).toContain('a folder named');
  const path = fileOf('before');
  expect((await compared(path)).code).toBe(0);
  expect(readFileSync(path, 'utf8')).toMatch(/^\{/);
  expect(readdirSync(dirname(path))).toEqual(['input']);
});

it.runIf(existsSync('/dev/full'))('an --output that is a device is written into, not replaced', async () => {
  const { code, message } = await compared('/dev/full');
  expect([code, message]).toEqual([undefined, expect.stringContaining('the disk is full')]);
  // A link to it stands for standard output, which is given like that.
  const path = join(folder(), 'null');
  symlinkSync('/dev/null', path);
  expect((await compared(path)).code).toBe(0);
  writeFileSync(path, 'still the device');
  expect(readFileSync(path, 'utf8')).toBe('');
});
