import { expect, it } from 'vitest';
import type { Behaviour, GateName } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { editGate } from '../../reference/mutation.js';
import { allChecks } from '../../suites/all-checks.js';
import { findRow, judgeReference, listIds } from './judge-reference.js';
import { isVault, makeEnvelope } from './wrong-answers.js';

/** A behaviour whose gate refuses and deletes all the same. */
function deletingAt(name: GateName): Partial<Behaviour> {
  return editGate('vault-delete', name, (call, original) => {
    const refusal = original(call);
    const place = refusal && conforming.findSecret(call);
    if (place !== undefined) conforming.removeSecret(call, place);
    return refusal;
  });
}

it.concurrent.each([
  ['no-provisioning-key', 'vault-delete.401.keeps', 'vault-delete.401.provisioning-key'],
  ['workspace-scope', 'vault-delete.403.keeps', 'vault-delete.403.no-scope'],
  ['intern-programme', 'vault-delete.404.keeps', 'vault-delete.404.outside-programme'],
  ['vault-writes', 'vault-delete.503.keeps', 'vault-delete.503.writes-disabled'],
] as const)(
  'a server that refuses at the gate %s but deletes violates %s and not %s',
  async (gate, keeps, refused) => {
    const { report } = await judgeReference({ only: [keeps, refused], behaviour: deletingAt(gate) });
    expect(listIds(report, 'fail')).toEqual([keeps]);
    expect(findRow(report, refused).status).toBe('pass');
    const check = report.checks.find(({ failure }) => failure?.requirement === keeps);
    expect(check?.failure).toMatchObject({
      message: expect.stringContaining('the secret is gone although no delete of it succeeded'),
      actual: '404',
      confirmed: '3/3',
    });
  },
);

it.concurrent.each([
  ['vault_rate_limited', 'vault-delete.429.keeps'],
  ['scope_lookup_failed', 'vault-delete.500.keeps'],
  ['vault_not_configured', 'vault-delete.503.keeps'],
] as const)('a delete that is refused under the fault %s must keep the secret: %s', async (fault, keeps) => {
  const { report } = await judgeReference({
    only: [keeps.replace('keeps', '*')],
    behaviour: deletingUnder(fault),
  });
  expect(listIds(report, 'fail')).toEqual([keeps]);
});

it.concurrent.each(['vault_unreachable', 'vault_timeout', 'route_deadline'] as const)(
  'a delete under the fault %s may keep or remove the secret',
  async (fault) => {
    const { report } = await judgeReference({
      only: ['vault-delete.{408,502,504}.*'],
      behaviour: deletingUnder(fault),
    });
    expect(listIds(report, 'fail')).toEqual([]);
    expect(report.verdict).toBe('conformant');
  },
);

/** A behaviour that deletes although a fault of the vault makes it refuse. */
function deletingUnder(fault: keyof Behaviour['faults']): Partial<Behaviour> {
  return editGate('vault-delete', 'fault', (call, original) => {
    const refusal = original(call);
    const place = call.key?.world.faults.includes(fault) ? conforming.findSecret(call) : undefined;
    if (refusal !== undefined && place !== undefined) conforming.removeSecret(call, place);
    return refusal;
  });
}

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
  expect(listIds(report, 'fail')).toEqual([]);
  expect(findRow(report, 'vault-delete.401.keeps')).toMatchObject({
    status: 'inconclusive',
    reason: expect.stringMatching(/its positive control failed|enough was seen/),
  });
});
