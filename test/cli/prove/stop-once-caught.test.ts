import { describe, expect, it } from 'vitest';
import {
  type CatalogueRow,
  catalogue,
  drawFifth,
  findServer,
  groupVariants,
  selectServers,
} from '../../../cli/prove/catalogue.js';
import { judgeServer, judgeServers } from '../../../cli/prove/judge-server.js';
import { summarizeProof } from '../../../cli/prove.js';
import { decisionsOf } from '../../../reference/variant.js';

const plan = { seed: 7, depth: 'quick' } as const;
const mutant = 'vault-delete.missing-key-404';

it('prove stops judging a mutant once every requirement that it declares is confirmed', async () => {
  const stopped = await judgeServer(findServer(mutant), { ...plan, toTheEnd: false });
  expect(stopped).toMatchObject({ outcome: 'caught', exit_code: 1, to_the_end: false, inconclusive: [] });
  expect(stopped.red.map(({ id }) => id)).toEqual(stopped.turns_red);
  const whole = await judgeServer(findServer(mutant), { ...plan, toTheEnd: true });
  expect(whole).toMatchObject({ outcome: 'caught', to_the_end: true });
  expect(stopped.requests).toBeLessThan(whole.requests / 2);
});

it('prove judges a mutant to the end if an undeclared requirement fails', async () => {
  const row = { ...findServer(mutant), violates: ['vault-delete.204.deleted'] } as CatalogueRow;
  const judged = await judgeServer(row, { ...plan, toTheEnd: false });
  expect(judged).toMatchObject({ outcome: 'misnamed', to_the_end: true });
});

it('prove judges a mutant that few cases do not catch again with all cases', async () => {
  const survivor = { ...findServer(mutant), mutation: {} };
  const [whole, again] = await Promise.all([
    judgeServer(survivor, { ...plan, toTheEnd: true }),
    judgeServer(survivor, { ...plan, toTheEnd: true, cases: 1 }),
  ]);
  expect([whole.outcome, again.outcome]).toEqual(['survived', 'survived']);
  expect(again.requests).toBeGreaterThan(1.5 * whole.requests);
});

describe('the fifth of the mutants that is judged to the end', () => {
  const everyday = selectServers([], false);
  const areaOf = (id: string) => id.split('.')[0];

  it('prove judges an even fifth of the mutants of each area to the end, and no variant', () => {
    const drawn = drawFifth(everyday, 7);
    const mutants = everyday.filter(({ kind }) => kind === 'mutant');
    expect(Math.abs(drawn.size - mutants.length / 5)).toBeLessThan(1);
    for (const area of new Set(mutants.map(({ id }) => areaOf(id)))) {
      const own = mutants.filter(({ id }) => areaOf(id) === area);
      const share = own.filter(({ id }) => drawn.has(id)).length;
      expect(Math.abs(share - own.length / 5), area).toBeLessThan(1);
    }
    expect([...drawn].filter((id) => !mutants.some((row) => row.id === id))).toEqual([]);
  });

  it('prove judges the same fifth with one seed, and every mutant over many seeds', () => {
    expect(drawFifth(everyday, 7)).toEqual(drawFifth(everyday, 7));
    expect(drawFifth(catalogue, 7).size).toBeGreaterThan(drawFifth(everyday, 7).size);
    const seeds = Array.from({ length: 60 }, (_, seed) => drawFifth(everyday, seed));
    const ever = new Set(seeds.flatMap((drawn) => [...drawn]));
    expect(ever.size).toBe(everyday.filter(({ kind }) => kind === 'mutant').length);
  });
});

describe('variants that share one server', () => {
  const everyday = selectServers([], false);
  const overrideOf = (id: string) => findServer(id, 'variant').mutation;

  it('prove joins every variant once, and no two that decide the same', () => {
    for (const seed of [1, 2]) {
      const groups = groupVariants(everyday, seed);
      const ids = everyday.flatMap(({ kind, id }) => (kind === 'variant' ? [id] : []));
      expect(groups.flat().sort()).toEqual(ids.sort());
      expect(groups.length).toBeLessThan(ids.length / 2);
      for (const group of groups) {
        const decisions = group.flatMap((id) => decisionsOf(overrideOf(id)));
        expect(new Set(decisions).size, group.join()).toBe(decisions.length);
      }
    }
    expect(groupVariants(everyday, 1)).not.toEqual(groupVariants(everyday, 2));
  });

  it('prove lists each joined variant and counts their run once', async () => {
    const ids = ['key-first', 'chunked-answers', 'problem-json'];
    const servers = await judgeServers({ ids, ...plan, toTheEnd: true });
    expect(servers.map(({ id, outcome }) => [id, outcome])).toEqual(ids.map((id) => [id, 'accepted']));
    expect(servers[0]?.together_with).toEqual(['chunked-answers', 'problem-json']);
    const run = {
      started_at: '',
      duration_ms: 0,
      complete: true,
      depth: 'quick',
      seeds: [7],
      jobs: 1,
    } as const;
    const { totals } = summarizeProof(servers, { ...run, only: [] });
    expect(totals).toMatchObject({ variants: 3, accepted: 3, runs: 1, requests: servers[0]?.requests });
  });

  it('prove judges joined variants one by one if their joint run fails', async () => {
    const ids = ['key-read-down', 'chunked-answers'];
    const servers = await judgeServers({ ids, ...plan, toTheEnd: true });
    expect(servers.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['key-read-down', 'accepted'],
      ['chunked-answers', 'accepted'],
      ['key-read-down + chunked-answers', 'unsettled'],
    ]);
  });
});
