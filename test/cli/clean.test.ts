import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Reference } from '../../reference/server.js';
import { folder } from '../folders.js';
import { type RawAnswer, startAlteredControl } from './altered-control.js';
import { expectNoStack, plumbline, readReport, start } from './plumbline-process.js';
import { byRequest, profileFile, startDeployment, startProfiled } from './profile-deployment.js';
import { serveReference } from './servers.js';
import { slowDown } from './slow-answers.js';

/** Alters an answer of the control to a method. */
type Alters = (method: string, answer: RawAnswer) => RawAnswer | undefined;

/** A control in front of another, which never gets the deletes that `refuses` rejects. */
async function controlBefore(
  served: Reference,
  { alters = () => undefined, refuses = () => false }: { alters?: Alters; refuses?: () => boolean },
) {
  const deletes: string[] = [];
  const { url } = await startAlteredControl(served, {
    answer: ({ method, path }) => {
      if (method !== 'DELETE') return undefined;
      deletes.push(path);
      return refuses() ? { status: 500, body: { error: 'not now' } } : undefined;
    },
    alter: ({ method }, answer) => alters(method, answer),
  });
  return { url, deletes };
}

async function expectNothingToRemove(clean: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout } = await plumbline(clean, { env });
  const told = 'Nothing to remove: the run left nothing behind.\n';
  expect([code, stdout]).toEqual([0, told]);
}

const quick = ['--depth', 'quick', '--seed', '3'];

// These tests wait for retries of deletes.
describe.concurrent('a control that refuses deletes', () => {
  it('a run lists the worlds that its control refuses to delete, and clean removes them later', async () => {
    const served = await serveReference();
    let isRefusing = true;
    const { url, deletes } = await controlBefore(served, { refuses: () => isRefusing });
    const directory = folder();
    const ran = await plumbline(['run', '--control', url, ...quick, '--report', directory], {
      everyFormat: true,
    });
    expect(ran.code).toBe(0);
    const { left_behind: left } = readReport(directory).run;
    expect(left.length).toBe(served.worldCount());
    expect(left.length).toBeGreaterThan(5);
    for (const { kind, id, why } of left)
      expect([kind, why, typeof id]).toEqual([
        'world',
        'its delete got 500; delete it by the control protocol, or wait until it expires',
        'string',
      ]);
    const command = `plumbline clean --from ${directory} --control URL`;
    expect(ran.stdout.replace(/\s+/g, ' ')).toContain(command);
    for (const name of ['summary.md', 'report.html'])
      expect(readFileSync(join(directory, name), 'utf8')).toContain(command);

    const clean = ['clean', '--from', directory, '--control', url];
    const refused = await plumbline(clean);
    expect([refused.code, refused.stdout.match(/could not remove/g)?.length]).toEqual([3, left.length]);
    isRefusing = false;
    deletes.length = 0;
    const cleaned = await plumbline(clean);
    expect(cleaned.code, cleaned.stderr).toBe(0);
    expect(cleaned.stdout).toContain(`${left.length} removed, 0 already gone, 0 left.`);
    expect(served.worldCount()).toBe(0);
    expect(deletes.toSorted()).toEqual(left.map(({ id }) => `/worlds/${id}`).toSorted());
    expect(readReport(directory).run.left_behind).toEqual([]);
    for (const name of ['summary.md', 'report.html'])
      expect(readFileSync(join(directory, name), 'utf8')).not.toContain('plumbline clean');
    await expectNothingToRemove(clean);
    expect(deletes, 'the second time').toHaveLength(left.length);
    rmSync(join(directory, 'report.json'));
    await expectNothingToRemove(clean);
  });
});

