import { describe, expect, it } from 'vitest';
import {
  type CatalogueRow,
  catalogue,
  drawTwentieth,
  findServer,
  groupVariants,
  selectServers,
} from '../../../cli/prove/catalogue.js';
import { judgeServer, judgeServers } from '../../../cli/prove/judge-server.js';
import type * as workers from '../../../cli/prove/threads.js';
import { decisionsOf } from '../../../reference/variant.js';
import { summarizeProof } from '../../../reports/proof-summary.js';
import { areas } from '../../../spec/ledger.js';

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

it('prove judges a mutant to the end unless what it declares fails', async () => {
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

const everyday = selectServers([], false);
const idsOf = (wanted: CatalogueRow['kind']) =>
  everyday.flatMap(({ kind, id }) => (kind === wanted ? [id] : []));

it('prove judges an even twentieth of the mutants of each area to the end, the same with one seed, and over many seeds each', () => {
  const drawn = drawTwentieth(everyday, 7);
  const mutants = idsOf('mutant');
  for (const own of [mutants, ...areas.map((area) => mutants.filter((id) => id.startsWith(`${area}.`)))]) {
    const share = own.filter((id) => drawn.has(id)).length;
    expect(Math.abs(share - own.length / 20), own[0]).toBeLessThan(1);
  }
  expect(drawTwentieth(everyday, 7)).toEqual(drawn);
  expect(drawTwentieth(catalogue, 7).size).toBeGreaterThan(drawn.size);
  const ever = Array.from({ length: 300 }, (_, seed) => [...drawTwentieth(everyday, seed)]).flat();
  expect([...new Set(ever)].sort()).toEqual(mutants.toSorted());
});

describe('variants that share one server', () => {
  const overrideOf = (id: string) => findServer(id, 'variant').mutation;

  it('prove joins every variant once, and no two that decide the same', () => {
    for (const seed of [1, 2]) {
      const groups = groupVariants(everyday, seed);
      const ids = idsOf('variant');
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
    const run = { started_at: '', duration_ms: 0, complete: true, depth: 'quick', only: [] } as const;
    const { totals } = summarizeProof(servers, { ...run, seeds: [7], jobs: 1 });
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

// Threads run the built files.
const built = new URL('../../../dist/cli/prove/threads.js', import.meta.url).href;
const { judgeOnThreads } = (await import(built)) as typeof workers;

it('prove judges the next server although others cannot be judged', async () => {
  const plan = { seed: 1, depth: 'quick', toTheEnd: false } as const;
  const ids = ['no-such-server', 'nor-this', 'key-info.figures-of-member'];
  const { servers, faults } = await judgeOnThreads(
    ids.map((id) => ({ ids: [id], ...plan })),
    { jobs: 1, signal: new AbortController().signal, onJudged: () => undefined },
  );
  expect(servers.map(({ id }) => id)).toEqual(['key-info.figures-of-member']);
  expect(faults).toEqual([
    expect.stringMatching(/^no-such-server, seed 1: ./),
    expect.stringMatching(/^nor-this, seed 1: ./),
  ]);
});
