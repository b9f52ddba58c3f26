import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { allChecks } from '../../suites/all-checks.js';
import { countTimes, isVault, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const notFound = isVault(404);
const unknownIntern = 'vault-delete.404.unknown-intern';

const checks = [
  check(
    unknownIntern,
    { control: 'vault-delete', alsoDecides: ['vault-delete.404.keeps'] },
    async ({ world, api }) => {
      const name = await world.store('own');
      const intern = { label: 'an unknown intern', raw: randomUUID() };
      await api.deleteSecret({ intern, name }).expectStatus(404);
      await api.expectStillStored({ name }, 'vault-delete.404.keeps');
    },
  ),
];
const only = [unknownIntern];

it.concurrent('a wrong status that a transient fault can cause is confirmed by three repetitions', async () => {
  const { report } = await judgeReference({
    only: ['vault-delete.404.*'],
    checks,
    behaviour: replaceAnswers(notFound, makeEnvelope(500)),
  });
  expect(report.verdict).toBe('non-conformant');
  expect(findRow(report, unknownIntern)).toMatchObject({ status: 'fail', reason: null });
  expect(findCheck(report, unknownIntern)).toMatchObject({
    failure: { requirement: unknownIntern, expected: '404', actual: '500', confirmed: '3/3' },
    // One attempt and three repetitions, each of which ends at its first wrong answer.
    requests: 4,
  });
});

it.concurrent('a status that is wrong every third time leaves the requirement inconclusive', async () => {
  const { report, worldsLeft } = await judgeReference({
    ...{ only, checks },
    behaviour: replaceAnswers(
      (answer, call) => notFound(answer, call) && countTimes(call) % 3 === 1,
      makeEnvelope(500),
    ),
  });
  expect(findRow(report, unknownIntern)).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/^failed on \d of 10 attempts: .*expected 404, got 500/),
  });
  expect(report).toMatchObject({ verdict: 'incomplete', gate: { exit_code: 4 } });
  expect(findCheck(report, unknownIntern)).toMatchObject({ outcome: 'inconclusive', failure: null });
  expect([report.run.notes, worldsLeft]).toEqual([[], 0]);
});

it.concurrent('a wrong status is not a violation while the positive control fails', async () => {
  const { report } = await judgeReference({
    ...{ only, checks },
    behaviour: replaceAnswers(
      (_answer, call) => call.operation === 'vault-delete' && countTimes(call) > 1,
      makeEnvelope(500),
    ),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(findRow(report, unknownIntern).status).toBe('inconclusive');
  expect(report.verdict).toBe('incomplete');
});

it.concurrent('a run waits after a disturbance as long as the server asks', async () => {
  const { report } = await judgeReference({
    ...{ only, checks },
    behaviour: replaceAnswers(
      // The first answer is the control's, the second the one that counts, the third its positive control.
      (_answer, call) => call.operation === 'vault-delete' && countTimes(call) === 3,
      makeEnvelope(429, { 'Retry-After': '1' }),
    ),
  });
  expect(findRow(report, unknownIntern).status).toBe('pass');
  expect(findCheck(report, unknownIntern).duration_ms).toBeGreaterThanOrEqual(1_000);
});

it.concurrent('a delete without an answer is never repeated in the same world', async () => {
  const paths: string[] = [];
  const { report } = await judgeReference({
    only: ['vault-delete.204.deleted'],
    checks: allChecks.filter(({ id }) => id === 'vault-delete.204.deleted'),
    behaviour: {
      transmit: (response, answer, call) => {
        if (call.operation === 'vault-delete') paths.push(call.path);
        if (isVault(204)(answer, call) && countTimes(call) % 4 === 2) response.socket?.destroy();
        else response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
      },
    },
  });
  expect(paths.length).toBeGreaterThan(6);
  expect(new Set(paths).size).toBe(paths.length);
  expect(idsWith(report, 'fail')).toEqual([]);
});