describe.concurrent('a run that is killed', () => {
  it('a killed run with a control lists its worlds, and clean removes them', async () => {
    const { behaviour, reached } = slowDown(30);
    const served = await serveReference({ behaviour });
    const directory = folder();
    const running = start(['run', '--control', served.controlUrl, ...quick, '--report', directory]);
    await reached(60);
    running.child.kill('SIGKILL');
    await running.ended;
    expect(served.worldCount()).toBeGreaterThan(0);
    const told = await plumbline(['report', '--from', directory, '--format', 'json']);
    expect(told.stdout).toContain('plumbline clean --from');
    const { left_behind: left } = readReport(directory).run;
    const known = left.filter(({ id }) => id !== undefined);
    expect(known.length).toBeGreaterThan(0);
    const cleaned = await plumbline(['clean', '--from', directory, '--control', served.controlUrl]);
    expect(served.worldCount()).toBeLessThanOrEqual(left.length - known.length);
    expect(cleaned.code).toBe(known.length === left.length ? 0 : 3);
    const unknown = left.filter(({ id }) => id === undefined);
    expect(readReport(directory).run.left_behind).toEqual(unknown);
    const again = await plumbline(['report', '--from', directory, '--format', 'json']);
    expect(again.stdout).toContain('the run was killed');
    expect(readReport(directory).run.left_behind).toEqual(unknown);
  });

  it('a killed run with a profile lists its secrets, and clean removes no others', async () => {
    const { behaviour, reached, ended } = slowDown(30);
    const deployed = await startDeployment({ behaviour });
    await deployed.store('own', 'theirs');
    const profile = { store: byRequest };
    const run = startProfiled(deployed, { profile, flags: ['--only', 'vault-delete.**'] });
    await reached(150);
    run.child.kill('SIGKILL');
    await run.ended;
    await ended();
    const stored = (await deployed.stored()).filter((name) => name !== 'own/theirs');
    expect(stored.length).toBeGreaterThan(0);
    const path = profileFile({ ...deployed.described, ...profile });
    const env = { ...deployed.env };
    const clean = ['clean', '--from', run.directory, '--profile', path];
    const cleaned = await plumbline(clean, { env });
    expect([cleaned.code, await deployed.stored()]).toEqual([0, ['own/theirs']]);
    for (const name of stored) expect(cleaned.stdout).toContain(`removed            ${name}\n`);
    await expectNothingToRemove(clean, env);
    await plumbline(['report', '--from', run.directory, '--format', 'json']);
    expect(readReport(run.directory).run.left_behind).toEqual([]);
  });
});

