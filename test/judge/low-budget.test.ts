import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { makeEnvelope, replaceAnswers } from '../behaviours.js';
import { findCheck, idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const id = 'key-info.200.no-parameters';

/** Checks that all see the same wrong answer. */
const alike = (['one', 'two', 'three'] as const).map((word) =>
  check(`${id}/${word}`, { control: 'key-info' }, async ({ api }) => {
    await api.readKey({ query: '?x=1' }).expectStatus([200, 400]);
  }),
);
const behaviour = replaceAnswers((_answer, { path }) => path.includes('?x=1'), makeEnvelope(403));

it('a run with a low budget confirms a violation that several checks see only once', async () => {
  // Depth quick runs only the first check of a requirement, so each check also has its own requirement.
  const rows = ['key-info.200.read', 'auth.bearer', 'key-info.limit-pair'] as const;
  const checks = alike.map((one, at) => ({ ...one, decides: [...one.decides, rows[at] ?? 'auth.bearer'] }));
  const { report } = await judgeReference({
    only: ['key-info.*', 'auth.*'],
    checks,
    behaviour,
    depth: 'quick',
  });
  expect(idsWith(report, 'fail')).toEqual([id]);
  const outcomes = checks.map((one) => findCheck(report, one.id).outcome).sort();
  expect(outcomes).toEqual(['fail', 'inconclusive', 'inconclusive']);
});

it('a run without a low budget confirms what each check sees', async () => {
  const { report } = await judgeReference({ only: [id], checks: alike, behaviour });
  expect(alike.map((one) => findCheck(report, one.id).outcome)).toEqual(['fail', 'fail', 'fail']);
});
