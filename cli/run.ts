import { randomUUID } from 'node:crypto';
import { stopReason } from '../judge/attempt.js';
import { usualPolicy } from '../judge/gate.js';
import { killed } from '../judge/journalled-report.js';
import type { Judgement } from '../judge/judgement.js';
import { lookedThrough } from '../judge/last-look.js';
import { type Limits, limitsOf } from '../judge/limits.js';
import { nothingJudged } from '../judge/nothing-judged.js';
import { partOf } from '../judge/part.js';
import type { Depth, Plan, ReplayedCase } from '../judge/plan.js';
import { type RunFacts, reportOf } from '../judge/report.js';
import { type Progress, Run, type RunRecord } from '../judge/run.js';
import type { Selection } from '../judge/selection.js';
import { type Shard, wholeRun, writeShard } from '../judge/shard.js';
import { exitCodes } from '../judge/verdict.js';
import type { Waiver } from '../judge/waivers/waiver.js';
import type { Format, RunFiles } from '../reports/formats.js';
import { progressReporter } from '../reports/progress.js';
import { abandonFolder } from '../reports/report-folder.js';
import { UnwritableFile } from '../reports/write-whole.js';
import type { Report } from '../spec/report.js';
import { checksAt } from '../suites/all-checks.js';
import { UnusableConnection } from '../targets/agents.js';
import { ControlError } from '../targets/control-client.js';
import type { Profile } from '../targets/profile/profile.js';
import { Redactor } from '../targets/redaction.js';
import { withShareOfNames } from '../targets/store/share-of-names.js';
import { openTarget, type Target } from '../targets/target.js';
import { UnusableControl } from '../targets/unusable-control.js';
import type { Embedded } from './embedded.js';
import { folderFor } from './folder-for.js';
import { gateTelling, refusalOf } from './gate-telling.js';
import { appended, mayAppend } from './history.js';
import { assertObserved, observedBeside } from './observed-beside.js';
import { profileOf } from './profile-of.js';
import { assertProposable, proposeWaivers } from './propose-waivers.js';
import { published } from './publish.js';
import { RunJournal } from './run-journal.js';
import { scrubbed } from './scrubbed.js';
import { seedOf } from './seed.js';
import { selected } from './selected.js';
import { Stop } from './stop.js';
import { UsageError } from './usage-error.js';
import { waiversOf } from './waivers.js';

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
  /** Which part of the run, all of it where absent; the limits are the whole run's. */
  readonly shard?: Shard;
  /** What the shards of one run have in common, and the seed comes from where none is given. */
  readonly runId?: string;
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
  /** Recorded traffic that is taken in as evidence. */
  readonly observed: readonly string[];
  /** The base URL of the recorded exchanges that count; the only one of the document's kind where absent. */
  readonly observedTarget?: string;
  /** A file of stored values that no recorded answer may hold, one a line. */
  readonly canaryFile?: string;
  /** The file of known violations that the gate lets through. */
  readonly waivers?: string;
  /** Where waivers to fill in are written. */
  readonly proposeWaivers?: string;
  /** The release whose requirements decide. */
  readonly ledger?: string;
  readonly report: string;
  readonly format: readonly Format[];
  /** The file that the run is to be a line of. */
  readonly history?: string;
  readonly quiet: boolean;
  readonly color: boolean;
}

/**
 * Judges a server, writes the report and prints the summary. Returns the exit code; throws UsageError.
 * @param embedded the server that is judged where the flags name none
 */
export async function run(flags: RunFlags, embedded: Embedded | undefined): Promise<number> {
  const { shard = wholeRun } = flags;
  const profile =
    flags.profile === undefined ? undefined : withShareOfNames(await profileOf(flags.profile), shard);
  const selection = selected({ only: flags.only, skip: flags.skip });
  const plan = planned(flags);
  if (flags.controlToken !== undefined && flags.control === undefined) {
    throw new UsageError(
      '--control-token goes with --control. Give the address of the control protocol too.',
    );
  }
  await assertObserved(flags);
  const waivers = flags.waivers === undefined ? [] : await waiversOf(flags.waivers, selection);
  if (flags.proposeWaivers !== undefined) await assertProposable(flags.proposeWaivers);
  const limits = limitsOf(flags, profile);
  if (flags.history !== undefined) await mayAppend(flags.history);
  const stop = new Stop(limits.maxTimeMs);
  try {
    const frame = { selection, plan, shard, stop, profile, limits, waivers };
    const judgedRun = await judged(flags, frame, await embedded?.controlUrl);
    return await told(judgedRun, flags, frame);
  } finally {
    stop.release();
  }
}

/**
 * Tells what a run came to, and what its waivers and policy turned out to be. Throws UsageError where a waiver is wrong
 * and nothing goes before that.
 */
async function told(run: RunFiles, flags: RunFlags, frame: Frame): Promise<number> {
  const telling = gateTelling(run.report, frame);
  if (run.report.gate.exit_code === exitCodes.usage) {
    // Of wrong usage no report is left.
    await abandonFolder(flags.report);
    throw new UsageError(refusalOf(run.report, telling));
  }
  const policy = frame.profile?.policy ?? usualPolicy;
  if (flags.proposeWaivers !== undefined) await proposeWaivers(flags.proposeWaivers, run.report, policy);
  if (flags.history !== undefined) await appended(run.report, flags.history);
  const code = await published(run, flags);
  for (const line of [...telling.faults, ...telling.notes]) process.stderr.write(`${line}\n`);
  return code;
}

