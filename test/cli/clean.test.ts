import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Reference } from '../../reference/server.js';
import { slowDown } from '../behaviours.js';
import { folder } from '../folders.js';
import { serveReference } from '../servers.js';
import { type RawAnswer, startAlteredControl } from './altered-control.js';
import { expectNoStack, plumbline, readReport, runInto, start } from './plumbline-process.js';
import { byRequest, profileFile, startDeployment, startProfiled } from './profile-deployment.js';

/** Alters an answer of the control to a method. */
type Alters = (method: string, answer: RawAnswer) => RawAnswer | undefined;

/** A control in front of another, which never gets the deletes that `refuses` rejects. */
async function controlBefore(
  served: Reference,
  { alters = () => undefined, refuses = () => false }: { alters?: Alters; refuses?: () => boolean } = {},
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
  expect([code, stdout]).toEqual([0, 'Nothing to remove: the run left nothing behind.\n']);
}

// These tests wait for retries of deletes.
describe.concurrent('a control that refuses deletes', () => {
  it('a run lists the worlds that its control refuses to delete, and clean removes them later', async () => {
    const served = await serveReference();
    let isRefusing = true;
    const { url, deletes } = await controlBefore(served, { refuses: () => isRefusing });
    const few = '--depth quick --seed 3 --only {key-info,auth}.*';
    const ran = await runInto(`--control ${url} ${few}`, { everyFormat: true });
    const { directory } = ran;
    expect(ran.code).toBe(0);
    const { left_behind: left } = ran.report().run;
    expect(left.length).toBe(served.worldCount());
    expect(left.length).toBeGreaterThan(2);
    for (const item of left)
      expect(item).toMatchObject({
        kind: 'world',
        why: 'its delete got 500; delete it by the control protocol, or wait until it expires',
        id: expect.any(String),
      });
    const command = `plumbline clean --from ${directory} --control URL`;
    expect(ran.words).toContain(command);
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
    rmSync(join(directory, 'report.json'));
    await expectNothingToRemove(clean);
    expect(deletes, 'the second time').toHaveLength(left.length);
  });

  it('clean deletes nothing on another target, by other means or without permission', async () => {
    const served = await serveReference();
    const refusing = await controlBefore(served, { refuses: () => true });
    const { directory } = await runInto(`--control ${refusing.url} --only key-info.200.read --depth quick`);
    const left = served.worldCount();
    expect(left).toBeGreaterThan(0);
    const { url, deletes } = await controlBefore(served);
    const report = readFileSync(join(directory, 'report.json'), 'utf8');
    const remote = 'http://staging.example.test/v1';
    const elsewhere = folder();
    writeFileSync(join(elsewhere, 'report.json'), report.replaceAll(served.baseUrl, remote));
    const deployed = await startDeployment();
    const path = profileFile({ ...deployed.described, store: byRequest });
    const other = await controlBefore(await serveReference());
    const rows: readonly (readonly [args: string, code: number, words: string])[] = [
      [`${directory} --control ${other.url}`, 2, `judged ${served.baseUrl}, but this target is `],
      [`${directory} --profile ${path}`, 2, 'Give --control URL'],
      [directory, 2, 'no target given'],
      [`${folder()} --control ${url}`, 2, 'report.json'],
      [`${directory} --control http://127.0.0.1:9/`, 3, 'nothing was removed'],
      [`${elsewhere} --control ${url} --target ${remote}`, 2, '--allow-destructive'],
    ];
    for (const [args, code, words] of rows) {
      const ended = await plumbline(`clean --from ${args}`, { cwd: folder(), env: deployed.env });
      expect([args, ended.code, ended.stderr]).toEqual([args, code, expect.stringContaining(words)]);
    }
    expect([deletes, other.deletes, served.worldCount()]).toEqual([[], [], left]);
    const allowed = `clean --from ${elsewhere} --control ${url} --target ${remote} --allow-destructive`;
    expect((await plumbline(allowed)).code).toBe(0);
    expect(deletes).toHaveLength(left);

    // It removes what it can even if it cannot record that it did.
    mkdirSync(join(directory, 'report.html', 'something'), { recursive: true });
    rmSync(join(directory, 'journal.ndjson'));
    const { code, stderr } = await plumbline(`clean --from ${directory} --control ${url}`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('the reports still list what was removed')]);
  });
});

