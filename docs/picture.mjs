// Renews report.png: the report of a server that lets a secret go through another intern, as a browser shows it.
// Needs a build.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { startBrowser } from '../test/browser/browser.mjs';

const command = fileURLToPath(new URL('../dist/cli/plumbline.js', import.meta.url));
const picture = fileURLToPath(new URL('report.png', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'plumbline-picture-'));
const mutant = 'vault-delete.sibling-secret-through-own';

const server = spawn(process.execPath, [command, 'serve', '--port', '0', '--mutant', mutant], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const control = await printedUrl(server);
  const args = ['run', '--control', control, '--seed', '7'];
  const { status } = spawnSync(process.execPath, [command, ...args], { stdio: 'inherit', cwd: folder });
  if (status !== 1) throw new Error(`The run ended with ${status}; a picture of a violation needs 1.`);
  await photograph(join(folder, 'plumbline-report/report.html'));
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}

async function printedUrl({ stdout }) {
  let text = '';
  for await (const chunk of stdout) {
    text += chunk;
    const url = /control URL\s+(\S+)\n/.exec(text)?.[1];
    if (url !== undefined) return url;
  }
  throw new Error('The server ended before it told its address.');
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
