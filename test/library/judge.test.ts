import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import type { JudgeOptions } from '../../library/judge-options.js';
import { judge } from '../../library/plumbline.js';
import { referenceServer } from '../../reference/reference-server.js';
import { folder, plumbline, readReport, removeFolders } from '../cli/plumbline-process.js';
import { reference } from '../cli/servers.js';

afterAll(removeFolders);

it('finds what the command finds', async () => {
  const { controlUrl } = await reference({ capabilities: { faults: [], inference: false } });
  const only = ['vault-delete.404.never-stored', 'rate-limit.minute.*', 'key-info.200.*'];
  const directory = folder();
  const flags = ['--control', controlUrl, '--seed', '7', '--cases', '2', '--report', directory];
  await plumbline(['run', ...flags, ...only.flatMap((glob) => ['--only', glob])]);
  const command = readReport(directory);
  const library = await judge({ control: controlUrl }, { only, seed: 7, cases: 2 });
  const outcomes = ({ checks }: typeof library) => checks.map(({ id, outcome }) => [id, outcome]);
  expect(outcomes(library)).toEqual(outcomes(command));
  expect(library.requirements).toEqual(command.requirements);
  expect(library).toMatchObject({ verdict: command.verdict, gate: command.gate, totals: command.totals });
});

it('prints nothing, and leaves the process as it was', async () => {
  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const before = listeners();
  const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  const judging = judge(referenceServer(), { only: ['key-info.200.*'], cases: 1 });
  expect(listeners()).toEqual(before);
  await judging;
  for (const write of written) {
    expect(write).not.toHaveBeenCalled();
    write.mockRestore();
  }
  expect(listeners()).toEqual(before);
  expect(process.exitCode).toBeUndefined();
});

it('ends in order when it is told to', async () => {
  const server = await reference();
  const stop = new AbortController();
  const judging = judge({ control: server.controlUrl }, { signal: stop.signal, depth: 'deep' });
  await vi.waitUntil(() => server.worldCount() > 3);
  stop.abort();
  const { run, gate } = await judging;
  expect({ complete: run.complete, exit: gate.exit_code }).toEqual({ complete: false, exit: 130 });
  expect(server.worldCount()).toBe(0);
});

it('judges what a profile describes, by its policy where the options have none', async () => {
  const server = await reference();
  const world = server.openWorld('profile');
  const directory = folder();
  const profile = join(directory, 'plumbline.yaml');
  const lines = [
    `target: { base_url: ${server.baseUrl} }`,
    `keys: { member: ${world.keys.member} }`,
    "policy: { excused: [{ requirement: 'key-info.**', reason: not of interest here }] }",
  ];
  writeFileSync(profile, lines.join('\n'));
  const only = ['key-info.200.*', 'key-info.exhausted'];
  const report = await judge({ profile }, { only, cases: 1 });
  expect(report.verdict).toBe('incomplete');
  expect(report.gate).toMatchObject({ exit_code: 0, excused: expect.arrayContaining([expect.any(String)]) });
  expect(JSON.stringify(report)).not.toContain(world.keys.member);
  const strict = await judge({ profile }, { only, cases: 1, policy: { excused: [] } });
  expect(strict.gate).toMatchObject({ exit_code: 4, excused: [] });
  await expect(judge({ profile: join(directory, 'none.yaml') })).rejects.toThrow('does not exist');
});

it('sends one generated case again, by the seed and the path that a report names', async () => {
  const report = await judge(referenceServer(), {
    seed: 7,
    path: 'valid-names:0:3',
    only: ['secret-name.accepts.letters'],
  });
  const sent = report.checks.filter(({ requests }) => requests > 0);
  expect(sent.map(({ cases }) => cases)).toEqual([1]);
});

it.each<[JudgeOptions | Record<string, unknown>, string]>([
  [{ sede: 1 }, 'options.sede: unknown field; did you mean seed?'],
  [{ seed: 1.5 }, 'options.seed: must be a whole number below 2147483648'],
  [{ depth: 'full' }, 'options.depth: must be one of quick, standard, deep'],
  [{ maxTime: 0 }, 'options.maxTime: must be a number of seconds above 0'],
  [{ only: 'auth.*' }, 'options.only: must be a list'],
  [{ only: ['auht.*'] }, 'options.only: no requirement matches "auht.*"'],
  [{ skip: ['**'] }, 'only and skip leave no requirement'],
  [{ path: 'valid-names:0:3' }, 'options.path: names a case of one seed'],
  [{ policy: { excused: [{ requirement: 'auth.**' }] } }, 'options.policy.excused[0].reason: is missing'],
])('refuses the options %j', async (options, message) => {
  const asked = judge(referenceServer(), options as JudgeOptions);
  await expect(asked).rejects.toThrow(TypeError);
  await expect(asked).rejects.toThrow(message);
});
