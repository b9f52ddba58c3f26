import { expect, it } from 'vitest';
import type { Behaviour, Call, GateName } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { editGate } from '../../reference/mutation.js';
import { allChecks } from '../../suites/all-checks.js';
import { isVault, makeEnvelope } from '../behaviours.js';
import { findRow, idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

/** A behaviour whose gate refuses and deletes all the same. */
function deletingAt(name: GateName, when: (call: Call) => boolean = () => true): Partial<Behaviour> {
  return editGate('vault-delete', name, (call, original) => {
    const refusal = original(call);
    const place = refusal && when(call) ? conforming.findSecret(call) : undefined;
    if (place !== undefined) conforming.removeSecret(call, place);
    return refusal;
  });
}

it.concurrent('a server that refuses but deletes violates that it keeps, not that it refuses', async () => {
  const [keeps, refused] = ['vault-delete.403.keeps', 'vault-delete.403.no-scope'] as const;
  const { report } = await judgeReference({
    only: [keeps, refused],
    behaviour: deletingAt('workspace-scope'),
  });
  expect(idsWith(report, 'fail')).toEqual([keeps]);
  expect(findRow(report, refused).status).toBe('pass');
  const check = report.checks.find(({ failure }) => failure?.requirement === keeps);
  expect(check?.failure).toMatchObject({
    message: expect.stringContaining('the secret is gone although no delete of it succeeded'),
    actual: '404',
    confirmed: '3/3',
  });
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