describe.concurrent('clean', () => {
  /** A run that left a world behind. */
  async function leaving() {
    const served = await serveReference();
    const { url } = await controlBefore(served, { refuses: () => true });
    const directory = folder();
    const args = ['--control', url, '--only', 'key-info.200.read', '--depth', 'quick', '--report', directory];
    expect((await plumbline(['run', ...args])).code).toBe(0);
    expect(served.worldCount()).toBeGreaterThan(0);
    return { served, directory };
  }

  it('clean deletes nothing on a target other than that of the run', async () => {
    const { served, directory } = await leaving();
    const other = await serveReference();
    const { url, deletes } = await controlBefore(other, {});
    const { code, stderr } = await plumbline(['clean', '--from', directory, '--control', url]);
    expect([code, deletes]).toEqual([2, []]);
    expect(stderr).toContain(`judged ${served.baseUrl}, but this target is ${other.baseUrl}`);
  });

  it('clean asks for the same permission as run', async () => {
    const { directory } = await leaving();
    const report = readFileSync(join(directory, 'report.json'), 'utf8');
    const journal = readFileSync(join(directory, 'journal.ndjson'), 'utf8');
    const { served, directory: elsewhere } = await leaving();
    const { base_url: baseUrl } = (JSON.parse(report) as { target: { base_url: string } }).target;
    const remote = 'http://staging.example.test/v1';
    writeFileSync(join(elsewhere, 'report.json'), report.replaceAll(baseUrl, remote));
    writeFileSync(join(elsewhere, 'journal.ndjson'), journal.replaceAll(baseUrl, remote));
    const { url, deletes } = await controlBefore(served, {});
    const args = ['clean', '--from', elsewhere, '--control', url, '--target', remote];
    const { code, stderr } = await plumbline(args);
    expect([code, deletes]).toEqual([2, []]);
    expect(stderr).toContain('--allow-destructive');
    expect((await plumbline([...args, '--allow-destructive'])).code).toBe(0);
    expect(deletes.length).toBeGreaterThan(0);
  });

  it('clean says that it needs the control of the run, and one that answers', async () => {
    const { directory } = await leaving();
    const deployed = await startDeployment();
    const path = profileFile({ ...deployed.described, store: byRequest });
    const wrong = await plumbline(['clean', '--from', directory, '--profile', path], { env: deployed.env });
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Give --control URL')]);
    const none = await plumbline(['clean', '--from', directory], { cwd: folder() });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('no target given')]);
    const silent = await plumbline(['clean', '--from', directory, '--control', 'http://127.0.0.1:9/']);
    expectNoStack(silent);
    expect([silent.code, silent.stderr]).toEqual([3, expect.stringContaining('nothing was removed')]);
    const missing = await plumbline(['clean', '--from', folder(), '--control', 'http://127.0.0.1:9/']);
    expect(missing.code).toBe(2);
  });

  it('clean has nothing to do if a run left nothing behind', async () => {
    const directory = folder();
    await plumbline(['run', '--reference', '--only', 'key-info.200.read', ...quick, '--report', directory]);
    await expectNothingToRemove(['clean', '--from', directory]);
  });

  it('clean leaves a run alone while its process lives', async () => {
    const { behaviour, reached } = slowDown(30);
    const served = await serveReference({ behaviour });
    const directory = folder();
    const running = start(['run', '--control', served.controlUrl, ...quick, '--report', directory]);
    await reached(60);
    const before = served.worldCount();
    const { code, stderr } = await plumbline(['clean', '--from', directory, '--control', served.controlUrl]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is in use')]);
    expect(before).toBeGreaterThan(0);
    running.child.kill('SIGKILL');
    await running.ended;
  });

  it('clean removes what it can even if it cannot record that it did', async () => {
    const { served, directory } = await leaving();
    const args = ['clean', '--from', directory, '--control', served.controlUrl];
    mkdirSync(join(directory, 'report.html'));
    rmSync(join(directory, 'journal.ndjson'));
    mkdirSync(join(directory, 'report.html', 'something'));
    const { code, stderr } = await plumbline(args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('the reports still list what was removed')]);
    expect(served.worldCount()).toBe(0);
  });
});

describe.concurrent('opened worlds', () => {
  const few = ['--only', 'key-info.200.read', '--depth', 'quick', '--seed', '3'];
  it.each<readonly [string, Alters]>([
    ['has a truncated description', (_, { text }) => ({ status: 201, text: text.slice(0, 60) })],
    ['was opened with status 200', (_, { text }) => ({ status: 200, text })],
    ['has no keys', (_, { text }) => ({ status: 201, text: JSON.stringify({ id: JSON.parse(text).id }) })],
    [
      'has invalid intern ids',
      (_, { text }) => ({
        status: 201,
        text: JSON.stringify({ ...JSON.parse(text), interns: { own: '..' } }),
      }),
    ],
  ])('a run deletes a world that %s', async (_what, alter) => {
    const served = await serveReference();
    const alters: Alters = (method, answer) => (method === 'POST' ? alter(method, answer) : undefined);
    const { url } = await controlBefore(served, { alters });
    const directory = folder();
    expect((await plumbline(['run', '--control', url, ...few, '--report', directory])).code).toBe(3);
    expect([served.worldCount(), readReport(directory).run.left_behind]).toEqual([0, []]);
  });

  it.each(['.', '..'])(
    'a run lists a world with the id %s instead of deleting it, since URLs resolve that path segment',
    async (id) => {
      const served = await serveReference();
      const alters: Alters = (method, { text }) =>
        method === 'POST' ? { status: 201, text: JSON.stringify({ ...JSON.parse(text), id }) } : undefined;
      const { url, deletes } = await controlBefore(served, { alters });
      const directory = folder();
      expect((await plumbline(['run', '--control', url, ...few, '--report', directory])).code).toBe(3);
      expect(deletes).toEqual([]);
      const { left_behind: left } = readReport(directory).run;
      expect(left.length).toBe(served.worldCount());
      expect(left[0]).toMatchObject({ kind: 'world', name: 'opened for key-info.200.read' });
    },
  );
});
