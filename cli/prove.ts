import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Depth } from '../judge/plan.js';
import { inertJson } from '../reports/inert-json.js';
import { progressReporter } from '../reports/progress.js';
import { proofPage } from '../reports/proof-page.js';
import { proofSummary } from '../reports/proof-terminal.js';
import { writeWhole } from '../reports/write-whole.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Proof, ProvenServer } from '../spec/proof.js';
import { UsageError } from '../spec/thrown.js';
import { folderAsItIs } from './folder-for.js';
import { ProcessDeadline } from './process-deadline.js';
import { type CatalogueRow, catalogue, drawFifth, groupVariants, named } from './prove/catalogue.js';
import type { ServerOrder } from './prove/judged-server.js';
import { proofOf } from './prove/proof.js';
import { judgedOnThreads } from './prove/workers.js';

/** The flags of `plumbline prove`, read and checked. */
export interface ProveFlags {
  readonly only: readonly string[];
  /** The whole catalogue, not the everyday part of it. */
  readonly all: boolean;
  readonly depth: Depth;
  readonly seed?: number;
  /** How many seeds, counted up from the first. */
  readonly seeds: number;
  /** Servers at once, each with its judge on a thread of its own. */
  readonly jobs?: number;
  readonly list: boolean;
  readonly report: string;
  readonly quiet: boolean;
  readonly color: boolean;
}

// A proof has no limit of its own; each server has one.
const maxTimeMs = 2 ** 31 - 1;

/** Judges every mutant and variant. Returns the exit code: 1 on a survivor or a false alarm. Throws UsageError. */
export async function prove(flags: ProveFlags): Promise<number> {
  const rows = named(flags.only, flags.all);
  if (flags.list) return listed();
  const first = flags.seed ?? randomInt(2 ** 31 - flags.seeds);
  if (first + flags.seeds > 2 ** 31)
    throw new UsageError('--seed and --seeds lead beyond 2147483647, the last seed. Give a lower --seed.');
  const seeds = Array.from({ length: flags.seeds }, (_, at) => first + at);
  const jobs = flags.jobs ?? availableParallelism();
  const folder = await folderAsItIs(flags.report);
  const deadline = new ProcessDeadline(maxTimeMs);
  const startedAt = new Date();
  const start = performance.now();
  try {
    const orders = seeds.flatMap((seed) => ordersOf(rows, seed, flags));
    const progress = new Progress(orders.length, flags);
    const { servers, faults } = await judgedOnThreads(orders, {
      jobs,
      signal: deadline.signal,
      onJudged: (servers) => progress.note(servers),
    }).finally(() => progress.end());
    const proof = proofOf(servers, {
      started_at: startedAt.toISOString(),
      duration_ms: Math.round(performance.now() - start),
      complete: progress.isComplete,
      depth: flags.depth,
      seeds,
      jobs,
      only: flags.only,
    });
    for (const fault of faults) process.stderr.write(`plumbline: ${fault}\n`);
    const exitCode = await published(proof, flags);
    return faults.length > 0 ? exitCodes.suiteFault : exitCode;
  } finally {
    deadline.release();
    folder.release();
  }
}

/** What is judged with a seed. Whoever asks for all, or for some by name, wants to see each alone, and all that it fails. */
function ordersOf(
  rows: readonly CatalogueRow[],
  seed: number,
  { all, only, depth }: ProveFlags,
): readonly ServerOrder[] {
  const plan = { seed, depth };
  if (all || only.length > 0)
    return longestFirst(rows.map(({ id }) => ({ ...plan, ids: [id], toTheEnd: true })));
  const drawn = drawFifth(rows, seed);
  const mutants = rows.filter(({ kind }) => kind === 'mutant');
  return longestFirst([
    ...groupVariants(rows, seed).map((ids) => ({ ...plan, ids, toTheEnd: true })),
    ...mutants.map(({ id }) => ({ ...plan, ids: [id], toTheEnd: drawn.has(id) })),
  ]);
}

/** Noisy and limited servers take the longest: begun last, they would be waited for alone. */
function longestFirst(orders: readonly ServerOrder[]): readonly ServerOrder[] {
  const isSlow = ({ ids: [id = ''] }: ServerOrder) => /^(?:noise|limited)-/.test(id);
  return [...orders.filter(isSlow), ...orders.filter((order) => !isSlow(order))];
}

async function published(proof: Proof, flags: ProveFlags): Promise<number> {
  const files = [
    await writeWhole(flags.report, 'proof.json', `${inertJson(proof, 2)}\n`),
    await writeWhole(flags.report, 'proof.md', proofPage(proof)),
  ];
  const width = process.stdout.columns ?? 100;
  const color = flags.color && process.stdout.isTTY === true;
  process.stdout.write(proofSummary(proof, { color, width, files: flags.quiet ? [] : files }));
  return exitCode(proof);
}

function exitCode({ run, totals, servers, uncovered }: Proof): number {
  if (servers.some(({ exit_code: code }) => code === exitCodes.suiteFault)) return exitCodes.suiteFault;
  const isWhole = run.only.length === 0 && run.complete;
  const isWrong = totals.survived + totals.misnamed + totals.accused + totals.unsettled > 0;
  if (isWrong || (isWhole && uncovered.length > 0)) return exitCodes['non-conformant'];
  return run.complete ? exitCodes.conformant : exitCodes.interrupted;
}

function listed(): number {
  const lines = catalogue.map(
    ({ kind, id, section, description }) => `${kind} ${id} §${section} ${description}`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.conformant;
}

/** Tells how far a proof has come. */
class Progress {
  readonly #reporter: ReturnType<typeof progressReporter>;
  readonly #total: number;
  #done = 0;
  #requests = 0;
  #wrong = 0;

  constructor(total: number, { quiet, color }: ProveFlags) {
    this.#total = total;
    const words = { item: 'server', trouble: 'wrong' };
    this.#reporter = progressReporter(process.stderr, { quiet, color, words });
  }

  /** Whether everything came to something. */
  get isComplete(): boolean {
    return this.#done === this.#total;
  }

  note(servers: readonly ProvenServer[]): void {
    this.#done += 1;
    this.#requests += servers[0]?.requests ?? 0;
    const wrong = servers.filter(({ outcome }) => outcome !== 'caught' && outcome !== 'accepted');
    this.#wrong += wrong.length;
    // In a log somebody may look at it before the end; on a terminal the bar counts it.
    for (const { id, outcome, seed } of process.stderr.isTTY ? [] : wrong)
      process.stderr.write(`plumbline: ${id}: ${outcome}, seed ${seed}\n`);
    this.#reporter.update({
      done: this.#done,
      total: this.#total,
      requests: this.#requests,
      violations: this.#wrong,
    });
  }

  end(): void {
    this.#reporter.end();
  }
}
