import { expect, it } from 'vitest';
import type { Answer, Call } from '../../reference/behaviour.js';
import { FAULTS } from '../../reference/vocabulary.js';
import { allChecks } from '../../suites/all-checks.js';
import { countTimes, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { type Judging, judgeReference } from '../judge/judge-reference.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';

const quick = (judging: Judging) => judgeReference({ ...judging, checks: allChecks, depth: 'quick' });

const isDelete = ({ operation }: Call) => operation === 'vault-delete';
const isProvisioning = (call: Call) => isDelete(call) && call.key?.role === 'provisioning';

it('a target without most keys and one fault of a batch passes the rest; its report says what it lacks', async () => {
  const faults = FAULTS.filter((fault) => fault !== 'vault_rate_limited');
  const { report } = await quick({ capabilities: { roles: ['member', 'management'], faults } });
  expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
  const unseen = report.requirements.filter(
    ({ status, level }) => status === 'not-exercised' && level === 'must',
  );
  expect(unseen.filter(({ reason }) => !/^needs /.test(reason ?? '')).map(({ id }) => id)).toEqual([]);
  expect(findRow(report, 'vault-delete.429.keeps').status).toBe('not-exercised');
  expect(findRow(report, 'vault-delete.503.not-configured').status).toBe('pass');
});

it('a batch continues after a wrong answer, so that one violation does not hide others', async () => {
  const { report } = await quick({
    only: ['vault-delete.401.*'],
    behaviour: replaceAnswers((_answer, call) => isProvisioning(call), { status: 204, headers: {} }),
  });
  expect(idsWith(report, 'fail')).toEqual(['vault-delete.401.provisioning-key']);
  const passed = ['missing-key', 'unknown-key', 'keeps'].map((word) => `vault-delete.401.${word}`);
  expect(idsWith(report, 'pass')).toEqual(expect.arrayContaining(passed));
});

it('a batch repeats a conclusive finding once and any other three times', async () => {
  const confirm = async (answer: Answer) => {
    const behaviour = replaceAnswers((_answer, call) => isProvisioning(call), answer);
    const { report } = await quick({ only: ['vault-delete.401.provisioning-key'], behaviour });
    return findCheck(report, 'vault-delete.401.keeps/chain').failure?.confirmed;
  };
  expect(await confirm({ status: 204, headers: {} })).toBe('1/1');
  expect(await confirm(makeEnvelope(503))).toBe('3/3');
});

// Each repetition asks the same number of deletes: without something more between them the same one fails each time.
it('a batch takes a server that fails periodically as disturbed', async () => {
  const { report } = await quick({
    only: ['vault-delete.403.*'],
    behaviour: replaceAnswers((_, call) => isDelete(call) && countTimes(call) % 11 === 0, makeEnvelope(502)),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
});

it('a regional hostname may have a port', async () => {
  const { report } = await judgeReference({
    only: ['vault-delete.403.regional-*'],
    regionalHost: 'eu.vault.test:8443',
  });
  expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
  expect(idsWith(report, 'pass')).toContain('vault-delete.403.regional-host-dot');
});
