import { expect, it } from 'vitest';
import { awaitAll } from '../../judge/attempt.js';
import { check, type WrittenCheck } from '../../judge/check.js';
import { freshName, NotShown, Unavailable } from '../../targets/world.js';
import { findCheck, findRow } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const good = check('key-info.200.read', { control: 'key-info' }, async ({ api }) => {
  await api.readKey().expectStatus(200);
});

const broken = (run: WrittenCheck['run']): WrittenCheck => check('auth.bearer', { control: 'key-info' }, run);

const wrong = check('key-info.200.read/wrong', { control: 'key-info' }, async ({ api }) => {
  await api.readKey().expectStatus(404);
});

it('an error in a check ends the run with 5, or 1 beside a violation, while the other checks run and every world is given back', async () => {
  const failing = broken(async ({ openWorld }) => {
    await openWorld();
    throw new TypeError('undefined is not a name');
  });
  const { report, worldsHeld } = await judgeReference({ checks: [failing, good] });
  expect(report.gate.exit_code).toBe(5);
  expect(report.run).toMatchObject({ notes: ['auth.bearer: undefined is not a name'], complete: false });
  expect(findRow(report, 'key-info.200.read').status).toBe('pass');
  expect(findRow(report, 'auth.bearer').status).toBe('not-exercised');
  expect(worldsHeld).toBe(0);
  const { report: violated } = await judgeReference({ checks: [failing, wrong] });
  expect([violated.gate.exit_code, violated.run.notes]).toEqual([1, report.run.notes]);
});

const sends = (count: number) =>
  broken(async ({ api }) => {
    for (let sent = 0; sent < count; sent++) await api.deleteSecret({ name: freshName() }).send();
    await api.readKey().expectStatus(200);
  });

const silent = broken(({ api }) => api.readKey().expectStatus(200, { requirement: 'key-info.200.values' }));
const tooMany = ['auth.bearer: a check sends more than 50 vault requests into one world'];
const unnamed = ['auth.bearer: it passes key-info.200.values, which alsoDecides does not name'];

it.each<readonly [what: string, WrittenCheck, notes: readonly string[]]>([
  ['sends fifty vault requests into one world is no error', sends(50), []],
  ['sends more than fifty vault requests into one world is an error', sends(51), tooMany],
  ['decides a requirement that it does not name is an error', silent, unnamed],
])('a check that %s', async (_what, one, notes) => {
  const { report } = await judgeReference({ checks: [one] });
  expect(report.run.notes).toEqual(notes);
  expect(report.gate.exit_code === 5).toBe(notes.length > 0);
});

it.each([
  ['needs what is lacking', () => new Unavailable('role:outsider'), 'needs a key of the role outsider'],
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
