import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import type { Report } from '../../../spec/report.js';
// It refuses where the build is older than the sources.
import { command } from '../../cli/plumbline-process.js';

const render = `
  import { readFileSync } from 'node:fs';
  const { renderHtml } = await import(process.argv[1]);
  process.stdout.write(JSON.parse(readFileSync(0, 'utf8')).map((report) => renderHtml(report, { directory: 'my report' })).join('\\0'));
`;

/** The pages of reports as the build renders them: it is the build's script that users get. */
export function builtPages(reports: readonly Report[]): readonly string[] {
  const page = new URL('../reports/html/page.js', `file://${command}`).href;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', render, page], {
    input: JSON.stringify(reports),
    encoding: 'utf8',
    maxBuffer: 100 * 1024 * 1024,
  });
  expect(stderr).toBe('');
  return stdout.split('\0');
}
