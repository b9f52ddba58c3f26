import { expect, it } from 'vitest';
import type { Call } from '../../reference/behaviour.js';
import type { Capabilities } from '../../reference/capabilities.js';
import { FAULTS } from '../../reference/vocabulary.js';
import { allChecks } from '../../suites/all-checks.js';
import { countTimes, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { type Judging, judgeReference } from '../judge/judge-reference.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';

const checks = allChecks;
const quick = (judging: Judging = {}) => judgeReference({ ...judging, checks, depth: 'quick' });

const isDelete = ({ operation }: Call) => operation === 'vault-delete';
const isAs = (role: string) => (call: Call) => isDelete(call) && call.key?.role === role;

it('the first checks pass every must with room for confirmation, and send at most 50 deletes into a world', async () => {
  const asked = new Map<string, number>();
  const { report, worldsLeft } = await quick({
    behaviour: {
      ...replaceAnswers((_answer, call) => {
        const world = call.key?.world.id;
        if (isDelete(call) && world !== undefined) asked.set(world, (asked.get(world) ?? 0) + 1);
        return false;
      }, makeEnvelope(500)),
    },
  });
  expect(report.verdict).toBe('conformant');
  expect(report.totals['not-exercised']).toBe(0);
  // How many worlds are opened, and so how many requests they cost, differs a little from run to run.
  expect(report.run.requests).toBeLessThanOrEqual(470);
  expect(Math.max(...asked.values())).toBeLessThanOrEqual(50);
  expect(worldsLeft).toBe(0);
});

it.each<readonly [string, Partial<Capabilities>]>([
  ['one fault of a batch', { faults: FAULTS.filter((fault) => fault !== 'vault_rate_limited') }],
  ['keys of most roles', { roles: ['member', 'management'] }],
  [
    'everything but a key',
    { roles: ['member'], faults: [], features: [], inference: false, regional: false },
  ],
])('the report names what a target without %s lacks', async (_name, capabilities) => {
  const { report } = await quick({ capabilities });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(idsWith(report, 'inconclusive')).toEqual([]);
  const unseen = report.requirements.filter(
    ({ status, level }) => status === 'not-exercised' && level === 'must',
  );
  expect(unseen.filter(({ reason }) => !/^would take /.test(reason ?? '')).map(({ id }) => id)).toEqual([]);
});

it('a requirement that one batch cannot show is decided by another check', async () => {
  const faults = FAULTS.filter((fault) => fault !== 'vault_rate_limited');
  const { report } = await quick({ only: ['vault-delete.*'], capabilities: { faults } });
  expect(findRow(report, 'vault-delete.429.keeps').reason).toBe(
    'would take the fault vault_rate_limited (control protocol)',
  );
  expect(findRow(report, 'vault-delete.503.not-configured').status).toBe('pass');
});

it('a batch continues after a wrong answer, so that one violation does not hide others', async () => {
  const { report } = await quick({
    only: ['vault-delete.401.*'],
    behaviour: replaceAnswers(
      (_answer, call) => isAs('provisioning')(call),
      () => ({ status: 204, headers: {} }),
    ),
  });
  expect(idsWith(report, 'fail')).toEqual(['vault-delete.401.provisioning-key']);
  expect(idsWith(report, 'pass')).toEqual(
    expect.arrayContaining([
      'vault-delete.401.missing-key',
      'vault-delete.401.unknown-key',
      'vault-delete.401.keeps',
    ]),
  );
});

it('a batch repeats a conclusive finding once and any other three times', async () => {
  const wrong = async (status: 204 | 503) => {
    const answer = status === 204 ? { status, headers: {} } : makeEnvelope(status);
    const { report } = await quick({
      only: ['vault-delete.401.provisioning-key'],
      behaviour: replaceAnswers(
        (_answer, call) => isAs('provisioning')(call),
        () => answer,
      ),
    });
    return findCheck(report, 'vault-delete.401.keeps/chain').failure?.confirmed;
  };
  expect(await wrong(204)).toBe('1/1');
  expect(await wrong(503)).toBe('3/3');
});

// Each repetition asks the same number of deletes: without something more between them the same one fails each time.
it('a batch takes a server that fails periodically as disturbed', async () => {
  const { report } = await quick({
    only: ['vault-delete.403.*'],
    behaviour: replaceAnswers(
      (_answer, call) => isDelete(call) && countTimes(call) % 11 === 0,
      makeEnvelope(502),
    ),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
});
