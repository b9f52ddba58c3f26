import fc from 'fast-check';
import { expect, it } from 'vitest';
import { property } from '../../judge/property-check.js';
import { vaultRequestsPerWorld } from '../../judge/run-limits.js';
import type { Answer, Call } from '../../reference/behaviour.js';
import { situationProperties } from '../../suites/generated/situations.js';
import { nameProperties } from '../../suites/secret-name.js';
import { countTimes, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { everyName, isCase, judge, listFailed } from './generated-run.js';

const isDelete = ({ operation }: Call) => operation === 'vault-delete';

it.each([404, 500])('a single %i for the first case is not reported', async (status) => {
  const isFirst = (_answer: Answer, call: Call) => isCase(call) && countTimes(call) === 1;
  const behaviour = replaceAnswers(isFirst, makeEnvelope(status));
  const run = await judge({ behaviour, checks: [everyName()] });
  expect(listFailed(run)).toEqual([]);
  expect(run.report.checks[0]).toMatchObject({ outcome: 'pass', failure: null });
});

const everySeventh = replaceAnswers(
  (_answer, call) => isDelete(call) && countTimes(call) % 7 === 0,
  makeEnvelope(500),
);

const ofFewRequests = [...nameProperties, ...situationProperties.slice(0, 2)];

it.concurrent.each(ofFewRequests.map((check) => [check.property, check] as const))(
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
    cases: () => ({ walk: [], arbitrary: fc.constant(8), classes: [] }),
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
    cases: () => ({ walk: [], arbitrary: fc.nat(), classes: [] }),
    classOf: () => 'any',
    run: async (_value, { world, openWorld }) => {
      const second = await openWorld();
      await second.api.deleteSecret({ name: 'a' }).expectStatus(404);
      await world.store('own', 'a');
    },
  });
  expect(listFailed(await judge({ checks: [leavesOneBehind] }))).toEqual([]);
});
