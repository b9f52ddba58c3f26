import { expect, it } from 'vitest';
import { check, type WrittenCheck } from '../../judge/check.js';
import { awaitAll } from '../../suites/requests.js';
import { freshName, NotShown, Unavailable } from '../../targets/world.js';
import { findCheck, findRow } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const good = check('key-info.200.read', { control: 'key-info' }, async ({ api }) => {
  await api.readKey().expectStatus(200);
});

/** A check of auth.bearer with the given body. */
const broken = (run: WrittenCheck['run']): WrittenCheck => check('auth.bearer', { control: 'key-info' }, run);

it('an error in a check ends the run with 5, while the other checks run and every world is given back', async () => {
  const failing = broken(async ({ openWorld }) => {
    await openWorld();
    throw new TypeError('undefined is not a name');
  });
  const { report, worldsHeld } = await judgeReference({ checks: [failing, good] });
  expect(report.gate.exit_code).toBe(5);
  expect(report.run.notes).toEqual(['auth.bearer: undefined is not a name']);
  expect(report.run.complete).toBe(false);
  expect(findRow(report, 'key-info.200.read').status).toBe('pass');
  expect(findRow(report, 'auth.bearer').status).toBe('not-exercised');
  expect(worldsHeld).toBe(0);
});

it('a confirmed violation beside an error in a check ends the run with 1, and a note names the error', async () => {
  const failing = broken(async () => {
    throw new TypeError('undefined is not a name');
  });
  const wrong = check('key-info.200.read', { control: 'key-info' }, async ({ api }) => {
    await api.readKey().expectStatus(404);
  });
  const { report } = await judgeReference({ checks: [failing, wrong] });
  expect(report.gate.exit_code).toBe(1);
  expect(report.run.notes).toEqual(['auth.bearer: undefined is not a name']);
});

it('a check that names no requirement to decide is an error', async () => {
  const secret = broken(async ({ api }) => {
    await api.readKey().expectStatus(200, { requirement: 'key-info.200.values' });
  });
  const { report } = await judgeReference({ checks: [secret] });
  expect(report.gate.exit_code).toBe(5);
  expect(report.run.notes).toEqual(['auth.bearer: it decides key-info.200.values without saying so']);
});

it('a check that sends more than fifty vault requests into one world is an error', async () => {
  const sends = (count: number) =>
    broken(async ({ api }) => {
      for (let sent = 0; sent < count; sent++) await api.deleteSecret({ name: freshName() }).send();
      await api.readKey().expectStatus(200);
    });
  const within = await judgeReference({ checks: [sends(50)] });
  expect(within.report.run.notes).toEqual([]);
  const beyond = await judgeReference({ checks: [sends(51)] });
  expect(beyond.report.run.notes).toEqual([
    'auth.bearer: a check sends more than 50 vault requests into one world',
  ]);
});

it.each([
  [
    'needs what the target does not offer',
    () => new Unavailable('role:outsider'),
    'would take a key of the role outsider',
  ],
  ['cannot observe its subject', () => new NotShown('bodies are refused here'), 'bodies are refused here'],
])('a check is skipped with a reason if it %s', async (_name, error, reason) => {
  const skipped = broken(async () => {
    throw error();
  });
  const { report } = await judgeReference({ checks: [skipped, good] });
  expect(findCheck(report, 'auth.bearer')).toMatchObject({ outcome: 'skipped', reason });
  expect(findRow(report, 'auth.bearer')).toMatchObject({ status: 'not-exercised', reason });
});

it('a requirement takes the worst outcome of its checks', async () => {
  const wrong = check('key-info.200.read/wrong', { control: 'key-info' }, async ({ api }) => {
    await api.readKey().expectStatus(404);
  });
  const skipped = check('key-info.200.read/skipped', { control: 'key-info' }, async () => {
    throw new NotShown('not here');
  });
  const passed = await judgeReference({ checks: [skipped, good] });
  expect(findRow(passed.report, 'key-info.200.read')).toMatchObject({ status: 'pass', reason: null });
  const failed = await judgeReference({ checks: [skipped, good, wrong] });
  expect(findRow(failed.report, 'key-info.200.read')).toMatchObject({
    status: 'fail',
    checks: ['key-info.200.read/skipped', 'key-info.200.read', 'key-info.200.read/wrong'],
  });
});

it('an error is thrown only after all parallel requests have ended', async () => {
  const done: string[] = [];
  const slow = new Promise<void>((resolve) => setTimeout(resolve, 30)).then(() => done.push('slow'));
  await expect(awaitAll([Promise.reject(new Error('first')), slow])).rejects.toThrow('first');
  expect(done).toEqual(['slow']);
});
