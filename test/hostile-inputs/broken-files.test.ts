import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileOf, folder, makePipe } from '../folders.js';
import { outcomeOf, readers, refusalOf } from './readers.js';

function makeSparse(path: string, start: string): string {
  writeFileSync(path, start);
  truncateSync(path, 600_000_000);
  return path;
}

function linkToItself(): string {
  const path = join(folder(), 'link');
  symlinkSync(path, path);
  return path;
}

const missing = /does not exist|cannot be read/;
const noText = /UTF-8|not a run record|not a recording/;
const noData = /no(?:t valid)? JSON|no run|not a recording|must be a (mapping|list)/;

/** Files that no reader can read, and the words of the refusal. */
const unreadable: readonly (readonly [name: string, make: (taken: string) => string, words: RegExp])[] = [
  ['a folder', folder, /is a folder|does not exist/],
  ['a missing file', () => join(folder(), 'none'), missing],
  ['a path below a file', () => join(fileOf('x'), 'none'), missing],
  ['a name of 5,000 letters', () => join(folder(), 'n'.repeat(5_000)), missing],
  ['a link to itself', linkToItself, /is a link to itself|cannot be read/],
  ['an empty file', () => fileOf(''), /empty|not valid JSON|holds no value/],
  ['a file of all bytes', () => fileOf(everyByte), noText],
  ['a file of NUL bytes', () => fileOf('\0'.repeat(5_000)), noData],
  ['a file in UTF-16', (taken) => fileOf(Buffer.from(`\uFEFF${taken}`, 'utf16le')), noText],
  ['a pipe that nobody writes into', () => makePipe(), /a pipe|is empty/],
];

const everyByte = Uint8Array.from({ length: 4_096 }, (_, at) => (at * 7_919) % 256);
// Any text is a stored value, and an empty history is valid.
const takesAnyText = ['observe --canary-file'];
const taking: Readonly<Record<string, readonly string[]>> = {
  'a file of NUL bytes': takesAnyText,
  'an empty file': ['trend'],
};

// These read like another reader, which alone is tested with what takes long.
const alike = ['compare, new', 'merge', 'observe, lines'];
const unlike = Object.entries(readers).filter(([name]) => !alike.includes(name));

describe.each(Object.entries(readers))('%s', (name, { read, taken }) => {
  it('a reader accepts a valid file, with and without a byte order mark', async () => {
    for (const text of [taken, `\uFEFF${taken}`]) {
      const { code, message } = await outcomeOf(() => read(fileOf(text)));
      expect(message).toBe('');
      expect([0, 1, 4]).toContain(code);
    }
  });

  it.each(unreadable.filter(([shape]) => !(taking[shape] ?? []).includes(name)))(
    'a reader refuses %s',
    async (_shape, make, words) => {
      expect(await refusalOf(read, make(taken))).toMatch(words);
    },
  );
});

it.each(unlike)('%s refuses an endless file and a huge one', async (name, { read, taken }) => {
  expect(await refusalOf(read, '/dev/zero')).toMatch(/is larger than|not a recording/);
  // A recording may be of any length; it is read in pieces.
  if (name.startsWith('observe') && !takesAnyText.includes(name)) return;
  const before = process.memoryUsage.rss();
  expect(await refusalOf(read, makeSparse(fileOf(''), taken))).toMatch(/is larger than \d+ MB/);
  expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
});

const nesting = unlike.filter(([name]) => !takesAnyText.includes(name));
it.each(nesting)('%s quickly refuses deeply nested data', async (name, { read }) => {
  // The tokens of YAML are read before their depth is known, which takes a second for 100,000.
  const depth = name.startsWith('run') ? 10_000 : 100_000;
  const deep = '['.repeat(depth) + ']'.repeat(depth);
  const log = `{"log":${deep}}`;
  const format = `{"format":"plumbline-report/1","z":${deep}}`;
  for (const text of [deep, log, format, '{"a":'.repeat(depth)]) await refusalOf(read, fileOf(text));
});

it.each<readonly [what: string, name: string, make: (path: string) => unknown, words: RegExp]>([
  ['report is a folder', 'report.json', (path) => mkdirSync(path), /is a folder|does not exist/],
  ['journal is a folder', 'journal.ndjson', (path) => mkdirSync(path), /is a folder|does not exist/],
  ['report is a pipe', 'report.json', makePipe, /is a pipe/],
  ['journal is a pipe', 'journal.ndjson', makePipe, /is a pipe/],
  [
    'journal is too large for a run to have written',
    'journal.ndjson',
    (path) => makeSparse(path, ''),
    /journal\.ndjson is larger than 100 MB/,
  ],
])('a report folder is refused if its %s', async (_what, name, make, words) => {
  const path = folder();
  make(join(path, name));
  expect(await refusalOf(readers['report --from'].read, path)).toMatch(words);
});

it('a recording is read from a pipe while somebody writes it', async () => {
  const path = makePipe();
  const { read, taken } = readers.observe;
  // Open for reading and writing, so that neither end waits for the other.
  const shell = `exec 3<>"$0"; printf %s "$1" >&3; sleep 0.3; printf %s "$2" >&3; exec 3>&-`;
  const writer = spawn('sh', ['-c', shell, path, taken.slice(0, 100), taken.slice(100)]);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { code, message } = await outcomeOf(() => read(path));
  writer.kill();
  expect([message, [0, 4].includes(code ?? -1)]).toEqual(['', true]);
});
