import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { property } from '../../judge/property-check.js';
import { vaultRequestsPerWorld } from '../../judge/run-limits.js';
import type { Behaviour, Call } from '../../reference/behaviour.js';
import { situationProperties } from '../../suites/generated/situations.js';
import { nameProperties } from '../../suites/secret-name.js';
import { countTimes, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { judge, listFailed } from './generated-run.js';
import { everyName } from './name-property.js';

/** Spoils the answer to the first delete of the tiny property. */
function spoilingFirst(status: number): Pick<Behaviour, 'answer'> {
  return replaceAnswers((_answer, call) => isCase(call) && countTimes(call) === 1, makeEnvelope(status));
}

/** A delete that is no positive control's. */
function isCase({ operation, parameters }: Call): boolean {
  return operation === 'vault-delete' && !/^plumb[aeio]{24}$/.test(parameters.name ?? '');
}

it.each([404, 500])('a single %i for the first case is not reported', async (status) => {
  const run = await judge({ behaviour: spoilingFirst(status), checks: [everyName()] });
  expect(listFailed(run)).toEqual([]);
  expect(run.report.checks[0]).toMatchObject({ outcome: 'pass', failure: null });
});

describe.concurrent('a server that answers every seventh delete with 500', () => {
  function everySeventh(): Pick<Behaviour, 'answer'> {
    let deletes = 0;
    return {
      answer: (given, { operation }) => {
        if (operation !== 'vault-delete') return given;
        deletes += 1;
        return deletes % 7 === 0 ? makeEnvelope(500) : given;
      },
    };
  }

  const ofFewRequests = [...nameProperties, ...situationProperties.slice(0, 2)];

  it.each(ofFewRequests.map((check) => [check.property, check] as const))(
    'a server that answers every seventh delete with 500 fails nothing in %s',
    async (_name, check) => {
      const run = await judge({
        behaviour: everySeventh(),
        checks: [check],
        plan: { seed: 3, cases: 15, depth: 'quick' },
      });
      expect([listFailed(run), run.record.faults]).toEqual([[], []]);
    },
  );

  // A case of seven deletes and more (a sequence, most likely) ends at the server's next 500: one delete of the control, and the seventh is
  // wrong again, every time while the control holds every time.
  it('a server that answers every seventh delete with 500 fails nothing in cases of eight deletes', async () => {
    const run = await judge({ behaviour: everySeventh(), checks: [eightDeletes], concurrency: 1 });
    expect(listFailed(run)).toEqual([]);
  });
});

const eightDeletes = property<number>({
  name: 'eight-deletes',
  title: 'Eight secrets can be deleted.',
  decides: ['secret-name.accepts.words'],
  needs: ['store', 'role:member'],
  control: 'vault-delete',
  count: { quick: 10, standard: 10, deep: 10 },
  vaultRequests: 8,
  cases: () => ({ walk: [], arbitrary: fc.constant(8), classes: [] }),
  classOf: () => 'eight',
  run: async (count, { world, api }) => {
    for (let at = 0; at < count; at++)
      await api.deleteSecret({ name: await world.store('own') }).expectStatus(204);
  },
});

it('a second world is as fresh as a case wants its first, whatever another case left behind', async () => {
  const leavesOneBehind = property<number>({
    name: 'two-worlds',
    title: 'What is not stored in the second world is not there.',
    decides: ['vault-delete.404.never-stored'],
    needs: ['store', 'role:member', 'worlds'],
    control: 'vault-delete',
    count: { quick: 40, standard: 40, deep: 40 },
    vaultRequests: vaultRequestsPerWorld,
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
