import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from './folders.js';
import { runProgram } from './run-program.js';

const vitest = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');
const file = 'test/recordings/chromium.test.ts';

function runWithoutBrowser(required: string, args: readonly string[]) {
  const own = {
    FORCE_COLOR: '0',
    NO_COLOR: '1',
    PLUMBLINE_CHROMIUM: 'none',
    PLUMBLINE_REQUIRE_BROWSER: required,
  };
  return runProgram(process.execPath, args, { cwd: root, env: { ...process.env, ...own } });
}

it('a run without a browser ends with a list of the tests that were skipped for want of one', async () => {
  const args = [vitest, 'run', '--project', 'unit', '--reporter=dot', file];
  const { code, stdout } = await runWithoutBrowser('', args);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /\n\nSKIPPED 1 test, no browser: PLUMBLINE_CHROMIUM is "none":\n {2}test\/recordings\/chromium\.test\.ts > a recording by Chromium and its traffic through a proxy are judged alike\n$/,
  );
}, 60_000);

it('where a browser is required nothing is skipped, and starting one that is not there fails', async () => {
  const script = `
    const { skipReason, startBrowser } = await import('./test/browser/browser.mjs');
    console.log(skipReason);
    await startBrowser();`;
  const { code, stdout, stderr } = await runWithoutBrowser('1', ['--input-type=module', '-e', script]);
  expect([code, stdout]).toEqual([1, 'undefined\n']);
  expect(stderr).toContain('Could not start a browser: PLUMBLINE_CHROMIUM is "none".');
}, 60_000);
