import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writeFormats } from '../../reports/formats.js';
import type { Report } from '../../spec/report.js';
import { eventfulReport, sampleReport } from './sample-report.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumbline-formats-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Writes report.json alone. */
async function writeJson(report: Report, directory: string): Promise<string> {
  const [path = ''] = await writeFormats({ report, traffic: { exchanges: [], sent: 0 } }, directory, [
    'json',
  ]);
  return path;
}

describe('a report as JSON', () => {
  test('writes the whole report into a folder that it makes, and nothing else', async () => {
    const directory = join(folder, 'a', 'b');
    const path = await writeJson(eventfulReport(), directory);
    expect(path).toBe(join(directory, 'report.json'));
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual(eventfulReport());
    expect(await readdir(directory)).toEqual(['report.json']);
  });

  test('replaces an earlier report, and leaves other files alone', async () => {
    await writeFile(join(folder, 'mine.txt'), 'mine');
    await writeJson(eventfulReport(), folder);
    await writeJson(sampleReport(), folder);
    expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toEqual(sampleReport());
    expect((await readdir(folder)).sort()).toEqual(['mine.txt', 'report.json']);
  });

  test('many at once leave one whole report', async () => {
    await Promise.all(Array.from({ length: 20 }, () => writeJson(eventfulReport(), folder)));
    expect(JSON.parse(await readFile(join(folder, 'report.json'), 'utf8'))).toEqual(eventfulReport());
    expect(await readdir(folder)).toEqual(['report.json']);
  });

  test('says what to do where a folder is in the way of the file, and cleans up', async () => {
    await mkdir(join(folder, 'report.json', 'inner'), { recursive: true });
    await expect(writeJson(sampleReport(), folder)).rejects.toThrow(
      /^.+report\.json was not written: a folder named report\.json is in the way; remove it, or give --report another folder\.$/,
    );
    expect(await readdir(folder)).toEqual(['report.json']);
  });

  test.each([
    ['is the folder', 'taken'],
    ['is above the folder', join('taken', 'below')],
  ])('says what to do where a file %s', async (_name, directory) => {
    await writeFile(join(folder, 'taken'), '');
    await expect(writeJson(sampleReport(), join(folder, directory))).rejects.toThrow(
      /^.+ was not written: a file is in the place of the folder; remove it, or give --report another folder\.$/,
    );
  });

  test('says what the disk said where it has no words of its own for it', async () => {
    await expect(writeJson(sampleReport(), join(folder, 'a\0b'))).rejects.toThrow(
      /the system refused it \(ERR_INVALID_ARG_VALUE\); give --report a folder that can be written to\.$/,
    );
  });
});