function planned({ seed: given, runId, shard = wholeRun, depth, cases, path }: RunFlags): Plan {
  if (path !== undefined && shard.of > 1) {
    throw new UsageError(
      `--path names one case, which --shard ${writeShard(shard)} cannot split. Leave one of them out.`,
    );
  }
  if (path !== undefined && given === undefined) {
    throw new UsageError('--path names a case of one seed. Give the --seed that the report names beside it.');
  }
  return {
    seed: seedOf({
      shard,
      ...(given === undefined ? {} : { seed: given }),
      ...(runId === undefined ? {} : { runId }),
    }),
    depth,
    ...(cases === undefined ? {} : { cases }),
    ...(path === undefined ? {} : { replay: path }),
  };
}

/** What a run is to judge, with which cases, how hard, and until when. */
interface Frame {
  readonly selection: Selection;
  readonly plan: Plan;
  readonly shard: Shard;
  readonly stop: Stop;
  readonly profile: Profile | undefined;
  readonly limits: Limits;
  readonly waivers: readonly Waiver[];
}

/** The journal of a run in a folder that is made ready for it; the target is let go where that cannot be. */
async function journalIn(
  directory: string,
  target: Target | undefined,
  known: RunFacts,
): Promise<RunJournal | undefined> {
  try {
    await folderFor(directory);
    return target === undefined ? undefined : new RunJournal(directory, target, known);
  } catch (error) {
    await target?.close();
    throw error instanceof UnwritableFile ? new UsageError(error.message) : error;
  }
}

async function judged(flags: RunFlags, frame: Frame, embeddedUrl: string | undefined): Promise<RunFiles> {
  const start = performance.now();
  const known = knownFacts(flags, frame, embeddedUrl);
  const opened = await open(flags, flags.control ?? embeddedUrl, frame);
  const target = 'target' in opened ? opened.target : undefined;
  const { stop } = frame;
  const redactor = target?.redactor ?? new Redactor();
  const observed = await observedBeside(flags, { target, redactor, signal: stop.signal });
  const journal = await journalIn(flags.report, target, known);
  const record =
    'unjudged' in opened
      ? nothingJudged(opened.unjudged, partOf(checksAt(frame.plan.depth), frame).division)
      : await judgeTarget(opened.target, journal, flags, frame).catch(async (error: unknown) => {
          await target?.close();
          if (!(error instanceof UnusableControl)) throw error;
          journal?.close();
          await abandonFolder(flags.report);
          throw new UsageError(error.message);
        });
  await target?.close();
  const faults = [...record.faults, ...stop.strayErrors];
  const report = reportOf({ ...record, faults, ...observed }, target, {
    ...known,
    durationMs: performance.now() - start,
    complete: !stop.signal.aborted,
    interrupted: stop.interrupted,
  });
  return finished(report, redactor, journal, flags.format);
}

/** What a report says of a run that can be said before it. */
function knownFacts(
  flags: RunFlags,
  { selection, plan, shard, profile, waivers }: Frame,
  embeddedUrl: string | undefined,
): RunFacts {
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
    embedded: embeddedUrl !== undefined,
    seed: plan.seed,
    depth: plan.depth,
    cases: plan.cases,
    shard,
    group: flags.runId,
    profilePath: flags.profile,
    ...(profile === undefined ? {} : { policy: profile.policy }),
    waivers,
    ...(flags.ledger === undefined ? {} : { ledger: flags.ledger }),
  };
}

/** The record of a run that is over, once it was looked through for secrets. */
async function finished(
  report: Report,
  redactor: Redactor,
  journal: RunJournal | undefined,
  formats: readonly Format[],
): Promise<RunFiles> {
  const untold = { exchanges: [], sent: report.run.requests };
  if (journal === undefined) return { report: lookedThrough(report, redactor), traffic: untold };
  journal.close();
  const held = await scrubbed([journal.path], redactor);
  const clean = lookedThrough(report, redactor, held);
  if (clean.gate.exit_code === exitCodes.usage) return { report: clean, traffic: untold };
  journal.ended(clean);
  if (journal.trouble !== undefined) process.stderr.write(`plumbline: ${journal.trouble}\n`);
  const isTold = formats.includes('har');
  const traffic = isTold ? await journal.traffic(untold.sent, { isCleaned: held.length > 0 }) : untold;
  return { report: clean, traffic };
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
      ...(controlUrl === undefined ? {} : { control: address(controlUrl, controlToken(flags)) }),
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
    if (error instanceof UnusableConnection || error instanceof UnusableControl)
      throw new UsageError(error.message);
    if (error instanceof ControlError) return { unjudged: error.message };
    if (signal.aborted) return { unjudged: stopReason(signal) };
    throw error;
  }
}

/** The token of the control that is given; the environment keeps it out of the list of processes. */
function controlToken({ control, controlToken: given }: RunFlags): string | undefined {
  if (given !== undefined || control === undefined) return given;
  return process.env.PLUMBLINE_CONTROL_TOKEN || undefined;
}

function address(url: string, token: string | undefined) {
  return token === undefined ? { url } : { url, token };
}

async function judgeTarget(
  target: Target,
  journal: RunJournal | undefined,
  flags: RunFlags,
  { selection, plan, shard, stop, limits: { concurrency } }: Frame,
): Promise<RunRecord> {
  const progress = progressReporter(process.stderr, {
    quiet: flags.quiet,
    color: flags.color,
    sent: () => target.client.sent,
  });
  const options = {
    selection,
    plan,
    shard,
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
