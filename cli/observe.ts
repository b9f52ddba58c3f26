import { reportOf } from '../judge/report.js';
import type { RunRecord } from '../judge/run-record.js';
import type { ObservedJudge } from '../recordings/observed-judge.js';
import { summarizeObserved } from '../recordings/observed-results.js';
import type { Format } from '../reports/formats.js';
import { terminalSummary } from '../reports/terminal.js';
import { exitCodes, strongestExitCode } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import { Redactor } from '../targets/redaction.js';
import { folderFor } from './folder-for.js';
import { observeCommand } from './observe-command.js';
import { assertReadable, canariesOf, type JudgedRecordings, judgedRecordings } from './observed-files.js';
import { ProcessDeadline } from './process-deadline.js';
import { published } from './publish.js';
import { selected } from './selected.js';

/** The flags of `plumbline observe`, read and checked. */
export interface ObserveFlags {
  /** The base URL whose exchanges are judged. */
  readonly target?: string;
  /** The path of inference requests below it. */
  readonly inferencePath?: string;
  /** A file of stored values, one a line. */
  readonly canaryFile?: string;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly report: string;
  readonly format: readonly Format[];
  readonly quiet: boolean;
  readonly color: boolean;
}

// A recording is as long as it is; only a signal ends it early.
const noTimeLimitMs = 2_147_483_000;

/** Judges recorded traffic, writes the report and prints the summary. Returns the exit code; throws UsageError. */
export async function observe(files: readonly string[], flags: ObserveFlags): Promise<number> {
  const selection = selected({ only: flags.only, skip: flags.skip });
  await assertReadable(files);
  const canaries = await canariesOf(flags.canaryFile);
  const redactor = new Redactor();
  const deadline = new ProcessDeadline(noTimeLimitMs);
  const startedAt = new Date();
  const start = performance.now();
  try {
    const { target: baseUrl, inferencePath: path } = flags;
    const recordings = await judgedRecordings(
      {
        ...{ files, canaries, signal: deadline.signal, baseFlag: '--target' },
        ...(baseUrl === undefined ? {} : { baseUrl }),
        ...(path === undefined ? {} : { inference: { method: 'POST', path } }),
      },
      redactor,
    );
    const { judge } = recordings;
    if (judge.counts.judged + judge.counts.undecided === 0 && judge.breaks.length > 0)
      throw new UsageError(brokenText(judge));
    const record = recordOf(recordings, files, flags, redactor);
    const report = reportOf({ ...record, faults: deadline.strayErrors }, undefined, {
      startedAt,
      durationMs: performance.now() - start,
      complete: !deadline.signal.aborted && judge.breaks.length === 0,
      interrupted: deadline.isInterrupted,
      selection,
      baseUrl: recordings.baseUrl,
      controlUrl: undefined,
      seed: 0,
    });
    // A key may be recorded in one exchange and repeated in an earlier one: the last look comes when all are known.
    return await told(redactor.redactTexts(report), judge, flags);
  } finally {
    deadline.release();
  }
}

function recordOf(
  { judge, baseUrl }: JudgedRecordings,
  files: readonly string[],
  flags: ObserveFlags,
  redactor: Redactor,
): RunRecord {
  const observed = summarizeObserved(judge, {
    alone: true,
    baseUrl,
    files,
    command: (id) => observeCommand({ ...flags, target: baseUrl, files, only: id }),
  });
  return {
    judgements: [],
    passive: judge.rows.passive,
    unjudged: judge.counts.judged === 0 ? unjudged(judge, baseUrl, redactor) : undefined,
    stopped: undefined,
    controlViolations: [],
    faults: [],
    observed,
  };
}

function unjudged({ entries }: ObservedJudge, baseUrl: string | undefined, redactor: Redactor): string {
  const whose = baseUrl === undefined ? 'the document' : redactor.redact(baseUrl);
  return `none of the ${entries} recorded entries is an answer of ${whose} that could be judged; give --target the base URL, version segment included`;
}

/** Where several codes apply a violation goes before a broken file, of which no report is written. */
async function told(report: Report, judge: ObservedJudge, flags: ObserveFlags): Promise<number> {
  const isBroken = judge.breaks.length > 0;
  const { exit_code: ofGate } = report.gate;
  if (!isBroken || strongestExitCode([ofGate, exitCodes.usage]) === ofGate) {
    const folder = await folderFor(flags.report);
    const files = { report, traffic: { exchanges: [], sent: 0 } };
    const publication = { ...flags, format: flags.format.filter(isOfRecording) };
    const code = await published(files, publication).finally(() => folder.release());
    if (isBroken) process.stderr.write(`plumbline: ${brokenText(judge)}\n`);
    return code;
  }
  const width = process.stdout.columns ?? 100;
  const color = flags.color && process.stdout.isTTY === true;
  process.stdout.write(flags.quiet ? `${report.verdict}\n` : terminalSummary(report, { color, width }));
  process.stderr.write(`plumbline: ${brokenText(judge)}\n`);
  process.stderr.write(
    'plumbline: what could be read was judged; of a broken recording no report is written.\n',
  );
  return exitCodes.usage;
}

/** Nothing was sent, so there is no traffic of our own to tell. */
function isOfRecording(format: Format): boolean {
  return format !== 'har';
}

function brokenText({ breaks: [first = ''], breakCount }: ObservedJudge): string {
  return `${first}${breakCount === 1 ? '' : `, and ${breakCount - 1} more such places`}.`;
}
