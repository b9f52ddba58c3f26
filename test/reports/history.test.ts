import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendHistory, assertAppendable, buildHistoryEntry, readHistory } from '../../reports/history.js';
import { renderJsonLine } from '../../reports/sanitize.js';
import { UsageError } from '../../spec/thrown.js';
import { folder } from '../folders.js';
import { compileSchema, readSchema } from '../spec/schemas.js';
import { eventfulReport, sampleReport } from './sample-report.js';

function fresh(text?: string): string {
  const file = join(folder(), 'history.ndjson');
  if (text !== undefined) writeFileSync(file, text);
  return file;
}

const entry = buildHistoryEntry(eventfulReport());
const line = `${renderJsonLine(entry)}\n`;

test('a line of a history keeps the ids of requirements by what became of them', () => {
  expect(entry).toMatchObject({
    verdict: 'non-conformant',
    exit_code: 1,
    target: 'http://127.0.0.1:4010/v1',
    seed: -77,
    advisory: ['secrecy.key-echo'],
    ended: 'complete',
  });
  expect(entry.violated).toContain('key-info.usage.nested');
  expect(entry.violated).not.toContain('secrecy.key-echo');
  const inconclusive = ['auth.bearer', 'vault-delete.502.unreachable', 'vault-delete.504.timeout'];
  expect(entry.inconclusive.toSorted()).toEqual(inconclusive);
  // Not selected is not judged, and a later run must not take it for held.
  expect(entry.not_exercised).toContain('guardrail-read.200.read');
  expect(entry.unproven).toBeLessThan(entry.inconclusive.length + entry.not_exercised.length);
});

test.each([
  [130, false, 'interrupted'],
  [5, false, 'suite-failed'],
  [4, false, 'cut-short'],
  [4, true, 'complete'],
])('a line of a history of exit code %d, complete %s, ended as %s', (exitCode, complete, ended) => {
  expect(buildHistoryEntry(sampleReport({ exitCode, complete })).ended).toBe(ended);
});

test('a line of a history is what the schema describes, and every member of it is needed', () => {
  const schema = readSchema('history');
  const validate = compileSchema('history');
  expect(validate(entry), JSON.stringify(validate.errors)).toBe(true);
  for (const name of Object.keys(entry)) expect(validate({ ...entry, [name]: undefined })).toBe(false);
  const optional = ['figures', 'label', 'link'];
  expect([...schema.required, ...optional].sort()).toEqual(Object.keys(schema.properties).sort());
});

test('appending makes the file and adds whole lines, also when many end at once', async () => {
  const file = fresh();
  await Promise.all(Array.from({ length: 40 }, () => appendHistory(file, entry)));
  expect(readFileSync(file, 'utf8')).toBe(line.repeat(40));
});

test('appending begins a new line after one that was cut short', async () => {
  const file = fresh(`${line}{"format":"plumb`);
  await appendHistory(file, entry);
  expect(await readHistory(file)).toMatchObject({ entries: [entry, entry], invalid: [{ line: 2 }] });
});

test.each([
  ['a missing folder', join(folder(), 'nowhere', 'h.ndjson'), 'its folder does not exist'],
  ['a folder', folder(), 'is in the way'],
  ['a file for a folder', join(fresh('x'), 'h.ndjson'), 'a file is in the place of the folder'],
])('%s is told before and after appending', async (_name, file, words) => {
  for (const attempt of [() => assertAppendable(file), () => appendHistory(file, entry)]) {
    const error: unknown = await attempt().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UsageError);
    expect(String(error)).toContain(`${file} cannot be appended to: `);
  }
  await expect(assertAppendable(file)).rejects.toThrow(words);
});

test('a look beforehand leaves nothing behind', async () => {
  const file = fresh();
  await assertAppendable(file);
  await expect(readHistory(file)).rejects.toThrow(UsageError);
});

test.runIf(existsSync('/dev/full'))('a full disk is told', async () => {
  await expect(appendHistory('/dev/full', entry)).rejects.toThrow('the disk is full');
});

test('reading skips lines that are not run records and lists them', async () => {
  const other = JSON.stringify({ ...entry, format: 'plumbline-history/2' });
  const short = JSON.stringify({ ...entry, totals: {} });
  const file = fresh(`\uFEFF${line}\r\n\n[]\nnull\n${other}\n${short}\n${line.slice(0, 40)}\n${line.trim()}`);
  const { entries, invalid } = await readHistory(file);
  expect(entries).toEqual([entry, entry]);
  expect(invalid.map(({ line: number }) => number)).toEqual([4, 5, 6, 7, 8]);
  expect(invalid.at(-1)?.why).toContain('not valid JSON');
  expect(invalid[2]?.why).toContain('/format');
});

test('reading sorts the runs by their start', async () => {
  // A later version may have added a member.
  const early = { ...entry, id: 'early', started_at: '2029-01-01T00:00:00Z', later: 1 };
  const { entries } = await readHistory(fresh(line + JSON.stringify(early)));
  expect(entries.map(({ id }) => id)).toEqual(['early', entry.id]);
});
