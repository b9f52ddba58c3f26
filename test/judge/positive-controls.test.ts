import { expect, it, onTestFinished, vi } from 'vitest';
import { plainRequests } from '../../judge/call.js';
import type { Answer, Call } from '../../reference/behaviour.js';
import { transmitAs } from '../../reference/mutation.js';
import { WorldStore } from '../../reference/world-store.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Operation } from '../../spec/vocabulary.js';
import { allChecks } from '../../suites/all-checks.js';
import {
  behaveAsMutant,
  countTimes,
  isVault,
  makeEnvelope,
  makeHaproxyPage,
  makeJson,
  replaceAnswers,
  sendOtherwise,
} from '../behaviours.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';
import { judgeReference, listViolated } from './judge-reference.js';

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

/** The operations whose names differ in the reference. */
const inReference: Readonly<Partial<Record<Operation, string>>> = { 'key-info': 'key-read' };

function always(operation: Operation, answer: Answer | ((call: Call) => Answer)) {
  return replaceAnswers(
    (_answer, call) => call.operation === (inReference[operation] ?? operation) && call.key !== undefined,
    answer,
  );
}

// These tests mostly wait: what they make wrong is retried after pauses.
it.concurrent.each<readonly [Operation, got: string, Answer, only: string]>([
  ['vault-delete', '503', makeEnvelope(503), 'vault-delete.{204,503}.*'],
  ['vault-delete', '429', makeEnvelope(429), 'vault-delete.{204,404}.*'],
  ['key-info', '502', makeEnvelope(502), '{key-info,auth,credit-limit}.*'],
  ['inference', '503', makeEnvelope(503), '{inference,stream-error}.*'],
  ['guardrail-read', '503 (a page of HAProxy)', makeHaproxyPage(503), 'guardrail-read.*'],
])('%s that always answers %s is reported as down; nothing fails', async (operation, got, answer, only) => {
  const behaviour = always(operation, answer);
  const { report } = await judgeReference({ behaviour, only: [only], depth: 'quick' });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(report).toMatchObject({ verdict: 'incomplete', gate: { exit_code: 4 } });
  const reason = `${operation} is down: its plain requests got ${got}`;
  expect(report.run.notes).toEqual([reason]);
  const row = findRow(report, plainRequests[operation].requirement);
  expect(row).toMatchObject({ status: 'inconclusive', reason_code: 'operation-down', reason });
});

it.concurrent.each<readonly [mutant: string, RequirementId]>([
  ['vault-delete.only-secret-500', 'vault-delete.204.deleted'],
  ['vault-delete.first-of-a-world-500', 'vault-delete.204.deleted'],
  ['guardrail-read.without-a-list-500', 'guardrail-read.200.read'],
])('an operation that serves other plain requests is not down: %s', async (mutant, row) => {
  const { report } = await judgeReference({ behaviour: behaveAsMutant(mutant), only: [row], depth: 'quick' });
  expect(idsWith(report, 'fail')).toEqual([row]);
});

it.concurrent('an operation that comes up after the last try of its control is judged', async () => {
  // Three tries of the control, two deletes that verify the interns, and the first of the two other deletes.
  const isEarly = (answer: Answer, call: Call) => isVault(204)(answer, call) && countTimes(call) <= 6;
  const { report } = await judgeReference({
    behaviour: replaceAnswers(isEarly, makeEnvelope(503)),
    only: ['vault-delete.204.deleted', 'vault-delete.404.never-stored'],
    depth: 'quick',
  });
  const rows = ['vault-delete.204.deleted', 'vault-delete.404.never-stored'] as const;
  expect(rows.map((row) => findRow(report, row).status)).toEqual(['pass', 'pass']);
});

