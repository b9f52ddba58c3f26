import { expect, it } from 'vitest';
import type { Check } from '../../judge/check.js';
import { vaultRequestsPerWorld } from '../../judge/run-limits.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { situationProperties } from '../../suites/generated/situations.js';
import { nameProperties } from '../../suites/secret-name.js';
import { listFailures } from '../report-rows.js';
import { everyName, judge, listFailed, wrongFor } from './generated-run.js';
import { countVaultRequests } from './vault-requests.js';

it('a run sends at most fifty vault requests into a world while cases fail, are confirmed and shrunk', async () => {
  const { answer, perWorld } = countVaultRequests();
  const behaviour: Partial<Behaviour> = {
    isSecretName: (name) => name.length !== 97 && (conforming.isSecretName(name) || name.length % 2 === 0),
    answer,
  };
  const plan = { seed: 8, cases: 60 };
  expect(listFailed(await judge({ behaviour, checks: nameProperties, plan }))).not.toEqual([]);
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
  ['refuses long names', wrongFor((name) => name.length > 64), [everyName({ count: 60 })], 4_000, shortest],
  ['accepts every name, for wider properties', { isSecretName }, situationProperties.slice(0, 2), 3_000, {}],
])('a server that %s costs a bounded number of requests', async (_what, behaviour, checks, most, found) => {
  const plan = { seed: 2, cases: 60 };
  const run = await judge({ behaviour, checks, plan });
  expect(listFailures(run.report)[0]?.counterexample).toMatchObject(found);
  expect(run.record.faults).toEqual([]);
  expect(run.requests - (await judge({ checks, plan })).requests).toBeLessThan(most);
});
