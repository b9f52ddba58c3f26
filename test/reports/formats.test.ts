import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFormats } from '../../reports/formats.js';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
import { eventfulReport, sampleReport } from './sample-report.js';

async function writeJson(report: Report, directory: string): Promise<string> {
  const traffic = { exchanges: [], sent: 0 };
  const [path = ''] = await writeFormats({ report, traffic }, directory, ['json']);
  return path;
}

test('many reports that are written at once leave one whole report', async () => {
  const directory = folder();
  await Promise.all(Array.from({ length: 20 }, () => writeJson(eventfulReport(), directory)));
  expect(JSON.parse(await readFile(join(directory, 'report.json'), 'utf8'))).toEqual(eventfulReport());
  expect(await readdir(directory)).toEqual(['report.json']);
});

test('writing a report says what to do where a folder is in the way of the file, and cleans up', async () => {
  const directory = folder();
  await mkdir(join(directory, 'report.json', 'inner'), { recursive: true });
  await expect(writeJson(sampleReport(), directory)).rejects.toThrow(
    /^.+report\.json was not written: a folder named report\.json is in the way; remove it, or give --report another folder\.$/,
  );
  expect(await readdir(directory)).toEqual(['report.json']);
});
