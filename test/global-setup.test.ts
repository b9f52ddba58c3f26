import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../', import.meta.url));
const vitest = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');
const file = 'test/judge/observed/chromium.test.ts';

/** Runs a test file that needs a browser where there is none. */
function runWithoutBrowser(required: string): Promise<{ code: unknown; stdout: string; output: string }> {
  const env = {
    ...process.env,
    NO_COLOR: '1',
    PLUMBLINE_CHROMIUM: 'none',
    PLUMBLINE_REQUIRE_BROWSER: required,
  };
  const args = [vitest, 'run', '--project', 'unit', '--reporter=dot', file];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, env }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, output: stdout + stderr }),
    );
  });
}

it('a run without a browser ends with a list of the tests that were skipped for want of one', async () => {
  const { code, stdout } = await runWithoutBrowser('');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /\n\nSKIPPED 1 test, no browser: PLUMBLINE_CHROMIUM is "none":\n {2}test\/judge\/observed\/chromium\.test\.ts > what Chromium records of the reference is judged\n$/,
  );
}, 60_000);

it('a run without a browser fails where one is required', async () => {
  const { code, output } = await runWithoutBrowser('1');
  expect(code).toBe(1);
  expect(output).toContain('Could not start a browser: PLUMBLINE_CHROMIUM is "none".');
  expect(output).not.toContain('SKIPPED');
}, 60_000);
