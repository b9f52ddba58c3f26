import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { areaOf, ledger } from '../../spec/ledger.js';
import { makeEnvelope, replaceAnswers } from '../behaviours.js';
import { findCheck, idsWith } from '../report-rows.js';
import { passOnTo, startServer } from '../servers.js';
import { judgeReference } from './judge-reference.js';

const id = 'key-info.200.no-parameters';

const alike = (['one', 'two', 'three'] as const).map((word) =>
  check(`${id}/${word}`, { control: 'key-info' }, async ({ api }) => {
    await api.readKey({ query: '?x=1' }).expectStatus([200, 400]);
  }),
);
const behaviour = replaceAnswers((_answer, { path }) => path.includes('?x=1'), makeEnvelope(403));

it('a run with a low budget confirms a violation that several checks see only once, and any other run each time', async () => {
  // Depth quick runs only the first check of a requirement, so each check also has its own requirement.
  const rows = ['key-info.200.read', 'auth.bearer', 'key-info.limit-pair'] as const;
  const checks = alike.map((one, at) => ({ ...one, decides: [...one.decides, rows[at] ?? 'auth.bearer'] }));
  const only = ['key-info.*', 'auth.*'];
  const { report } = await judgeReference({ only, checks, behaviour, depth: 'quick' });
  expect(idsWith(report, 'fail')).toEqual([id]);
  const outcomes = checks.map((one) => findCheck(report, one.id).outcome).sort();
  expect(outcomes).toEqual(['fail', 'inconclusive', 'inconclusive']);
  const { report: ample } = await judgeReference({ only: [id], checks: alike, behaviour });
  expect(alike.map((one) => findCheck(ample, one.id).outcome)).toEqual(['fail', 'fail', 'fail']);
});

it('a run with a low budget judges more checks at once on a distant target', async () => {
  let atOnce = 0;
  let most = 0;
  const rows = ledger
    .filter(({ id: row, unseen }) => areaOf(row) === 'key-info' && unseen === undefined)
    .slice(0, 12);
  const checks = rows.map((row) =>
    check(row.id, { control: 'key-info' }, async ({ api }) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await api.readKey().expectStatus(200);
      atOnce -= 1;
    }),
  );
  const reachedAt = async (baseUrl: string) => {
    const passOn = passOnTo(new URL(baseUrl).origin);
    const origin = await startServer((asked, response) => void sleep(60).then(() => passOn(asked, response)));
    return `${origin}/v1`;
  };
  await judgeReference({ only: ['key-info.*'], checks, depth: 'quick', concurrency: 16, reachedAt });
  expect(most).toBe(4);
});
