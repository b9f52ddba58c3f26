import { randomInt, randomUUID } from 'node:crypto';
import { stopReason } from '../judge/attempt.js';
import { killed } from '../judge/journalled-report.js';
import type { Judgement } from '../judge/judgement.js';
import { PassiveJudge } from '../judge/passive.js';
import type { Depth, Plan, ReplayedCase } from '../judge/plan.js';
import { type RunFacts, reportOf } from '../judge/report.js';
import { type Progress, Run, type RunRecord } from '../judge/run.js';
import type { Selection } from '../judge/selection.js';
import type { Format, RunFiles } from '../reports/formats.js';
import { progressReporter } from '../reports/progress.js';
import { prepareFolder } from '../reports/report-folder.js';
import type { Report } from '../spec/report.js';
import { checksAt } from '../suites/all-checks.js';
import { Canaries } from '../targets/canary.js';
import { ControlError } from '../targets/control-client.js';
import type { Profile } from '../targets/profile/profile.js';
import { Redactor } from '../targets/redaction.js';
import { openTarget, type Target } from '../targets/target.js';
import type { Embedded } from './embedded.js';
import { lookedThrough } from './last-look.js';
import { type Limits, limitsOf } from './limits.js';
import { profileOf } from './profile-of.js';
import { published } from './publish.js';
import { RunJournal } from './run-journal.js';
import { scrubbed } from './scrubbed.js';
import { selected } from './selected.js';
import { Stop } from './stop.js';
import { UsageError } from './usage-error.js';

/** The flags of `plumbline run`, read and checked. */
export interface RunFlags {
  readonly target?: string;
  readonly control?: string;
  readonly controlToken?: string;
  /** The file that describes a deployment. */
  readonly profile?: string;
  readonly allowDestructive: boolean;
  readonly inference: boolean;
  readonly depth: Depth;
  /** Generated cases per property, in place of the depth's. */
  readonly cases?: number;
  readonly seed?: number;
  /** The one generated case to send again. */
  readonly path?: ReplayedCase;
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Requests in flight; 16 where nobody says otherwise. */
  readonly concurrency?: number;
  /** Requests a second. */
  readonly rate?: number;
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** Requests that may be sent, everything counted; the depth's where absent. */
  readonly maxRequests?: number;
  /** Milliseconds that the run may take; 240 s where nobody says otherwise. */
  readonly maxTime?: number;
  readonly report: string;
  readonly format: readonly Format[];
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Judges a server, writes the report and prints the summary. Returns the exit code; throws UsageError.
 * @param embedded the server that is judged where the flags name none
 */
export async function run(flags: RunFlags, embedded: Embedded | undefined): Promise<number> {
  const profile = flags.profile === undefined ? undefined : await profileOf(flags.profile);
  const selection = selected({ only: flags.only, skip: flags.skip });
  const plan = planned(flags);
  if (flags.controlToken !== undefined && flags.control === undefined) {
    throw new UsageError(
      '--control-token goes with --control. Give the address of the control protocol too.',
    );
  }
  const limits = limitsOf(flags, profile);
  const stop = new Stop(limits.maxTimeMs);
  try {
    await folderFor(flags.report);
    const frame = { selection, plan, stop, profile, limits };
    return await published(await judged(flags, frame, await embedded?.controlUrl), flags);
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

/** What a run is to judge, with which cases, how hard, and until when. */
interface Frame {
  readonly selection: Selection;
  readonly plan: Plan;
  readonly stop: Stop;
  readonly profile: Profile | undefined;
  readonly limits: Limits;
}

/** A folder that cannot be written to is better known before anything is sent. */
async function folderFor(directory: string): Promise<void> {
  await prepareFolder(directory).catch((error: unknown) => {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  });
}

async function judged(flags: RunFlags, frame: Frame, embeddedUrl: string | undefined): Promise<RunFiles> {
  const start = performance.now();
  const known = knownFacts(flags, frame);
  const opened = await open(flags, flags.control ?? embeddedUrl, frame);
  const target = 'target' in opened ? opened.target : undefined;
  const journal = target === undefined ? undefined : new RunJournal(flags.report, target, known);
  const record =
    'unjudged' in opened
      ? nothingJudged(opened.unjudged)
      : await judgeTarget(opened.target, journal, flags, frame);
  await target?.close();
  const { stop } = frame;
  const faults = [...record.faults, ...stop.strayErrors];
  const report = reportOf({ ...record, faults }, target, {
    ...known,
    durationMs: performance.now() - start,
    complete: !stop.signal.aborted,
    interrupted: stop.interrupted,
  });
  return finished(report, target?.redactor ?? new Redactor(), journal);
}

/** What a report says of a run that can be said before it. */
function knownFacts(flags: RunFlags, { selection, plan, profile }: Frame): RunFacts {
  return {
    runId: randomUUID(),
    startedAt: new Date(),
    durationMs: 0,
    complete: false,
    interrupted: false,
    selection,
    baseUrl: flags.target,
    // A reference of this process is gone when the command is run again.
    controlUrl: flags.control,
    seed: plan.seed,
    depth: plan.depth,
    profilePath: flags.profile,
    ...(profile === undefined ? {} : { policy: profile.policy }),
  };
}

/** The record of a run that is over, once it was looked through for secrets. */
async function finished(
  report: Report,
  redactor: Redactor,
  journal: RunJournal | undefined,
): Promise<RunFiles> {
  if (journal === undefined) return { report, traffic: { exchanges: [], sent: report.run.requests } };
  journal.close();
  const held = await scrubbed([journal.path], redactor);
  const clean = lookedThrough(report, redactor, held);
  journal.ended(clean);
  if (journal.trouble !== undefined) process.stderr.write(`plumbline: ${journal.trouble}\n`);
  return { report: clean, traffic: await journal.traffic(clean.run.requests) };
}

type Opened = { readonly target: Target } | { readonly unjudged: string };

async function open(
  flags: RunFlags,
  controlUrl: string | undefined,
  { stop, profile, limits: { concurrency, rate, maxRequests } }: Frame,
): Promise<Opened> {
  const { signal } = stop;
  try {
    const target = await openTarget({
      ...(flags.target === undefined ? {} : { baseUrl: flags.target }),
      ...(controlUrl === undefined ? {} : { control: address(controlUrl, flags.controlToken) }),
      ...(profile === undefined ? {} : { profile }),
      permissions: { destructive: flags.allowDestructive, inference: flags.inference },
      concurrency,
      ...(rate === undefined ? {} : { rate }),
      timeoutMs: flags.timeout,
      signal,
      ...(maxRequests === undefined
        ? {}
        : {
            maxRequests,
            onMaxRequests: () => stop.end(`the ceiling of ${maxRequests} requests is reached`),
          }),
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
  journal: RunJournal | undefined,
  flags: RunFlags,
  { selection, plan, stop, limits: { concurrency } }: Frame,
): Promise<RunRecord> {
  const progress = progressReporter(process.stderr, { quiet: flags.quiet, color: flags.color });
  const options = {
    selection,
    plan,
    concurrency,
    signal: stop.signal,
    onProgress: (done: Progress) => progress.update(done),
    onJudged: (judgement: Judgement): void => journal?.judged(judgement, run.seen),
    ...(journal === undefined ? {} : { keeper: journal.keeper }),
  };
  const run = new Run(target, options);
  const checks = checksAt(plan.depth);
  journal?.begin(run.outlook(checks, killed));
  try {
    return await run.judgeAll(checks);
  } finally {
    progress.end();
  }
}
