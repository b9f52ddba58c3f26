import { expect, it } from 'vitest';
import { allChecks } from '../../suites/all-checks.js';
import { isVault, makeEnvelope } from '../behaviours.js';
import { findRow, idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

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
