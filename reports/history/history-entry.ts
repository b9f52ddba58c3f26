import { exitCodes } from '../../spec/exit-codes.js';
import type { HistoryEntry, RunEnd } from '../../spec/history.js';
import type { Report, ReportedRequirement, Status } from '../../spec/report.js';
import { unprovenMusts } from '../unproven.js';

/** What a history file keeps of a run. */
export function historyEntry(report: Report): HistoryEntry {
  const { tool, run, target, totals, verdict, gate, requirements } = report;
  const { id, started_at, duration_ms, seed, depth, shard, selection, requests, cases } = run;
  return {
    format: 'plumbline-history/1',
    tool_version: tool.version,
    ...{ id, started_at, duration_ms, ended: endOf(report), verdict, exit_code: gate.exit_code },
    ...{ target: target.base_url, seed, depth, shard, selection, requests, cases, totals },
    unproven: unprovenMusts(report).length,
    violated: idsOf(requirements, 'fail', (row) => row.level !== 'advisory'),
    advisory: idsOf(requirements, 'fail', (row) => row.level === 'advisory'),
    inconclusive: idsOf(requirements, 'inconclusive'),
    not_exercised: idsOf(requirements, 'not-exercised'),
  };
}

function endOf({ run, gate }: Report): RunEnd {
  if (gate.exit_code === exitCodes.suiteFault) return 'suite-failed';
  if (gate.exit_code === exitCodes.interrupted) return 'interrupted';
  return run.complete ? 'complete' : 'cut-short';
}

function idsOf(
  requirements: readonly ReportedRequirement[],
  status: Status,
  wanted: (row: ReportedRequirement) => boolean = () => true,
): readonly string[] {
  return requirements.filter((row) => row.status === status && wanted(row)).map(({ id }) => id);
}
