import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
// Refuses where the build is older than the sources: it is what is packed.
import '../cli/plumbline-process.js';
import { findBlocks, findLocalLinks } from '../docs/pages.js';
import { folder as makeFolder, root } from '../folders.js';
import { run, runSuccessfully, type Serving, startServing } from './installed.js';
import { countResults, readTapResults, readVitestResults } from './test-results.js';

// The package as users get it: packed, installed in an empty folder, used from there.

let base: string;
let folder: string;
const installed = (...path: readonly string[]) =>
  join(folder, 'node_modules', 'plumbline-conformance', ...path);
const command = () => join(folder, 'node_modules', '.bin', 'plumbline');

let packed: string;
const program = (name: string) => join(root, 'node_modules', '.bin', name);

beforeAll(async () => {
  base = makeFolder();
  folder = join(base, 'a folder #1 %20 é');
  mkdirSync(folder);
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', base];
  const [{ filename }] = JSON.parse((await runSuccessfully('npm', pack, { cwd: root })).stdout) as Packed;
  packed = join(base, filename);
  const install = ['install', packed, '--prefer-offline', '--no-audit', '--no-fund'];
  await runSuccessfully('npm', install, { cwd: folder });
});

type Packed = readonly [{ readonly filename: string }];

describe('the content of the package', () => {
  it('the package contains the build, the docs and the examples, and nothing else', () => {
    const top = new Set(files().map((file) => file.slice(installed().length + 1).split('/')[0]));
    const pages = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'docs', 'examples'];
    expect([...top].sort()).toEqual([...pages, 'dist', 'package.json'].sort());
  });

  it('the package contains every file that its pages link to', () => {
    const pages = files().filter((file) => file.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(8);
    const links = pages.flatMap((page) =>
      findLocalLinks(readFileSync(page, 'utf8')).map((to) => join(dirname(page), to)),
    );
    expect(links.filter((file) => !existsSync(file))).toEqual([]);
  });

  // If it ran "prepare", the installation would fail: the compiler is not installed.
  it('the package runs no script when it is installed', () => {
    const scripts = Object.keys(manifest().scripts);
    expect(scripts.filter((name) => /^(?:pre|post)?install$/.test(name))).toEqual([]);
  });

  it('publint finds no fault in the package', async () => {
    await runSuccessfully(program('publint'), ['run', packed, '--strict'], { cwd: base });
  });

  it('the types of the package resolve wherever ES modules do', async () => {
    const data = Object.keys(manifest().exports).filter((name) => /\.(?:yaml|json)$/.test(name));
    const asked = [packed, '--profile', 'esm-only', '--exclude-entrypoints', ...data];
    await runSuccessfully(program('attw'), asked, { cwd: base });
  });
});

function files(): readonly string[] {
  return readdirSync(installed(), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

interface Manifest {
  readonly exports: object;
  readonly scripts: Readonly<Record<string, string>>;
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(installed('package.json'), 'utf8')) as Manifest;
}

const mutant = 'key-info.figures-of-member';
const turnsRed = 'key-info.200.own-figures';

describe('the installed command', () => {
  let server: Serving;
  beforeAll(async () => {
    server = await startServing(command(), base);
  });
  afterAll(() => server.stop());

  it('the commands of the README give a verdict', async () => {
    const printed = findBlocks('README.md').flatMap(({ text }) =>
      text.split('\n').filter((line) => /^plumbline run .*https?:/.test(line)),
    );
    const lines = printed.map((line) =>
      line
        .replace('http://127.0.0.1:4010/control', server.controlUrl)
        .replace('https://staging.example.com/v1', server.baseUrl),
    );
    const script = [
      'plumbline() { npx plumbline-conformance "$@"; }',
      ...lines.map((line) => `${line} --only 'key-info.200.*' --depth quick`),
    ];
    const env = { STAGING_KEY: server.memberKey };
    const { code, stdout } = await run('sh', ['-c', script.join('\n')], { cwd: folder, env });
    const verdicts = /^conformant: \d+ requirements passed[\s\S]*^incomplete: /m;
    expect([code, stdout]).toEqual([4, expect.stringMatching(verdicts)]);
    const incomplete = { verdict: 'incomplete', totals: { fail: 0 } };
    expect(reportIn(folder, 'plumbline-report')).toMatchObject(incomplete);
  });
});

function reportIn(directory: string, reports: string): Report {
  return JSON.parse(readFileSync(join(directory, reports, 'report.json'), 'utf8')) as Report;
}

// vitest cannot read files in a folder with # or % in its name, so these tests move the folder.
describe('the installed library', () => {
  beforeAll(() => {
    const plain = join(base, 'a plain folder é');
    renameSync(folder, plain);
    folder = plain;
    // The checkout's own, as a project would have installed them.
    mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true });
    for (const name of ['vitest', '@types/node', '@types/express'])
      symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
    for (const name of ['vitest', 'node-test'])
      cpSync(join(root, 'examples', name), join(folder, name), { recursive: true });
    // Whole runs would show no more of the package.
    for (const name of ['vitest/conformance.test.ts', 'node-test/conformance.test.js']) {
      const path = join(folder, name);
      const text = readFileSync(path, 'utf8').replace(
        '(test, app)',
        "(test, app, { depth: 'quick', only: ['{key-info,auth}.*'] })",
      );
      expect(text).toContain('quick');
      writeFileSync(path, text);
    }
  });

  describe.concurrent('the examples for test runners', () => {
    it('the example for vitest passes against the reference', async () => {
      const args = [join(folder, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=json'];
      const { code, stdout } = await run('node', args, { cwd: join(folder, 'vitest') });
      const results = readVitestResults(stdout);
      expect([code, countResults(results, 'failed'), results.get('the verdict')]).toEqual([0, 0, 'passed']);
      expect(countResults(results, 'passed')).toBeGreaterThan(5);
    });

    it('the example for node:test fails against a mutant', async () => {
      const surroundings = { cwd: join(folder, 'node-test'), env: { PLUMBLINE_MUTANT: mutant } };
      const { code, stdout } = await run('node', ['--test', '--test-reporter=tap'], surroundings);
      const results = readTapResults(stdout);
      expect([code, results.get(turnsRed), results.get('the verdict')]).toEqual([1, 'failed', 'failed']);
      expect(countResults(results, 'passed')).toBeGreaterThan(5);
    });
  });

  it('the library can be required from CommonJS', async () => {
    const asked = "console.log(typeof require('plumbline-conformance').judge)";
    const { stdout } = await runSuccessfully('node', ['-e', asked], { cwd: folder });
    expect(stdout).toBe('function\n');
  });

  it('the types of the library compile without skipLibCheck', async () => {
    cpSync(join(root, 'test/package/consumer.mts'), join(folder, 'consumer.mts'));
    await checkTypes({ files: ['consumer.mts'], skipLibCheck: false });
  });

  it('the types of the library fit those of vitest', async () => {
    await checkTypes({ files: ['vitest/app.ts', 'vitest/conformance.test.ts'], skipLibCheck: true });
  });
});

/** Type-checks files with strict settings. Rejects with the compiler's output. */
async function checkTypes(given: { readonly files: readonly string[]; readonly skipLibCheck: boolean }) {
  const { files: asked, skipLibCheck } = given;
  const compilerOptions = {
    ...{ target: 'es2022', module: 'nodenext', types: ['node'], noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: asked }));
  await runSuccessfully(program('tsc'), ['-p', folder], { cwd: folder });
}
