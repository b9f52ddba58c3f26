import type { ObservedJudge } from '../recordings/observed-judge.js';
import { makeObservedReport } from '../recordings/observed-results.js';
import { standardInput } from '../recordings/recorded-exchange.js';
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
  const report = makeObservedReport(judge, {
    command: (only) => writeObserveCommand({ ...flags, target: judge.baseUrl, files, only }),
    ...{ files, startedAt, selection },
    durationMs: performance.now() - start,
    complete: !deadline.signal.aborted && judge.breaks.length === 0,
    interrupted: deadline.isInterrupted,
    unjudged: explainUnjudged(judge, files),
    faults: deadline.strayErrors,
  });
  return await publishObserved(report, judge, flags);
}

/** Explains why nothing was judged, and what to do. */
function explainUnjudged(
  { baseUrl, counts, entries, notes }: ObservedJudge,
  files: readonly string[],
): string {
  const { undecided, without_response: unanswered, without_body: bodiless, skipped } = counts;
  const ofTarget = undecided + unanswered + bodiless;
  const names = files.map((file) => (file === standardInput ? 'the standard input' : file)).join(', ');
  if (entries === 0) return `no exchange is recorded in ${names}`;
  if (skipped === entries)
    return `none of the ${entries} entries is an exchange: ${notes[0] ?? 'none can be read'}. See dist/spec/observed.schema.json`;
  if (ofTarget === 0)
    return `none of the ${entries} recorded exchanges is with ${baseUrl ?? 'a base URL that ends with /v1'}; pass the base URL, version segment included, as --target`;
  const reasons = [
    [undecided, 'possibly not answered by the service'],
    [unanswered, 'without a response'],
    [bodiless, 'without the response body: record the traffic with the bodies of responses'],
  ] as const;
  const counted = reasons.flatMap(([count, what]) => (count > 0 ? [`${count} ${what}`] : []));
  return `none of the ${ofTarget} exchanges with ${baseUrl} could be judged: ${counted.join(', ')}`;
}

/** A broken recording gets no reports, unless a violation in it outweighs the fault. */
async function publishObserved(report: Report, judge: ObservedJudge, flags: ObserveFlags): Promise<number> {
  const { exit_code: code } = report.gate;
  const isBroken = judge.breaks.length > 0;
  if (isBroken && strongestExitCode([code, exitCodes.usage]) !== code) {
    // What could not be read may hold a violation.
    const verdict = report.verdict === 'conformant' ? 'unjudged' : report.verdict;
    const ended = { ...report, verdict, gate: { ...report.gate, exit_code: exitCodes.usage } };
    process.stdout.write(flags.quiet ? `${verdict}\n` : renderTerminal(ended, chooseLayout(flags)));
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
