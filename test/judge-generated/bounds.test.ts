import { expect, it } from 'vitest';
import type { Check } from '../../judge/check.js';
import { vaultRequestsPerWorld, worldsAtMost } from '../../judge/run-limits.js';
import type { Behaviour, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { allChecks } from '../../suites/all-checks.js';
import { situationProperties } from '../../suites/generated/situations.js';
import { nameProperties } from '../../suites/secret-name.js';
import { listFailures } from '../report-rows.js';
import { everyName, judge, listFailed, wrongFor } from './generated-run.js';

function countingVaultRequests() {
  const perWorld = new Map<string, number>();
  const worlds = { seen: new Set<string>(), most: 0 };
  let unattributed = 0;
  const answer: Behaviour['answer'] = (given, call) => {
    const open = [...call.server.store.worlds()];
    for (const { id } of open) worlds.seen.add(id);
    worlds.most = Math.max(worlds.most, open.length);
    if (!call.path.startsWith('/v1/vault/') && !call.operation.startsWith('vault-')) return given;
    const world = worldOf(call);
    if (world === undefined) unattributed += 1;
    else perWorld.set(world, (perWorld.get(world) ?? 0) + 1);
    return given;
  };
  return { answer, perWorld, worlds, unattributed: () => unattributed };
}

function worldOf({ key, path, server }: Call): string | undefined {
  if (key !== undefined) return key.world.id;
  // It may have been cut short.
  const id = /\/interns\/([0-9a-f-]{35,36})/.exec(path)?.[1] ?? 'none';
  for (const { id: world, interns } of server.store.worlds()) {
    if (Object.values(interns).some((intern) => intern.startsWith(id))) return world;
  }
  return undefined;
}

it('a standard run has few worlds open at a time and sends at most fifty vault requests into each', async () => {
  const { answer, perWorld, worlds, unattributed } = countingVaultRequests();
  const run = await judge({ behaviour: { answer }, checks: allChecks, plan: { seed: 8 } });
  expect([listFailed(run), run.record.faults, run.report.totals.inconclusive]).toEqual([[], [], 0]);
  const counts = [...perWorld.values()];
  const total = counts.reduce((sum, count) => sum + count, 0);
  expect(Math.max(...counts)).toBeLessThanOrEqual(vaultRequestsPerWorld);
  expect(worlds.most).toBeLessThanOrEqual(worldsAtMost);
  expect(worlds.seen.size).toBeLessThan(250);
  // Cases share worlds; otherwise no world would come near the bound.
  expect(Math.max(...counts)).toBeGreaterThan(25);
  expect(unattributed()).toBeLessThan(total / 20);
});

it('a standard run also keeps to its bounds while cases fail, are confirmed and shrunk', async () => {
  const { answer, perWorld } = countingVaultRequests();
  const behaviour: Partial<Behaviour> = {
    isSecretName: (name) => name.length !== 97 && (conforming.isSecretName(name) || name.length % 2 === 0),
    answer,
  };
  expect(listFailed(await judge({ behaviour, checks: nameProperties, plan: { seed: 8 } }))).not.toEqual([]);
  expect(Math.max(...perWorld.values())).toBeLessThanOrEqual(vaultRequestsPerWorld);
});

const isSecretName = () => true;
const lax = { isSecretName, removeSecret: () => undefined };
const shortest = { case: { text: 'a'.repeat(65) } };

// What shrinking may cost is counted per trouble, and without the calls that make and give back worlds.
it.each<readonly [string, Partial<Behaviour>, readonly Check[], most: number, found: object]>([
  ['accepts every name and deletes nothing', lax, nameProperties.slice(0, 1), 2_000, {}],
  ['accepts every name and deletes nothing, by other names', lax, nameProperties.slice(1, 2), 2_000, {}],
  // Shrinking would find the shortest such name after some 12,000 tries.
  ['refuses long names', wrongFor((name) => name.length > 64), [everyName()], 4_000, shortest],
  ['accepts every name, for wider properties', { isSecretName }, situationProperties.slice(0, 2), 3_000, {}],
])('a server that %s costs a bounded number of requests', async (_what, behaviour, checks, most, found) => {
  const plan = { seed: 2 };
  const run = await judge({ behaviour, checks, plan });
  expect(listFailures(run.report)[0]?.counterexample).toMatchObject(found);
  expect(run.record.faults).toEqual([]);
  expect(run.requests - (await judge({ checks, plan })).requests).toBeLessThan(most);
});
