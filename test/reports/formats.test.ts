import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
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
});
