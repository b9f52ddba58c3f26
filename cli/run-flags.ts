import { createHash, randomInt } from 'node:crypto';
import { type Plan, seedCount, writeShard } from '../judge/plan.js';
import { Selection } from '../judge/selection.js';
import { UsageError } from '../spec/thrown.js';
import type { RunFlags } from './flags.js';

/** Selects requirements. Throws UsageError if a pattern matches none, or none is left. */
export function selectRequirements({ only, skip }: Pick<RunFlags, 'only' | 'skip'>): Selection {
  const selection = new Selection({ only, skip });
  const [unmatched] = selection.unmatched;
  if (unmatched !== undefined)
    throw new UsageError(`no requirement matches "${unmatched}". "plumbline requirements" lists the IDs.`);
  if (selection.isEmpty) throw new UsageError('--only and --skip leave no requirement. Remove one of them.');
  return selection;
}

type PlanFlags = Pick<RunFlags, 'depth' | 'cases' | 'seed' | 'path' | 'shard' | 'runId'>;

/** Plans which cases to send. Throws UsageError. */
export function planCases(flags: PlanFlags): Plan {
  const { depth, cases, path, shard } = flags;
  if (path !== undefined && shard.of > 1)
    throw new UsageError(
      `--path names one case, which --shard ${writeShard(shard)} cannot split. Remove one of them.`,
    );
  if (path !== undefined && flags.seed === undefined)
    throw new UsageError('--path names a case of one seed. Give the --seed from the same report.');
  return { seed: chooseSeed(flags), depth, cases, replay: path };
}

/** Chooses the seed of a run: as given, else from its ID, else random. Throws UsageError if shards would differ. */
export function chooseSeed({ seed, runId, shard }: Pick<PlanFlags, 'seed' | 'runId' | 'shard'>): number {
  if (seed !== undefined) return seed;
  if (runId !== undefined) return createHash('sha256').update(runId).digest().readUInt32BE() >>> 1;
  if (shard.of === 1) return randomInt(seedCount);
  throw new UsageError(
    `--shard ${writeShard(shard)} needs a seed that all shards share. Give all of them the same --run-id, such as the ID of the CI run, or the same --seed.`,
  );
}
