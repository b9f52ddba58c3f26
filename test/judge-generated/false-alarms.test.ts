import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import type { Call } from '../../reference/call.js';
import { failed, ran } from './generated-run.js';
import { everyName, refusal } from './name-property.js';

const seeds = Array.from({ length: 20 }, (_, at) => at * 7_919 + 1);

describe('a server that conforms is accused of nothing', () => {
  // The walk is the same for every seed.
  it.each(seeds)('by sixty cases of every property, seed %i', async (seed) => {
    const run = await ran({ plan: { seed, cases: 60, depth: 'quick' } });
    expect(failed(run)).toEqual([]);
    expect(run.record.faults).toEqual([]);
    expect(run.report.totals.inconclusive).toBe(0);
    expect(run.record.judgements.map(({ cases }) => cases)).toEqual(run.record.judgements.map(() => 60));
  });

  it('by the walks', async () => {
    const run = await ran({ plan: { seed: 3, cases: 60 } });
    expect([failed(run), run.record.faults, run.report.totals.inconclusive]).toEqual([[], [], 0]);
  });
});

/** A server that spoils the answers to some deletes of the tiny property; told how often each came. */
function spoiling(isSpoilt: (times: number) => boolean, status: number): Pick<Behaviour, 'answer'> {
  let times = 0;
  return {
    answer: (answer, call) => {
      if (!isCase(call)) return answer;
      times += 1;
      return isSpoilt(times) ? refusal(status) : answer;
    },
  };
}

/** A delete that is no positive control's. */
function isCase({ operation, parameters }: Call): boolean {
  return operation === 'vault-delete' && !/^plumb[a-z]{12}$/.test(parameters.name ?? '');
}

describe('what happens once', () => {
  it.each([404, 400, 500, 503])('is not reported: the first case gets %i', async (status) => {
    const run = await ran({ behaviour: spoiling((times) => times === 1, status), checks: [everyName()] });
    expect(failed(run)).toEqual([]);
    expect(run.report.checks[0]).toMatchObject({ outcome: 'pass', failure: null });
  });

  it('is not reported of any property', async () => {
    const run = await ran({ behaviour: spoiling((times) => times % 400 === 10, 500), plan: { seed: 6 } });
    expect(failed(run)).toEqual([]);
    expect(run.record.faults).toEqual([]);
  });
});

describe('a server that answers every seventh delete with 500', () => {
  it.each([1, 2, 3, 4, 5, 6])('is accused of nothing, seed %i', async (seed) => {
    let deletes = 0;
    const answer: Behaviour['answer'] = (given, { operation }) => {
      if (operation !== 'vault-delete') return given;
      deletes += 1;
      return deletes % 7 === 0 ? refusal(500) : given;
    };
    const run = await ran({ behaviour: { answer }, plan: { seed, cases: 40, depth: 'quick' } });
    expect(failed(run)).toEqual([]);
    expect(run.record.faults).toEqual([]);
  });
});
