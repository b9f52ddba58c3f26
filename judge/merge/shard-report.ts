import type { Report } from '../../spec/report.js';
import { readShard, type Shard, wholeRun } from '../shard.js';

/** The report of one shard, and what the user called it by. */
export interface ShardReport {
  readonly name: string;
  readonly report: Report;
}

/** Which part of the run a report tells of; the whole where it does not say it in a way that can be read. */
export function shardOf({ run }: Report): Shard {
  return readShard(run.shard) ?? wholeRun;
}
