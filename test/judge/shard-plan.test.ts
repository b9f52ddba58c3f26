import { describe, expect, it } from 'vitest';
import type { Check } from '../../judge/check.js';
import type { Depth } from '../../judge/plan.js';
import { Selection } from '../../judge/selection.js';
import { estimateRequests, planShard } from '../../judge/shard-plan.js';
import { allChecks } from '../../suites/all-checks.js';

const everything = new Selection({ only: [], skip: [] });

function partsOf(of: number, depth: Depth = 'standard', selection = everything, checks = allChecks) {
  const plan = { seed: 1, depth };
  return Array.from({ length: of }, (_, at) =>
    planShard(checks, { selection, plan, shard: { index: at + 1, of } }),
  );
}

describe.each<Depth>(['quick', 'standard', 'deep'])('the shards of a run at depth %s', (depth) => {
  const whole = planShard(allChecks, { selection: everything, plan: { seed: 1, depth } });

  it.each([1, 2, 3, 5, 8])('each check that is not divided is in exactly one of %i shards', (of) => {
    const parts = partsOf(of, depth);
    const [{ divided = new Set<Check>() } = {}] = parts;
    for (const part of parts) {
      expect(part.divided).toEqual(divided);
      expect(part.own).toEqual(expect.arrayContaining([...divided]));
    }
    // Every shard runs the checks that judge what others left.
    const idsOf = (checks: readonly Check[]) =>
      checks.flatMap((check) => (check.kind === 'final' || divided.has(check) ? [] : [check.id])).toSorted();
    const ids = idsOf(parts.flatMap(({ own }) => own));
    expect(ids).toEqual(idsOf(whole.own));
    expect(new Set(ids).size).toBe(ids.length);
    for (const { chosen, own } of parts) {
      expect(own.some(({ kind }) => kind === 'final')).toBe(true);
      expect(chosen).toEqual(whole.chosen);
      expect(own, 'in the order of one run').toEqual(whole.chosen.filter((check) => own.includes(check)));
    }
  });

  it('each requirement is answered for by one shard, or by none where the check that comes first is divided', () => {
    const parts = partsOf(3, depth);
    for (const id of new Set(whole.chosen.flatMap(({ decides }) => decides))) {
      const answering = parts.filter(
        ({ division }) => division?.elsewhere.has(id) === false && !division.shared.has(id),
      );
      const first = whole.chosen.find(({ decides }) => decides.includes(id));
      const isDivided = first !== undefined && parts[0]?.divided.has(first);
      expect([id, answering.length]).toEqual([id, isDivided ? 0 : 1]);
    }
  });

  it.each([3, 8])('%i shards send about the same number of requests each', (of) => {
    const loads = partsOf(of, depth).map(({ own, divided }) =>
      own.reduce((sum, check) => sum + estimateRequests(check, { depth }) / (divided.has(check) ? of : 1), 0),
    );
    const mean = loads.reduce((sum, load) => sum + load, 0) / of;
    expect(Math.max(...loads)).toBeLessThan(1.2 * mean);
  });
});

it('a run that is not split leaves nothing to other shards', () => {
  const [whole] = partsOf(1);
  expect(whole?.division).toBeUndefined();
  expect(whole?.own).toEqual(whole?.chosen);
  expect(new Set(whole?.own)).toEqual(new Set(allChecks));
});

it('checks that choose their own names stay in one shard', () => {
  const usesNames = (check: Check) => check.sideEffects === 'names';
  const with_ = partsOf(4).filter(({ own }) => own.some(usesNames));
  expect(with_).toHaveLength(1);
  expect(new Set(with_[0]?.own.filter(usesNames))).toEqual(new Set(allChecks.filter(usesNames)));
});

it('the order of the checks does not change their shards', () => {
  const ids = (checks: readonly Check[]) =>
    partsOf(3, 'deep', everything, checks).map(({ own }) => own.map(({ id }) => id).toSorted());
  // Checks that stay together are named by the first of them.
  const moved = [...allChecks.filter(({ kind }) => kind === 'generated'), ...allChecks];
  expect(ids([...new Set(moved)])).toEqual(ids(allChecks));
});

it('a shard without checks leaves its requirements to the others', () => {
  const selection = new Selection({ only: ['key-info.usage.nested'], skip: [] });
  const parts = partsOf(9, 'standard', selection);
  const idle = parts.filter(({ own }) => own.length === 0);
  expect(idle.length).toBeGreaterThan(0);
  for (const { division } of idle) expect(division?.elsewhere.has('key-info.usage.nested')).toBe(true);
});

it('the first checks of a run are the same at every depth, and decide every requirement that a written check decides', () => {
  const openings = (['quick', 'standard', 'deep'] as const).map((depth) => {
    const { chosen, opening } = planShard(allChecks, { selection: everything, plan: { seed: 1, depth } });
    expect(chosen.slice(0, opening.size)).toEqual([...opening]);
    return [...opening];
  });
  const [quick = []] = openings;
  for (const opening of openings) expect(opening.map(({ id }) => id)).toEqual(quick.map(({ id }) => id));
  const rowsOf = (checks: readonly Check[]) =>
    new Set(checks.flatMap(({ kind, decides }) => (kind === 'written' ? decides : [])));
  const silent = new Set(['secret-name.routing']);
  expect([...rowsOf(allChecks)].filter((id) => !rowsOf(quick).has(id) && !silent.has(id))).toEqual([]);
});