it.concurrent('an operation that loses every connection is down, and nothing fails', async () => {
  const { report } = await judgeReference({
    only: ['guardrail-read.*', 'key-info.200.*'],
    behaviour: sendOtherwise(
      (_answer, call) => call.operation === 'guardrail-read',
      (response) => response.destroy(),
    ),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(report.run.notes).toEqual([expect.stringContaining('guardrail-read is down: ')]);
  expect(findRow(report, 'key-info.200.read').status).toBe('pass');
});

it.concurrent('a server whose every operation is down is unjudged', async () => {
  const { report } = await judgeReference({
    depth: 'quick',
    behaviour: replaceAnswers(() => true, makeEnvelope(503)),
  });
  expect(report).toMatchObject({ verdict: 'unjudged', gate: { exit_code: 3 }, totals: { pass: 0, fail: 0 } });
  expect(report.run.notes[0]).toContain('no positive control passed: key-info is down');
});

it.concurrent.each<readonly [what: string, status: number, failed: readonly RequirementId[]]>([
  ['an undocumented status', 504, ['guardrail-read.200.read', 'guardrail-read.status-documented']],
  ['a refusal', 404, ['guardrail-read.200.read']],
])('%s of every plain request does not mean that an operation is down', async (_what, status, failed) => {
  const behaviour = always('guardrail-read', makeEnvelope(status));
  expect(await listViolated({ only: ['guardrail-read.*'], behaviour })).toEqual(failed);
});

it.concurrent('a 503 outside the envelope means that an operation is down and violates the envelope', async () => {
  const behaviour = always('vault-delete', { ...makeEnvelope(503), body: { message: 'unavailable' } });
  expect(await listViolated({ depth: 'quick', behaviour })).toEqual(['envelope.error']);
});

it.concurrent('an operation that is down but leaks stored values fails', async () => {
  const behaviour = always('vault-delete', ({ key }) => ({
    ...makeEnvelope(503),
    body: { error: { code: 503, message: [...(key?.world.secrets.own.values() ?? [])].join(' ') } },
  }));
  expect(await listViolated({ depth: 'quick', behaviour })).toEqual(['secrecy.body']);
});

it.concurrent('a model that is down fails while another model works', async () => {
  const isFree = (_answer: Answer, { inference, key }: Call) =>
    inference?.model.endsWith(':free') === true && key !== undefined;
  const behaviour = replaceAnswers(isFree, makeEnvelope(503));
  expect(await listViolated({ only: ['inference.*'], behaviour })).toEqual(['inference.routed']);
});

it.concurrent('an operation that is down but answers a request without a known key fails', async () => {
  const behaviour = replaceAnswers(
    (_answer, call) => call.operation === 'vault-delete',
    (call) => (call.key === undefined ? { status: 204, headers: {} } : makeEnvelope(503)),
  );
  const only = ['vault-delete.{204.deleted,401.{missing,unknown}-key}'];
  const failed = ['vault-delete.401.missing-key', 'vault-delete.401.unknown-key'];
  expect(await listViolated({ only, behaviour })).toEqual(failed);
});

it('an operation is down although the control failed before its first try', async () => {
  const failing = vi.spyOn(WorldStore.prototype, 'open');
  for (const _operation of Object.keys(plainRequests))
    failing.mockImplementationOnce(() => {
      throw new Error('No world can be opened yet.');
    });
  onTestFinished(() => failing.mockRestore());
  const { report } = await judgeReference({
    only: ['guardrail-read.*'],
    behaviour: always('guardrail-read', makeEnvelope(503)),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(report.run.notes).toEqual(['guardrail-read is down: its plain requests got 503']);
});

it('a service that waits longer than the run for what it depends on is not judged by it', async () => {
  const isSlow = ({ key }: Call) => ['vault_unreachable', 'model_down'].includes(key?.world.faults[0] ?? '');
  const { report } = await judgeReference({
    only: ['vault-delete.50?.*', 'inference.50?.*'],
    timeoutMs: 1_000,
    behaviour: transmitAs({ when: isSlow }, () => undefined),
  });
  expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
  const lacking = report.requirements.filter(
    ({ status, reason }) => status === 'not-exercised' && reason?.includes('--timeout beyond the deadline'),
  );
  expect(lacking.map(({ id }) => id)).toEqual(['vault-delete.502.unreachable', 'inference.502.model-down']);
  expect(idsWith(report, 'pass')).toContain('vault-delete.504.timeout');
});
