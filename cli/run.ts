import { randomInt } from 'node:crypto';
import { stopReason } from '../judge/attempt.js';
import { PassiveJudge } from '../judge/passive.js';
import type { Depth, Plan, ReplayedCase } from '../judge/plan.js';
import { reportOf } from '../judge/report.js';
import { type Progress, Run, type RunRecord } from '../judge/run.js';
import type { Selection } from '../judge/selection.js';
import { exitCodes } from '../judge/verdict.js';
import { progressReporter } from '../reports/progress.js';
import { terminalSummary } from '../reports/terminal.js';
import { writeJson } from '../reports/write-json.js';
import type { Report } from '../spec/report.js';
import { allChecks } from '../suites/all-checks.js';
import { Canaries } from '../targets/canary.js';
import { ControlError } from '../targets/control-client.js';
import { Redactor } from '../targets/redaction.js';
import { openTarget, type Target } from '../targets/target.js';
import type { Embedded } from './embedded.js';
import { selected } from './selected.js';
import { Stop } from './stop.js';
import { UsageError } from './usage-error.js';

/** The flags of `plumbline run`, read and checked. */
export interface RunFlags {
  readonly target?: string;
  readonly control?: string;
  readonly controlToken?: string;
  readonly depth: Depth;
  /** Generated cases per property, in place of the depth's. */
  readonly cases?: number;
  readonly seed?: number;
  /** The one generated case to send again. */
  readonly path?: ReplayedCase;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Requests in flight. */
  readonly concurrency: number;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** Milliseconds that the run may take. */
  readonly maxTime: number;
  readonly report: string;
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Judges a server, writes the report and prints the summary. Returns the exit code; throws UsageError.
 * @param embedded the server that is judged where the flags name none
 */
export async function run(flags: RunFlags, embedded: Embedded | undefined): Promise<number> {
  const selection = selected({ only: flags.only, skip: flags.skip });
  const plan = planned(flags);
  if (flags.controlToken !== undefined && flags.control === undefined) {
    throw new UsageError(
      '--control-token goes with --control. Give the address of the control protocol too.',
    );
  }
  const stop = new Stop(flags.maxTime);
  try {
    const report = await judged(flags, { selection, plan, stop }, await embedded?.controlUrl);
    return await published(report, flags);
  } finally {
    stop.release();
  }
}

function planned({ seed, depth, cases, path }: RunFlags): Plan {
  if (path !== undefined && seed === undefined) {
    throw new UsageError('--path names a case of one seed. Give the --seed that the report names beside it.');
  }
  return {
    seed: seed ?? randomInt(2 ** 31),
    depth,
    ...(cases === undefined ? {} : { cases }),
    ...(path === undefined ? {} : { replay: path }),
  };
}

/** What a run is to judge, with which cases, and until when. */
interface Frame {
  readonly selection: Selection;
  readonly plan: Plan;
  readonly stop: Stop;
}

async function judged(flags: RunFlags, frame: Frame, embeddedUrl: string | undefined): Promise<Report> {
  const { selection, plan, stop } = frame;
  const startedAt = new Date();
  const start = performance.now();
  const controlUrl = flags.control ?? embeddedUrl;
  const opened = await open(flags, controlUrl, stop.signal);
  const record =
    'unjudged' in opened ? nothingJudged(opened.unjudged) : await judgeTarget(opened.target, flags, frame);
  const target = 'target' in opened ? opened.target : undefined;
  await target?.close();
  return reportOf({ ...record, faults: [...record.faults, ...stop.strayErrors] }, target, {
    startedAt,
    durationMs: performance.now() - start,
    complete: !stop.signal.aborted,
    interrupted: stop.interrupted,
    selection,
    baseUrl: flags.target,
    // A reference of this process is gone when the command is run again.
    controlUrl: flags.control,
    seed: plan.seed,
    depth: plan.depth,
  });
}

type Opened = { readonly target: Target } | { readonly unjudged: string };

async function open(flags: RunFlags, controlUrl: string | undefined, signal: AbortSignal): Promise<Opened> {
  try {
    const target = await openTarget({
      ...(flags.target === undefined ? {} : { baseUrl: flags.target }),
      ...(controlUrl === undefined ? {} : { control: address(controlUrl, flags.controlToken) }),
      concurrency: flags.concurrency,
      timeoutMs: flags.timeout,
      signal,
    });
    return { target };
  } catch (error) {
    if (error instanceof ControlError) return { unjudged: error.message };
    if (signal.aborted) return { unjudged: stopReason(signal) };
    throw error;
  }
}

function address(url: string, token: string | undefined) {
  return token === undefined ? { url } : { url, token };
}

function nothingJudged(reason: string): RunRecord {
  return {
    judgements: [],
    passive: new PassiveJudge({ canaries: new Canaries(), redactor: new Redactor() }),
    unjudged: reason,
    stopped: undefined,
    controlViolations: [],
    faults: [],
  };
}

async function judgeTarget(
  target: Target,
  flags: RunFlags,
  { selection, plan, stop }: Frame,
): Promise<RunRecord> {
  const progress = progressReporter(process.stderr, { quiet: flags.quiet, color: flags.color });
  const options = {
    selection,
    plan,
    concurrency: flags.concurrency,
    signal: stop.signal,
    onProgress: (done: Progress) => progress.update(done),
  };
  try {
    return await new Run(target, options).judgeAll(allChecks);
  } finally {
    progress.end();
  }
}

async function published(report: Report, flags: RunFlags): Promise<number> {
  const file = await writeJson(report, flags.report);
  const width = process.stdout.columns ?? 100;
  const color = flags.color && process.stdout.isTTY === true;
  if (!flags.quiet) process.stdout.write(terminalSummary(report, { color, width, reportDir: flags.report }));
  else
    process.stdout.write(
      `${report.gate.exit_code === exitCodes.suiteFault ? 'the suite failed' : report.verdict} (${file})\n`,
    );
  return report.gate.exit_code;
}
