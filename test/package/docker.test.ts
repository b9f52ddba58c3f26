import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { readReport } from '../cli/plumbline-process.js';
import { readCheckoutFile } from '../examples/example-files.js';
import { folder } from '../folders.js';
import { runProgram } from '../run-program.js';
import { serveReference } from '../servers.js';
import { buildBySteps, readInstructions, type Stage, setReadOnly } from './dockerfile-steps.js';

const path = 'examples/docker/Dockerfile';
const dockerfile = readCheckoutFile(path);

const words = readInstructions(path).map(([word]) => word);

let image: Stage;
let home: string;
beforeAll(() => {
  home = folder();
  // Another user must be able to enter it.
  chmodSync(home, 0o755);
  image = buildBySteps(path, home);
  setReadOnly(image.folder, true);
});
afterAll(() => {
  setReadOnly(home, false);
});

it('the Dockerfile is valid, and one with a misspelt instruction is not', () => {
  expect(validate(dockerfile)).toEqual([]);
  expect(validate(dockerfile.replace('USER node', 'USRE node'))).not.toEqual([]);
});

it('the image is built in two stages and runs node directly, not as root', () => {
  expect(words.filter((word) => word === 'FROM')).toHaveLength(2);
  expect(words).not.toContain('HEALTHCHECK');
  expect([image.user, image.entrypoint[0], image.workdir]).toEqual(['node', 'node', '/reports']);
});

it('the image contains the runtime dependencies and no development dependency', () => {
  const app = join(image.folder, 'app');
  expect(readdirSync(app).toSorted()).toEqual(['dist', 'node_modules', 'package-lock.json', 'package.json']);
  expect(existsSync(join(app, 'dist/bench'))).toBe(false);
  const { devDependencies, dependencies } = JSON.parse(readCheckoutFile('package.json'));
  const installed = (name: string) => existsSync(join(app, 'node_modules', name));
  expect(Object.keys(dependencies).filter((name) => !installed(name))).toEqual([]);
  expect(Object.keys(devDependencies).filter(installed)).toEqual([]);
});

it('the image judges a server as a user who may write only the report', async () => {
  const { controlUrl } = await serveReference({ behaviour: behaveAsMutant('key-info.figures-of-member') });
  const reports = join(home, 'mounted');
  mkdirSync(reports);
  chmodSync(reports, 0o777);
  const { code, stdout, stderr } = await runContained(
    ['run', '--control', controlUrl, '--only', 'key-info.200.*', '--depth', 'quick'],
    reports,
  );
  expect([code, stderr]).toEqual([1, expect.not.stringContaining('EACCES')]);
  expect(stdout).toContain('non-conformant');
  expect(readReport(join(reports, 'plumbline-report')).verdict).toBe('non-conformant');
});

it('the image ends with 2 without arguments, or with an empty --control', async () => {
  expect(words).not.toContain('CMD');
  expect((await runContained([], home)).code).toBe(2);
  expect((await runContained(['run', '--control', ''], home)).code).toBe(2);
});

it('the image names --report if it cannot write there', async () => {
  const { controlUrl } = await serveReference();
  const args = ['run', '--control', controlUrl];
  const { code, stderr } = await runContained(args, join(image.folder, 'app'));
  expect([code, stderr]).toEqual([2, expect.stringMatching(/--report/)]);
});

/** Runs the entry point as a container would, as a user that owns nothing if this process is root. */
function runContained(args: readonly string[], cwd: string) {
  const isRoot = process.getuid?.() === 0;
  const nobody = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  const [program = '', ...words] = [...nobody, ...image.entrypoint, ...args];
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  return runProgram(program, words, { cwd, env: { ...image.env, PATH, HOME: '/nonexistent' } });
}
