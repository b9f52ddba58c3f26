import { expect, it } from 'vitest';
import { allChecks } from '../../suites/all-checks.js';
import { isVault, makeEnvelope, makeJson, replaceAnswers } from '../behaviours.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

it.concurrent('a vault that never deletes fails the delete, and its refusals are not taken for passed', async () => {
  const { report } = await judgeReference({
    only: ['vault-delete.*', 'auth.*-key', 'guardrail-read.404.unknown'],
    depth: 'quick',
    behaviour: replaceAnswers(isVault(204), makeEnvelope(404)),
  });
  expect(idsWith(report, 'fail')).toEqual(['vault-delete.204.deleted']);
  const { failure } = findCheck(report, 'vault-delete.204.deleted');
  expect(failure).toMatchObject({ expected: '204', actual: '404', confirmed: '3/3' });
  const refusals = report.requirements.filter(
    ({ id, status }) => /^vault-delete\.[45]\d\d\./.test(id) && status !== 'not-observable',
  );
  expect(refusals.length).toBeGreaterThan(15);
  expect(refusals.filter(({ status }) => status !== 'inconclusive')).toEqual([]);
  const why = /^its positive control failed: DELETE .* got 404$/;
  expect(findRow(report, 'vault-delete.404.never-stored').reason).toMatch(why);
  expect(findRow(report, 'auth.altered-key').status).toBe('inconclusive');
  // Requirements with controls of other operations are judged all the same.
  expect(findRow(report, 'auth.missing-key').status).toBe('pass');
  expect(findRow(report, 'guardrail-read.404.unknown').status).toBe('pass');
});

it.concurrent('a server that answers everything with an empty object is non-conformant', async () => {
  const { report } = await judgeReference({
    only: ['{key-info,guardrail-read}.200.*', 'auth.missing-key', 'vault-delete.404.never-stored'],
    depth: 'quick',
    behaviour: replaceAnswers(() => true, makeJson(200, {})),
  });
  expect(report).toMatchObject({ verdict: 'non-conformant', gate: { exit_code: 1 } });
  const failed = expect.arrayContaining(['key-info.200.data', 'guardrail-read.200.data', 'auth.missing-key']);
  expect(idsWith(report, 'fail')).toEqual(failed);
  expect(findRow(report, 'vault-delete.404.never-stored').status).toBe('inconclusive');
});

it.concurrent('a redirect in place of every answer is explained as doctor would', async () => {
  const moved = { status: 301, headers: { Location: 'https://sso.test/login?from=1' }, body: '' };
  const { report } = await judgeReference({ behaviour: replaceAnswers(() => true, moved), depth: 'quick' });
  expect([report.verdict, report.run.requests < 100]).toEqual(['unjudged', true]);
  expect(report.run.notes[0]).toMatch(/with 301, a redirect to https:\/\/sso\.test\/login: /);
});

it.concurrent('a refusal followed by a server error instead of a 404 is not a violation', async () => {
  const stop = new AbortController();
  const { report } = await judgeReference({
    only: ['vault-delete.401.provisioning-key', 'vault-delete.401.keeps'],
    checks: allChecks.filter(({ id }) => id === 'vault-delete.401.keeps/chain'),
    behaviour: {
      // The vault answers 502 once it has refused a provisioning key in the same world.
      answer: (answer, call) => {
        const world = call.key?.world.id ?? '';
        if (call.key?.role === 'provisioning') call.server.memory.set(world, true);
        if (!isVault(204)(answer, call) || !call.server.memory.has(world)) return answer;
        // Retries would take half a minute.
        setTimeout(() => stop.abort('enough was seen'), 500);
        return makeEnvelope(502);
      },
    },
    signal: stop.signal,
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(findRow(report, 'vault-delete.401.keeps')).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/its positive control failed|enough was seen/),
  });
});
