import { describe, expect, it } from 'vitest';
import { type Behaviour, conforming } from '../../reference/behaviour.js';
import type { Call } from '../../reference/call.js';
import { allChecks } from '../../suites/all-checks.js';
import { failed, type Ran, ran } from './generated-run.js';
import { refusal } from './name-property.js';

/** Counts the vault requests of every world, by its key or, where there is none, by the intern in the path. */
function countingVaultRequests() {
  const perWorld = new Map<string, number>();
  let unattributed = 0;
  const answer: Behaviour['answer'] = (given, call) => {
    if (!call.path.startsWith('/v1/vault/') && !call.operation.startsWith('vault-')) return given;
    const world = worldOf(call);
    if (world === undefined) unattributed += 1;
    else perWorld.set(world, (perWorld.get(world) ?? 0) + 1);
    return given;
  };
  return { answer, perWorld, unattributed: () => unattributed };
}

function worldOf({ key, path, server }: Call): string | undefined {
  if (key !== undefined) return key.world.id;
  // A malformed internId is an id that was cut short.
  const id = /\/interns\/([0-9a-f-]{35,36})/.exec(path)?.[1] ?? 'none';
  for (const { id: world, interns } of server.store.worlds()) {
    if (Object.values(interns).some((intern) => intern.startsWith(id))) return world;
  }
  return undefined;
}

it('no world gets more than fifty vault requests in a whole standard run', async () => {
  const { answer, perWorld, unattributed } = countingVaultRequests();
  const run = await ran({ behaviour: { answer }, checks: allChecks, plan: { seed: 8 } });
  expect(failed(run)).toEqual([]);
  const counts = [...perWorld.values()];
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(Math.max(...counts)).toBeLessThanOrEqual(50);
  // Worlds are shared by cases, or the bound would be met by nobody.
  expect(Math.max(...counts)).toBeGreaterThan(40);
  expect(unattributed()).toBeLessThan(total / 20);
});

it('nor where cases fail, are confirmed and shrunk', async () => {
  const { answer, perWorld } = countingVaultRequests();
  const behaviour: Partial<Behaviour> = {
    isSecretName: (name) => name.length !== 97 && (conforming.isSecretName(name) || name.length % 2 === 0),
    answer,
  };
  expect(failed(await ran({ behaviour, plan: { seed: 8 } }))).not.toEqual([]);
  expect(Math.max(...perWorld.values())).toBeLessThanOrEqual(50);
});

const failing: readonly (readonly [string, Partial<Behaviour>])[] = [
  ['deletes nothing', { removeSecret: () => undefined }],
  ['takes every name for legal', { isSecretName: () => true }],
  [
    'answers 400 to every name but those of the positive controls',
    { isSecretName: (name) => /^plumb[a-z]{12}$/.test(name) },
  ],
  [
    'answers 418 to every refused delete',
    {
      refuse: (call, given) =>
        call.operation === 'vault-delete' ? refusal(418) : conforming.refuse(call, given),
    },
  ],
];

describe('a server that fails for every name costs a bounded number of requests more', () => {
  const plan = { seed: 2 };
  let conformingRun: Promise<Ran> | undefined;

  it.each(failing)('one that %s', async (_what, behaviour) => {
    conformingRun ??= ran({ plan });
    const run = await ran({ behaviour, plan });
    expect(failed(run)).not.toEqual([]);
    expect(run.record.faults).toEqual([]);
    expect(run.requests - (await conformingRun).requests).toBeLessThan(3_000);
  });
});
