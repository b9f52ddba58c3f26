import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Check } from '../../judge/check.js';
import { property } from '../../judge/property-check.js';
import { vaultRequestsPerWorld } from '../../judge/run-limits.js';
import type { Answer, Behaviour, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { situationProperties } from '../../suites/generated/situations.js';
import { nameProperties } from '../../suites/secret-name.js';
import { countTimes, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { listFailures } from '../report-rows.js';
import { everyName, isCase, judge, listFailed, wrongFor } from './generated-run.js';
import { countVaultRequests } from './vault-requests.js';

const isDelete = ({ operation }: Call) => operation === 'vault-delete';

it.each([404, 500])('a single %i for the first case is not reported', async (status) => {
  const isFirst = (_answer: Answer, call: Call) => isCase(call) && countTimes(call) === 1;
  const behaviour = replaceAnswers(isFirst, makeEnvelope(status));
  const run = await judge({ behaviour, checks: [everyName({ count: 20 })] });
  expect(listFailed(run)).toEqual([]);
  expect(run.report.checks[0]).toMatchObject({ outcome: 'pass', failure: null });
});

const everySeventh = replaceAnswers(
  (_answer, call) => isDelete(call) && countTimes(call) % 7 === 0,
  makeEnvelope(500),
);

const ofFewRequests = [...nameProperties, ...situationProperties.slice(0, 2)];

const named = ofFewRequests.map((check) => [check.property, check] as const);
it.concurrent.each(named)(
  'a server that answers every seventh delete with 500 fails nothing in %s',
  async (_name, check) => {
    const plan = { seed: 3, cases: 15, depth: 'quick' } as const;
    const run = await judge({ behaviour: everySeventh, checks: [check], plan });
    expect([listFailed(run), run.record.faults]).toEqual([[], []]);
  },
);

// A case of seven deletes and more (a sequence, most likely) ends at the server's next 500: one delete of the control, and the seventh is
// wrong again, every time while the control holds every time.
it.concurrent('a server that answers every seventh delete with 500 fails nothing in cases of eight deletes', async () => {
  const eightDeletes = property<number>({
    ...{ name: 'eight-deletes', title: 'Eight secrets can be deleted.', control: 'vault-delete' },
    ...{ decides: ['secret-name.accepts.words'], needs: ['store', 'role:member'], vaultRequests: 8 },
    count: { quick: 10, standard: 10, deep: 10 },
    cases: () => ({ walk: [], arbitrary: fc.constant(8) }),
    classOf: () => 'eight',
    run: async (count, { world, api }) => {
      for (let at = 0; at < count; at++)
        await api.deleteSecret({ name: await world.store('own') }).expectStatus(204);
    },
  });
  const run = await judge({ behaviour: everySeventh, checks: [eightDeletes], concurrency: 1 });
  expect(listFailed(run)).toEqual([]);
});

it('a second world is as fresh as a case wants its first, whatever another case left behind', async () => {
  const leavesOneBehind = property<number>({
    ...{ name: 'two-worlds', title: 'What is not stored in the second world is not there.' },
    ...{ decides: ['vault-delete.404.never-stored'], needs: ['store', 'role:member', 'worlds'] },
    ...{ control: 'vault-delete', vaultRequests: vaultRequestsPerWorld },
    count: { quick: 40, standard: 40, deep: 40 },
    pool: () => 'spoiled',
    cases: () => ({ walk: [], arbitrary: fc.nat() }),
    classOf: () => 'any',
    run: async (_value, { world, openWorld }) => {
      const second = await openWorld();
      await second.api.deleteSecret({ name: 'a' }).expectStatus(404);
      await world.store('own', 'a');
    },
  });
  expect(listFailed(await judge({ checks: [leavesOneBehind] }))).toEqual([]);
});

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
  ['accepts every name and deletes nothing', lax, nameProperties.slice(1, 2), 2_000, {}],
  // Shrinking would find the shortest such name after some 12,000 tries.
  ['refuses long names', wrongFor((name) => name.length > 64), [everyName({ count: 60 })], 4_000, shortest],
  ['accepts every name, for wider properties', { isSecretName }, situationProperties.slice(0, 1), 3_000, {}],
])('a server that %s costs a bounded number of requests', async (_what, behaviour, checks, most, found) => {
  const plan = { seed: 2, cases: 60 };
  const run = await judge({ behaviour, checks, plan });
  expect(listFailures(run.report)[0]?.counterexample).toMatchObject(found);
  expect(run.record.faults).toEqual([]);
  expect(run.requests - (await judge({ checks, plan })).requests).toBeLessThan(most);
});
