import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { publishOnGithub } from '../../cli/publish.js';
import { renderAnnotations } from '../../reports/github-annotations.js';
import { renderMarkdown, summaryBytes } from '../../reports/markdown.js';
import type { Report } from '../../spec/report.js';
import { folder } from '../folders.js';
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

test.each([{}, { GITHUB_ACTIONS: 'false' }, { GITHUB_ACTIONS: '' }])(
  'nothing is written outside GitHub Actions: %j',
  async (env) => {
    const path = summaryFile();
    expect(await publish({ ...env, GITHUB_STEP_SUMMARY: path })).toEqual({ stdout: '', stderr: '' });
    expect(() => readFileSync(path)).toThrow('ENOENT');
  },
);

test('annotations go to standard output and the summary to its file, which is created if missing', async () => {
  const path = summaryFile();
  const { stdout, stderr } = await publish({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path });
  expect(stdout).toBe(renderAnnotations(report));
  expect(stderr).toBe('');
  expect(readFileSync(path, 'utf8')).toBe(renderMarkdown(report));
});

test.each([
  ['a whole line\n', 'a whole line\n'],
  ['a line left open', 'a line left open\n\n'],
])('the summary keeps the earlier content of its file and starts on a new line: %j', async (before, kept) => {
  const path = summaryFile(before);
  await publish({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path });
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

test.each([
  ['a folder', folder, 'EISDIR'],
  ['a file in a folder that is missing', () => join(folder(), 'missing', 'summary.md'), 'ENOENT'],
  ['a file below a file', () => join(summaryFile('x'), 'summary.md'), 'ENOTDIR'],
])(
  'annotations are written although %s cannot hold the summary, and a warning says so',
  async (_name, path, code) => {
    const { stdout, stderr } = await publish({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: path() });
    expect(stdout).toBe(renderAnnotations(report));
    expect(stderr.split('\n')).toHaveLength(2);
    expect(stderr).toContain(code);
  },
);

test('annotations are written without a summary file', async () => {
  expect(await publish({ GITHUB_ACTIONS: 'true' })).toEqual({
    stdout: renderAnnotations(report),
    stderr: '',
  });
});
