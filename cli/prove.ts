import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { seedCount } from '../judge/plan.js';
import { writeAtomically } from '../reports/atomic-write.js';
import { createProgress } from '../reports/progress.js';
import { renderProofPage, renderProofTerminal } from '../reports/proof.js';
import { type Proof, summarizeProof } from '../reports/proof-summary.js';
import { lockReportDirectory } from '../reports/report-folder.js';
import { renderJson } from '../reports/sanitize.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { ProvenServer } from '../spec/proof.js';
import { UsageError } from '../spec/thrown.js';
import type { ProveFlags } from './flags.js';
import { noTimeLimitMs, ProcessDeadline } from './process-lifetime.js';
import {
  type CatalogueRow,
  catalogue,
  drawTwentieth,
  groupVariants,
  selectServers,
} from './prove/catalogue.js';
import type { ServerOrder } from './prove/judge-server.js';
import { judgeOnThreads } from './prove/threads.js';
import { chooseLayout } from './publish.js';

/** Judges mutants and variants. Returns the exit code: 1 if a mutant survived or a variant failed. Throws UsageError. */
export async function prove(flags: ProveFlags): Promise<number> {
  const rows = selectServers(flags.only, flags.all);
  if (flags.list) return printRows(flags.only.length > 0 ? rows : catalogue);
  const first = flags.seed ?? randomInt(seedCount - flags.seeds);
  if (first + flags.seeds > seedCount)
    throw new UsageError(`--seed plus --seeds exceeds ${seedCount - 1}, the last seed. Give a lower --seed.`);
  const seeds = Array.from({ length: flags.seeds }, (_, at) => first + at);
  // One more than cores, since judging some servers is mostly waiting.
  const jobs = flags.jobs ?? availableParallelism() + 1;
  using _folder = await lockReportDirectory(flags.report);
  // A proof has no limit of its own; each server has one.
  using deadline = new ProcessDeadline(noTimeLimitMs);
  const startedAt = new Date();
  const start = performance.now();
  const orders = seeds.flatMap((seed) => putLongestFirst(orderServers(rows, seed, flags)));
  const progress = showProgress(orders.length, flags);
  const { servers, faults } = await judgeOnThreads(orders, {
    jobs,
    signal: deadline.signal,
    onJudged: progress.add,
  }).finally(progress.end);
  const proof = summarizeProof(servers, {
    started_at: startedAt.toISOString(),
    duration_ms: Math.round(performance.now() - start),
    complete: progress.isComplete(),
    depth: flags.depth,
    seeds,
    jobs,
    only: flags.only,
  });
  for (const fault of faults) process.stderr.write(`plumbline: ${fault}\n`);
  const files = [
    await writeAtomically(join(flags.report, 'proof.json'), `${renderJson(proof, 2)}\n`),
    await writeAtomically(join(flags.report, 'proof.md'), renderProofPage(proof)),
  ];
  process.stdout.write(
    renderProofTerminal(proof, { ...chooseLayout(flags), files: flags.quiet ? [] : files }),
  );
  return faults.length > 0 ? exitCodes.suiteFault : chooseExitCode(proof);
}

function printRows(rows: readonly CatalogueRow[]): number {
  const lines = rows.map(
    ({ kind, id, section, description }) => `${kind} ${id} §${section} ${description}\n`,
  );
  process.stdout.write(lines.join(''));
  return exitCodes.conformant;
}

/** Orders the runs with one seed. Servers that were asked for by name are judged alone, and to the end. */
function orderServers(
  rows: readonly CatalogueRow[],
  seed: number,
  { all, only, depth }: ProveFlags,
): readonly ServerOrder[] {
  if (all || only.length > 0)
    return rows.map((row) => {
      const isRare = row.kind === 'mutant' && row.hardness === 'rare' && depth === 'standard';
      return { seed, depth: isRare ? 'deep' : depth, ids: [row.id], toTheEnd: !isRare };
    });
  const plan = { seed, depth };
  const drawn = drawTwentieth(rows, seed);
  const mutants = rows.filter(({ kind }) => kind === 'mutant');
  // A few cases of each property show what else a mutant fails; all of them take twice as long.
  const whole = { toTheEnd: true, ...(depth === 'quick' ? {} : { cases: 20 }) };
  return [
    ...groupVariants(rows, seed).map((ids) => ({ ...plan, ids, toTheEnd: true })),
    ...mutants.map(({ id }) => ({ ...plan, ids: [id], ...(drawn.has(id) ? whole : { toTheEnd: false }) })),
  ];
}

/** Noisy and limited servers and deep runs take longest: begun last, they would run alone while other threads are idle. */
function putLongestFirst(orders: readonly ServerOrder[]): readonly ServerOrder[] {
  const isSlow = ({ ids: [id = ''], depth }: ServerOrder) =>
    Number(depth === 'deep' || /^(?:noise|limited)-/.test(id));
  return orders.toSorted((one, other) => isSlow(other) - isSlow(one));
}

function chooseExitCode({ run, totals, servers, uncovered }: Proof): number {
  if (servers.some(({ exit_code: code }) => code === exitCodes.suiteFault)) return exitCodes.suiteFault;
  const isWhole = run.only.length === 0 && run.complete;
  const isWrong = totals.survived + totals.misnamed + totals.accused + totals.unsettled > 0;
  if (isWrong || (isWhole && uncovered.length > 0)) return exitCodes['non-conformant'];
  return run.complete ? exitCodes.conformant : exitCodes.interrupted;
}

/** Shows the progress of a proof. `add` counts a finished run. */
function showProgress(total: number, { quiet }: ProveFlags) {
  const words = { item: 'server', outcome: 'wrong' };
  const reporter = createProgress(process.stderr, { quiet, words });
  let [done, requests, violations] = [0, 0, 0];
  return {
    isComplete: () => done === total,
    end: () => reporter.end(),
    add: (servers: readonly ProvenServer[]) => {
      const wrong = servers.filter(({ outcome }) => outcome !== 'caught' && outcome !== 'accepted');
      done += 1;
      requests += servers[0]?.requests ?? 0;
      violations += wrong.length;
      // On a terminal the progress bar counts them; a log shows each at once.
      for (const { id, outcome, seed } of process.stderr.isTTY ? [] : wrong)
        process.stderr.write(`plumbline: ${id}: ${outcome}, seed ${seed}\n`);
      reporter.update({ done, total, requests, violations });
    },
  };
}
