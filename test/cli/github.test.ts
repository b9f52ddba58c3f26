import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishOnGithub } from '../../cli/publish.js';
import { renderAnnotations } from '../../reports/github-annotations.js';
import { renderMarkdown, summaryBytes } from '../../reports/markdown.js';
import type { Report } from '../../spec/report.js';
import { folder, makePipe } from '../folders.js';
import { eventfulReport } from '../reports/sample-report.js';

const report = eventfulReport();

function summaryFile(content?: string): string {
  const path = join(folder(), 'summary.md');
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

/** Publishes a report and returns what it writes to both streams. */
async function publish(env: NodeJS.ProcessEnv, of: Report = report) {
  const texts = { stdout: '', stderr: '' };
  const collect = (name: keyof typeof texts) => ({
    write: (text: string) => {
      texts[name] += text;
    },
  });
  await publishOnGithub(of, env, { stdout: collect('stdout'), stderr: collect('stderr') });
  return texts;
}

test.each([{}, { GITHUB_ACTIONS: 'false' }])('nothing is written outside GitHub Actions: %j', async (env) => {
  const path = summaryFile();
  expect(await publish({ ...env, GITHUB_STEP_SUMMARY: path })).toEqual({ stdout: '', stderr: '' });
  expect(() => readFileSync(path)).toThrow('ENOENT');
});

test.each([
  ['is created if missing', undefined, ''],
  ['keeps its earlier content', 'a whole line\n', 'a whole line\n'],
  ['goes on with a new line', 'a line left open', 'a line left open\n\n'],
])('annotations go to standard output and the summary to its file, which %s', async (_what, before, kept) => {
  const path = summaryFile(before);
  const { stdout, stderr } = await publish({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path });
  expect([stdout, stderr]).toEqual([renderAnnotations(report), '']);
  expect(readFileSync(path, 'utf8')).toBe(`${kept}${renderMarkdown(report)}`);
});

test('the earlier content of the summary file counts towards the limit of 1 MiB', async () => {
  const requirements = report.requirements.map((row, nth) => ({
    ...row,
    status: 'inconclusive' as const,
    reason: `${nth} ${'<'.repeat(590)}`,
  }));
  const big = { ...report, requirements };
  expect(Buffer.byteLength(renderMarkdown(big))).toBeGreaterThan(150_000);
  const path = summaryFile(`${'x'.repeat(summaryBytes - 100_001)}\n`);
  const { stderr } = await publish({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path }, big);
  const written = readFileSync(path);
  expect(written.length).toBeLessThan(summaryBytes);
  expect(written.toString('utf8')).toContain('more entries do not fit here');
  expect(stderr).toBe('');
});

test('a full summary file is left as it is, and a warning says so', async () => {
  const full = `${'x'.repeat(summaryBytes - 1_000)}\n`;
  const path = summaryFile(full);
  const { stderr } = await publish({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path });
  expect(readFileSync(path, 'utf8')).toBe(full);
  expect(stderr).toMatch(/^plumbline: .*full.*\n$/);
});

test.each<readonly [string, () => string, words: string]>([
  ['a folder', folder, 'EISDIR'],
  ['a pipe', makePipe, 'it is a pipe'],
  ['a file in a folder that is missing', () => join(folder(), 'missing', 'summary.md'), 'ENOENT'],
])('annotations are written although %s cannot hold the summary, with a warning', async (_, path, words) => {
  const { stdout, stderr } = await publish({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path() });
  expect(stdout).toBe(renderAnnotations(report));
  expect(stderr.split('\n')).toHaveLength(2);
  expect(stderr).toContain(words);
});
