import pLimit from 'p-limit';
import { expect, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { behaviourWith } from '../../reference/mutation.js';
import { type Judging, judgeReference } from '../judge/judge-reference.js';
import { idsWith } from '../report-rows.js';
import { startJudgingProxy } from './judging-proxy.js';

type Mutant = (typeof mutants)[number];

/** Mutants of the daily proof, spread over all of them. */
function draw(count: number): readonly Mutant[] {
  const everyday = mutants.filter((row) => row.everyday);
  return everyday.filter((_, at) => (at * count) % everyday.length < count);
}

/** Runs checks through a proxy; returns the requirements that the run and the proxy failed. */
async function runThroughProxy(judging: Judging) {
  let proxy: Awaited<ReturnType<typeof startJudgingProxy>> | undefined;
  const { report } = await judgeReference({
    ...{ ...judging, concurrency: 16 },
    reachedAt: async (baseUrl) => {
      proxy = await startJudgingProxy(baseUrl);
      return proxy.url;
    },
  });
  await proxy?.close();
  return { report, run: idsWith(report, 'fail'), proxy: [...(proxy?.failed ?? [])] };
}

it('the proxy fails only requirements that 12 mutants violate, and finds many of them', async () => {
  const drawn = draw(12);
  expect(drawn).toHaveLength(12);
  // These runs mostly wait.
  const fewAtOnce = pLimit(4);
  const judge = async ({ id, mutation, violates, alsoViolates }: Mutant) => {
    const behaviour = behaviourWith(mutation);
    const { run, proxy } = await runThroughProxy({ behaviour, only: violates, depth: 'quick' });
    const due = new Set<string>([...violates, ...alsoViolates, ...run]);
    const wrong = proxy.filter((failed) => !due.has(failed)).map((failed) => `${id}: ${failed}`);
    return { wrong, isCaughtByRun: run.length > 0, isCaughtByProxy: proxy.length > 0 };
  };
  const results = await Promise.all(drawn.map((row) => fewAtOnce(judge, row)));
  expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(results.filter(({ isCaughtByRun }) => isCaughtByRun).length).toBeGreaterThan(8);
  expect(results.filter(({ isCaughtByProxy }) => isCaughtByProxy).length).toBeGreaterThan(1);
});
