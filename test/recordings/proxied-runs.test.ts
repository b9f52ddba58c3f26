import { expect, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { behaviourWith } from '../../reference/mutation.js';
import { allChecks } from '../../suites/all-checks.js';
import { ids, type Judging, judged } from '../judge/judged.js';
import { type JudgingProxy, startJudgingProxy } from './judging-proxy.js';

type Mutant = (typeof mutants)[number];

/** Mutants of the daily proof, spread over all of them. */
function draw(count: number): readonly Mutant[] {
  const everyday = mutants.filter((row) => row.everyday);
  return everyday.filter((_, at) => (at * count) % everyday.length < count);
}

/** Runs checks through a proxy; returns the requirements that the run and the proxy failed. */
async function runThroughProxy(judging: Judging) {
  let proxy: JudgingProxy | undefined;
  const { report } = await judged({
    ...{ ...judging, concurrency: 16 },
    reachedAt: async (baseUrl) => {
      proxy = await startJudgingProxy(baseUrl);
      return proxy.url;
    },
  });
  await proxy?.close();
  return { report, run: ids(report, 'fail'), proxy: [...(proxy?.failed ?? [])] };
}

it('a standard run through the proxy gives the same report as one without, and the proxy fails nothing', async () => {
  const { report, proxy } = await runThroughProxy({ checks: allChecks, plan: { cases: 20 } });
  expect([report.verdict, proxy]).toEqual(['conformant', []]);
  expect(ids(report, 'inconclusive')).toEqual([]);
  expect(ids(report, 'not-exercised')).toEqual([]);
});

it('the proxy fails only requirements that 60 mutants violate, and finds many of them', async () => {
  const wrong: string[] = [];
  const caught = { run: 0, proxy: 0 };
  const drawn = draw(60);
  expect(drawn).toHaveLength(60);
  for (const row of drawn) {
    const { mutation, violates } = row;
    const failed = await runThroughProxy({
      behaviour: behaviourWith(mutation),
      only: violates,
      depth: 'quick',
    });
    const due = new Set<string>([...row.violates, ...failed.run]);
    wrong.push(...failed.proxy.filter((id) => !due.has(id)).map((id) => `${row.id}: ${id}`));
    if (failed.run.length > 0) caught.run += 1;
    if (failed.proxy.length > 0) caught.proxy += 1;
  }
  expect(wrong).toEqual([]);
  expect(caught.run).toBeGreaterThan(40);
  expect(caught.proxy).toBeGreaterThan(10);
});
