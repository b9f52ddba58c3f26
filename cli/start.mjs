// What `npm start` runs. npm builds nothing on installation where its `ignore-scripts` is set.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const command = new URL('../dist/cli/plumbline.js', import.meta.url);

function build() {
  const root = fileURLToPath(new URL('..', import.meta.url));
  // What is built goes to standard error: `--json` needs standard output.
  return spawnSync('npm run build', { cwd: root, shell: true, stdio: ['ignore', 2, 2] }).status ?? 1;
}

const status = existsSync(command) ? 0 : build();
if (status === 0) {
  process.argv.splice(2, 0, 'run', '--reference');
  await import(command.href);
} else process.exitCode = 5;
