import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folder, root } from '../folders.js';

const writesCommand = `require('node:fs').mkdirSync('dist/cli', { recursive: true });
require('node:fs').writeFileSync('dist/cli/plumbline.js', 'console.log(process.argv.slice(2).join(" "))');`;

/** Makes a checkout that is built by a given script. Returns a function that runs `npm start -- --json` there. */
function checkoutWith(build: string) {
  const checkout = folder();
  mkdirSync(join(checkout, 'cli'));
  cpSync(join(root, 'cli/start.mjs'), join(checkout, 'cli/start.mjs'));
  writeFileSync(join(checkout, 'build.cjs'), build);
  const scripts = { build: 'node build.cjs', start: 'node cli/start.mjs' };
  writeFileSync(join(checkout, 'package.json'), JSON.stringify({ type: 'module', scripts }));
  return () => spawnSync('npm', ['--silent', 'start', '--', '--json'], { cwd: checkout, encoding: 'utf8' });
}

it('npm start builds first where the installation did not, and says nothing of it on standard output', () => {
  const start = checkoutWith(`console.log('built');${writesCommand}`);
  const [first, second] = [start(), start()];
  expect([first.stdout, first.status]).toEqual(['run --reference --json\n', 0]);
  expect(first.stderr).toContain('built');
  expect([second.stdout, second.stderr]).toEqual([first.stdout, '']);
});

it('npm start ends with 5 where the build fails', () => {
  const { status, stdout } = checkoutWith('process.exit(2);')();
  expect([status, stdout]).toEqual([5, '']);
});
