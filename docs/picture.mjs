// Renews report.png: the report of a server that lets a secret go through another intern, as a browser shows it.
// Needs a build.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { referenceServer } from '../dist/reference/reference-server.js';
import { startBrowser } from '../test/browser/browser.mjs';

const command = fileURLToPath(new URL('../dist/cli/plumbline.js', import.meta.url));
const picture = fileURLToPath(new URL('report.png', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plumbline-picture-'));
const mutant = 'vault-delete.sibling-secret-through-own';

const server = referenceServer({ mutant }).listen(0, '127.0.0.1');
await once(server, 'listening');
try {
  const args = ['run', '--control', `http://127.0.0.1:${server.address().port}/control`, '--seed', '7'];
  const run = spawn(process.execPath, [command, ...args], { stdio: 'inherit', cwd: folder });
  const [status] = await once(run, 'close');
  if (status !== 1) throw new Error(`The run ended with ${status}; a picture of a violation needs 1.`);
  await photograph(join(folder, 'plumbline-report/report.html'));
} finally {
  server.close();
  rmSync(folder, { recursive: true });
}

async function photograph(page) {
  const browser = await startBrowser();
  try {
    const tab = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: 'light' });
    await tab.goto(pathToFileURL(page).href);
    await tab.screenshot({ path: picture });
  } finally {
    await browser.close();
  }
}
