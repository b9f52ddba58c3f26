import type { ObservedJudge } from '../recordings/observed-judge.js';
import { makeObservedReport } from '../recordings/observed-results.js';
import { prepareReportDirectory } from '../reports/report-folder.js';
import { renderTerminal } from '../reports/terminal.js';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import type { ObserveFlags } from './flags.js';
import { noTimeLimitMs, ProcessDeadline } from './process-lifetime.js';
import { chooseLayout, publishRun } from './publish.js';
import { assertReadable, judgeRecordings, readCanaries, writeObserveCommand } from './recordings.js';
import { selectRequirements } from './run-flags.js';

/** Judges recorded traffic, writes the reports and prints the summary. Returns the exit code; throws UsageError. */
export async function observe(files: readonly string[], flags: ObserveFlags): Promise<number> {
  const selection = selectRequirements(flags);
  await assertReadable(files);
  const canaries = await readCanaries(flags.canaryFile);
  using deadline = new ProcessDeadline(noTimeLimitMs);
  const startedAt = new Date();
  const start = performance.now();
  const { target: baseUrl, inferencePath } = flags;
  const recordings = { files, baseUrl, baseFlag: '--target', inferencePath, canaries } as const;
  const judge = await judgeRecordings({ ...recordings, signal: deadline.signal });
  if (judge.counts.judged + judge.counts.undecided === 0 && judge.breaks.length > 0)
    throw new UsageError(describeBreaks(judge));
  const ofTarget = judge.baseUrl === undefined ? '' : ` of ${judge.baseUrl}`;
  const { without_body: withoutBody } = judge.counts;
  const todo =
    withoutBody > 0
      ? `${withoutBody} have no body: record the traffic with the bodies of responses`
      : 'pass the base URL, version segment included, as --target';
  const report = makeObservedReport(judge, {
    command: (only) => writeObserveCommand({ ...flags, target: judge.baseUrl, files, only }),
    ...{ files, startedAt, selection },
    durationMs: performance.now() - start,
    complete: !deadline.signal.aborted && judge.breaks.length === 0,
    interrupted: deadline.isInterrupted,
    unjudged: `none of the ${judge.entries} recorded entries is a response${ofTarget} that could be judged; ${todo}`,
    faults: deadline.strayErrors,
  });
  return await publishObserved(report, judge, flags);
}

/** A broken recording gets no reports, unless a violation in it outweighs the fault. */
async function publishObserved(report: Report, judge: ObservedJudge, flags: ObserveFlags): Promise<number> {
  const { exit_code: code } = report.gate;
  const isBroken = judge.breaks.length > 0;
  if (isBroken && strongestExitCode([code, exitCodes.usage]) !== code) {
    const ended = { ...report, gate: { ...report.gate, exit_code: exitCodes.usage } };
    process.stdout.write(flags.quiet ? `${report.verdict}\n` : renderTerminal(ended, chooseLayout(flags)));
    process.stderr.write(
      `plumbline: ${describeBreaks(judge)}\nplumbline: the readable part was judged, but a broken recording gets no report.\n`,
    );
    return exitCodes.usage;
  }
  using _folder = await prepareReportDirectory(flags.report);
  const published = await publishRun({ report, traffic: { exchanges: [], sent: 0 } }, flags);
  if (isBroken) process.stderr.write(`plumbline: ${describeBreaks(judge)}\n`);
  return published;
}

function describeBreaks({ breaks: [first = ''], breakCount }: ObservedJudge): string {
  return `${first}${breakCount === 1 ? '' : `, and ${breakCount - 1} more`}.`;
}