describe.concurrent('a run that is killed', () => {
  it('clean leaves a run alone while its process lives, and removes the worlds of a killed one', async () => {
    const { behaviour, reached } = slowDown(300);
    const served = await serveReference({ behaviour });
    const directory = folder();
    const running = start(`run --control ${served.controlUrl} --depth quick --seed 3 --report ${directory}`);
    await reached(60);
    const clean = `clean --from ${directory} --control ${served.controlUrl}`;
    const early = await plumbline(clean);
    expect([early.code, early.stderr]).toEqual([2, expect.stringContaining('is in use')]);
    running.child.kill('SIGKILL');
    expectNoStack(await running.ended);
    expect(served.worldCount()).toBeGreaterThan(0);
    const report = `report --from ${directory} --format json`;
    expect((await plumbline(report)).stdout).toContain('plumbline clean --from');
    const { left_behind: left } = readReport(directory).run;
    const unknown = left.filter(({ id }) => id === undefined);
    expect(left.length).toBeGreaterThan(unknown.length);
    expect((await plumbline(clean)).code).toBe(unknown.length === 0 ? 0 : 3);
    expect(served.worldCount()).toBeLessThanOrEqual(unknown.length);
    expect(readReport(directory).run.left_behind).toEqual(unknown);
    expect((await plumbline(report)).stdout).toContain('the run was killed');
    expect(readReport(directory).run.left_behind).toEqual(unknown);
  });

  it('a killed run with a profile lists its secrets, and clean removes no others', async () => {
    const { behaviour, reached, ended } = slowDown(100);
    const deployed = await startDeployment({ behaviour });
    await deployed.store('own', 'theirs');
    const profile = { store: byRequest };
    const run = startProfiled(deployed, { profile, flags: '--only vault-delete.**' });
    await reached(80);
    run.child.kill('SIGKILL');
    await run.ended;
    await ended();
    const stored = (await deployed.stored()).filter((name) => name !== 'own/theirs');
    expect(stored.length).toBeGreaterThan(0);
    const { env } = deployed;
    const path = profileFile({ ...deployed.described, ...profile });
    const clean = ['clean', '--from', run.directory, '--profile', path];
    const cleaned = await plumbline(clean, { env });
    expect([cleaned.code, await deployed.stored()]).toEqual([0, ['own/theirs']]);
    for (const name of stored) expect(cleaned.stdout).toContain(`removed            ${name}\n`);
    await expectNothingToRemove(clean, env);
    await plumbline(['report', '--from', run.directory, '--format', 'json']);
    expect(readReport(run.directory).run.left_behind).toEqual([]);
  });
});

describe.concurrent('opened worlds', () => {
  /** Runs on a control that describes its worlds otherwise. */
  async function runOpening(alter: (text: string) => RawAnswer) {
    const served = await serveReference();
    const alters: Alters = (method, { text }) => (method === 'POST' ? alter(text) : undefined);
    const { url, deletes } = await controlBefore(served, { alters });
    const { code, report } = await runInto(`--control ${url} --only key-info.200.read --depth quick`);
    expect(code).toBe(3);
    return { left: report().run.left_behind, worlds: served.worldCount(), deletes };
  }
  const change = (text: string, members: object) => JSON.stringify({ ...JSON.parse(text), ...members });

  it.each<readonly [string, (text: string) => RawAnswer]>([
    ['has a truncated description', (text) => ({ status: 201, text: text.slice(0, 60) })],
    ['was opened with status 200', (text) => ({ status: 200, text })],
    ['has invalid intern ids', (text) => ({ status: 201, text: change(text, { interns: { own: '..' } }) })],
  ])('a run deletes a world that %s', async (_what, alter) => {
    expect(await runOpening(alter)).toMatchObject({ worlds: 0, left: [] });
  });

  it('a run lists a world with the id .. instead of deleting it, since URLs resolve that path segment', async () => {
    const alter = (text: string) => ({ status: 201, text: change(text, { id: '..' }) });
    const { left, worlds, deletes } = await runOpening(alter);
    expect([left.length, deletes]).toEqual([worlds, []]);
    expect(left[0]).toMatchObject({ kind: 'world', name: 'opened for key-info.200.read' });
  });
});
