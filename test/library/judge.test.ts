import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JudgeOptions } from '../../library/judge-options.js';
import { judge } from '../../library/plumbline.js';
import { referenceServer } from '../../reference/reference-server.js';
import { makeReference } from '../../reference/server.js';
import { describeWorld } from '../../reference/world-store.js';
import { behaveAsMutant } from '../behaviours.js';
import { runInto } from '../cli/plumbline-process.js';
import { profileFile } from '../cli/profile-deployment.js';
import { fileOf } from '../folders.js';
import { serveReference } from '../servers.js';

afterEach(() => vi.unstubAllEnvs());

it('judge finds the same violations as the command', async () => {
  const { controlUrl } = await serveReference({ capabilities: { faults: [], inference: false } });
  const only = ['vault-delete.404.never-stored', 'key-info.200.*'];
  const flags = only.map((glob) => `--only ${glob}`).join(' ');
  const command = (
    await runInto(`--control ${controlUrl} --seed 7 --depth quick --cases 2 ${flags}`)
  ).report();
  const library = await judge({ control: controlUrl }, { only, seed: 7, depth: 'quick', cases: 2 });
  const outcomes = ({ checks }: typeof library) => checks.map(({ id, outcome }) => [id, outcome]);
  expect(outcomes(library)).toEqual(outcomes(command));
  expect(library.requirements).toEqual(command.requirements);
  expect(library).toMatchObject({ verdict: command.verdict, gate: command.gate, totals: command.totals });
});

it('judge prints nothing and leaves the process as it was', async () => {
  const listeners = () => process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const before = listeners();
  const written = [vi.spyOn(process.stdout, 'write'), vi.spyOn(process.stderr, 'write')];
  const judging = judge(referenceServer(), { only: ['key-info.200.*'], depth: 'quick' });
  expect(listeners()).toEqual(before);
  await judging;
  for (const write of written) {
    expect(write).not.toHaveBeenCalled();
    write.mockRestore();
  }
  expect(listeners()).toEqual(before);
  expect(process.exitCode).toBeUndefined();
});

it('judge judges the target of a profile, by its policy if the options have none', async () => {
  const server = await serveReference();
  const world = server.openWorld('profile');
  const profile = profileFile({
    target: { base_url: server.baseUrl },
    keys: { member: world.keys.member },
    policy: { excused: [{ requirement: 'key-info.**', reason: 'not of interest here' }] },
  });
  const only = ['key-info.200.*', 'key-info.exhausted'];
  const report = await judge({ profile }, { only, depth: 'quick' });
  expect(report.verdict).toBe('incomplete');
  expect(report.gate).toMatchObject({ exit_code: 0, excused: expect.arrayContaining([expect.any(String)]) });
  expect(JSON.stringify(report)).not.toContain(world.keys.member);
  const strict = await judge({ profile }, { only, depth: 'quick', policy: { excused: [] } });
  expect(strict.gate).toMatchObject({ exit_code: 4, excused: [] });
  await expect(judge({ profile: 'none.yaml' })).rejects.toThrow('does not exist');
});

it('the command that reproduces a violation quotes the path of a profile', async () => {
  const server = await serveReference({ behaviour: behaveAsMutant('key-info.data-missing') });
  const { keys } = server.openWorld('quoted');
  const text = `target: { base_url: '${server.baseUrl}' }\nkeys: { member: ${keys.member} }\n`;
  const profile = fileOf(text, 'my profile.yaml');
  const { checks } = await judge({ profile }, { only: ['key-info.200.data'], depth: 'quick' });
  const [failure] = checks.flatMap((check) => check.failure ?? []);
  expect(failure?.reproduce.command).toContain(` run --profile '${profile}' --only key-info.200.data`);
});

it('judge judges an in-process server by a profile, whose base URL gives the path and which alone gives keys', async () => {
  const { server: app, store } = makeReference({});
  const { keys } = describeWorld(store.open('profile'));
  const target = { base_url: 'https://staging.test/v1' };
  const profile = profileFile({ target, keys: { member: keys.member } });
  vi.stubEnv('PLUMBLINE_KEY_MEMBER', 'a-key-of-staging');
  const report = await judge({ app, profile }, { only: ['key-info.200.read'], depth: 'quick' });
  expect(report.verdict).toBe('conformant');
});

it('judge replays one generated case by the seed and path of a report', async () => {
  const options = { seed: 7, path: 'valid-names:0:3', only: ['secret-name.accepts.letters'] };
  const report = await judge(referenceServer(), options);
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
])('judge refuses the options %j', async (options, message) => {
  const asked = judge(referenceServer(), options as JudgeOptions);
  await expect(asked).rejects.toThrow(TypeError);
  await expect(asked).rejects.toThrow(message);
});

describe('environment variables', () => {
  const key: JudgeOptions = { only: ['key-info.200.read'], depth: 'quick' };

  it('the environment gives the token of the control protocol, for an in-process server too', async () => {
    const controlToken = 'the-token-of-staging';
    const { controlUrl } = await serveReference({ controlToken });
    vi.stubEnv('PLUMBLINE_CONTROL_TOKEN', controlToken);
    expect((await judge({ control: controlUrl }, key)).verdict).toBe('conformant');
    expect((await judge(makeReference({ controlToken }).server, key)).verdict).toBe('conformant');
    vi.stubEnv('PLUMBLINE_CONTROL_TOKEN', 'another-token-altogether');
    const [note] = (await judge({ control: controlUrl }, key)).run.notes;
    expect(note).toContain(
      'was answered 401 instead of 200: its token is missing or wrong (PLUMBLINE_CONTROL_TOKEN)',
    );
    vi.stubEnv('PLUMBLINE_CONTROL_TOKEN', '');
    await expect(judge({ control: controlUrl }, key)).rejects.toThrow('set but empty');
  });

  it('the environment gives the keys of a base URL, and a profile overrides them', async () => {
    const server = await serveReference();
    const { keys } = server.openWorld('keys');
    const target = { base_url: server.baseUrl };
    const profile = profileFile({ target, keys: { member: 'an-expired-key' } });
    vi.stubEnv('PLUMBLINE_KEY_MEMBER', keys.member);
    for (const target of [server.baseUrl, { profile }]) {
      const report = await judge(target, key);
      expect(report.verdict).toBe('conformant');
      expect(JSON.stringify(report)).not.toContain(keys.member);
    }
    vi.stubEnv('PLUMBLINE_KEY_MEMBER', 'short');
    await expect(judge(server.baseUrl)).rejects.toThrow('PLUMBLINE_KEY_MEMBER: invalid key');
  });
});

it('judge names its own options if more must be permitted', async () => {
  const { controlUrl, baseUrl } = await serveReference();
  // An address of this machine that is not known to be one.
  const elsewhere = { control: controlUrl, baseUrl: baseUrl.replace('127.0.0.1', '0.0.0.0') };
  const only = ['vault-delete.204.no-body', 'credit-limit.overdrawn.*', 'key-info.200.read'];
  const { requirements } = await judge(elsewhere, { only, cases: 1 });
  const reasons = requirements.map(({ reason }) => reason).join();
  expect(reasons).toContain('permissions.destructive, since the target is not on loopback');
  expect(reasons).toContain('permissions.inference, since inference requests cost money');
  expect(reasons).not.toContain('--');
});
