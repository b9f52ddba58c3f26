// Finds and starts the Chromium for the tests and for docs/picture.mjs, which plain Node runs: hence no TypeScript.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('../../', import.meta.url));
const installedPlaces = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const named = process.env.PLUMBLINE_CHROMIUM;
// The Chromium from npm is a Linux x64 program that links against glibc.
const canRunPackaged =
  process.platform === 'linux' && process.arch === 'x64' && existsSync('/lib64/ld-linux-x86-64.so.2');
const installed = named ?? installedPlaces.find((place) => existsSync(place));

function findProblem() {
  if (named === 'none') return 'PLUMBLINE_CHROMIUM is "none"';
  if (named !== undefined || canRunPackaged || installed !== undefined) return undefined;
  return `no Chromium at ${installedPlaces.join(', ')}; install it, or name it in PLUMBLINE_CHROMIUM`;
}

const problem = findProblem();

export const skipReason =
  problem === undefined || process.env.PLUMBLINE_REQUIRE_BROWSER ? undefined : `no browser: ${problem}`;

export async function startBrowser() {
  if (problem !== undefined) throw new Error(`Could not start a browser: ${problem}.`);
  if (named === undefined && canRunPackaged) return startPackaged();
  if (!existsSync(installed)) throw new Error(`PLUMBLINE_CHROMIUM: no file at ${installed}.`);
  return chromium.launch({ executablePath: installed, args: ['--no-sandbox'] });
}

async function startPackaged() {
  const folder = await unpackOnce();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: ['--no-sandbox'],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  });
}

/** Unpacks the Chromium from npm, 200 MB, into node_modules, where `npm ci` removes it. Returns its folder. */
async function unpackOnce() {
  const { version } = JSON.parse(readFileSync(join(root, 'node_modules/@sparticuz/chromium/package.json')));
  const cache = join(root, 'node_modules/.cache/plumbline');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const unpacking = mkdtempSync(`${folder}-`);
  try {
    // The package unpacks to the temporary folder, and takes what is there as complete. Only where it finds itself on
    // AWS Lambda does it bring its own libraries.
    const env = { ...process.env, TMPDIR: unpacking, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' };
    const unpack = fileURLToPath(new URL('unpack.mjs', import.meta.url));
    await promisify(execFile)(process.execPath, [unpack], { env });
    writeFileSync(join(unpacking, 'fonts.conf'), fontConfiguration);
    renameSync(unpacking, folder);
  } catch (error) {
    rmSync(unpacking, { recursive: true, force: true });
    // Another worker was faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The fonts of the machine, and those of the package, which names /tmp/fonts in its own configuration. */
const fontConfiguration = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir prefix="relative">fonts</dir>
</fontconfig>
`;
