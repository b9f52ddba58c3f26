// Has programs that are too large to be dependencies read the reports of a run that found violations. Each must also refuse a
// broken file: one that refuses nothing shows nothing.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { referenceServer } from '../dist/reference/reference-server.js';

const command = 'dist/cli/plumbline.js';
const folder = mkdtempSync(join(tmpdir(), 'read-reports-'));

/** Runs a program to its end. */
function run(program, args, env = {}) {
  return new Promise((resolve) => {
    execFile(program, args, { env: { ...process.env, ...env }, timeout: 120_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, text: `${stdout}${stderr}` }),
    );
  });
}

/** Judges a mutant into the folder of the reports. */
async function judgeMutant() {
  const server = referenceServer({ mutant: 'auth.disabled-key-deletes' }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const control = `http://127.0.0.1:${server.address().port}/control`;
  const flags = ['--control', control, '--depth', 'quick', '--report', folder, '--no-color'];
  const { code, text } = await run(process.execPath, [command, 'run', ...flags]);
  server.close();
  if (code !== 1) throw new Error(`The run of a mutant ended with ${code}:\n${text}`);
}

/** Writes a copy of a report with something essential missing, and returns its path. */
function breakReport(name, change) {
  const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
  change(report);
  const path = join(folder, `broken-${name}`);
  writeFileSync(path, JSON.stringify(report));
  return path;
}

/** Returns what a validator of SARIF finds wrong. It ends with 0 whatever it finds. */
async function validateSarif(path) {
  const log = `${path}.log`;
  const asked = ['validate', path, '--output', log, '--log', 'ForceOverwrite'];
  const { code, text } = await run('npx', ['--yes', '@microsoft/sarif-multitool@5.7.0', ...asked]);
  if (code !== 0) throw new Error(`sarif-multitool ended with ${code}:\n${text}`);
  const [{ results }] = JSON.parse(readFileSync(log, 'utf8')).runs;
  return results
    .filter(({ level }) => level !== 'note')
    .map(({ ruleId, message }) => `${ruleId} ${message.id}`);
}

/** Returns what a reader of CTRF says where it fails, or does not annotate the test that failed. */
async function annotateCtrf(path) {
  const summary = `${path}.md`;
  writeFileSync(summary, '');
  const surroundings = { GITHUB_REPOSITORY: 'owner/name', GITHUB_STEP_SUMMARY: summary };
  const asked = ['--yes', 'github-actions-ctrf@0.0.58', 'annotate', path];
  const { code, text } = await run('npx', asked, surroundings);
  const isAnnotated = /^::error title=Failed Test.*auth\.disabled-key/m.test(text);
  return code === 0 && isAnnotated ? [] : [`exit code ${code}: ${text}`];
}

async function readBoth(name, read, change) {
  const objections = await read(join(folder, name));
  if (objections.length > 0) throw new Error(`${name}:\n${objections.join('\n')}`);
  const accepted = (await read(breakReport(name, change))).length === 0;
  if (accepted) throw new Error(`The reader of ${name} takes a broken file for a good one.`);
  console.log(`${name} was read, a broken one refused`);
}

try {
  await judgeMutant();
  await Promise.all([
    readBoth('results.sarif', validateSarif, (log) => {
      delete log.runs[0].tool.driver.name;
    }),
    readBoth('ctrf.json', annotateCtrf, (report) => {
      delete report.results.tests;
    }),
  ]);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
