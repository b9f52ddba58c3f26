import { wholeRun } from '../judge/plan.js';
import { limitsOf } from '../judge/run-limits.js';
import { exitCodes } from '../spec/exit-codes.js';
import { selectShardNames } from '../targets/store-recipes.js';
import { planText } from './plan/plan-text.js';
import { rehearsed } from './plan/rehearsal.js';
import { ProcessDeadline } from './process-deadline.js';
import type { RunFlags } from './run.js';
import { seedOf } from './seed.js';
import { selected } from './selected.js';
import { type DescriptionFlags, describeTarget } from './target-description.js';

/** The flags of `plumbline plan`, read and checked: those of `run` that say what is sent. */
export type PlanFlags = Pick<
  RunFlags,
  | 'depth'
  | 'cases'
  | 'seed'
  | 'only'
  | 'skip'
  | 'shard'
  | 'runId'
  | 'concurrency'
  | 'rate'
  | 'maxRequests'
  | 'maxTime'
  | 'allowDestructive'
  | 'inference'
  | 'color'
> &
  DescriptionFlags;

/**
 * Prints what `run` would send, and sends nothing to the target: the embedded reference stands in for it, and is the
 * target itself where there is no profile. Returns the exit code; throws UsageError.
 */
export async function plan(flags: PlanFlags): Promise<number> {
  const { shard = wholeRun } = flags;
  const described = await describeTarget(flags);
  const profile = described === undefined ? undefined : selectShardNames(described, shard);
  const selection = selected({ only: flags.only, skip: flags.skip });
  const limits = limitsOf(flags, profile);
  const seed = seedOf(flags);
  const deadline = new ProcessDeadline(limits.maxTimeMs);
  try {
    const rehearsal = await rehearsed({
      profile,
      plan: { seed, depth: flags.depth, ...(flags.cases === undefined ? {} : { cases: flags.cases }) },
      selection,
      shard,
      limits,
      permissions: { destructive: flags.allowDestructive, inference: flags.inference },
      deadline,
    });
    if (deadline.isInterrupted) return exitCodes.interrupted;
    const color = flags.color && process.stdout.isTTY === true;
    const width = process.stdout.columns ?? 100;
    const text = planText(rehearsal, { profile, limits, depth: flags.depth, seed, shard, color, width });
    process.stdout.write(text);
    return exitCodes.conformant;
  } finally {
    deadline.release();
  }
}
