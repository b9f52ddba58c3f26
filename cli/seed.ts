import { createHash, randomInt } from 'node:crypto';
import { type Shard, wholeRun, writeShard } from '../judge/plan.js';
import { UsageError } from '../spec/thrown.js';

/** What the seed of a run may come from. */
interface SeedFlags {
  readonly seed?: number;
  readonly runId?: string;
  readonly shard?: Shard;
}

/** The seed of a run: as given, else drawn from its id, else random. Throws UsageError where shards would draw different ones. */
export function seedOf({ seed, runId, shard = wholeRun }: SeedFlags): number {
  if (seed !== undefined) return seed;
  if (runId !== undefined) return createHash('sha256').update(runId).digest().readUInt32BE() >>> 1;
  if (shard.of === 1) return randomInt(2 ** 31);
  throw new UsageError(
    `--shard ${writeShard(shard)} needs what all shards of a run share. Give each of them the same --run-id, such as the id of the CI run, or the same --seed.`,
  );
}
