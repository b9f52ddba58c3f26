import { randomInt } from 'node:crypto';
import { stopReason } from '../judge/attempt.js';
import { type Policy, usualPolicy } from '../judge/gate.js';
import { PassiveJudge } from '../judge/passive.js';
import type { Depth, Plan, ReplayedCase } from '../judge/plan.js';
import { reportOf } from '../judge/report.js';
import { type Progress, Run, type RunRecord } from '../judge/run.js';
import type { Selection } from '../judge/selection.js';
import { exitCodes } from '../judge/verdict.js';
import type { Waiver } from '../judge/waivers/waiver.js';
import { progressReporter } from '../reports/progress.js';
import { terminalSummary } from '../reports/terminal.js';
import { writeJson } from '../reports/write-json.js';
import type { Report } from '../spec/report.js';
import { allChecks } from '../suites/all-checks.js';
import { Canaries } from '../targets/canary.js';
import { ControlError } from '../targets/control-client.js';
import type { Profile } from '../targets/profile/profile.js';
import { Redactor } from '../targets/redaction.js';
import { openTarget, type Target } from '../targets/target.js';
import type { Embedded } from './embedded.js';
import { gateTelling, refusalOf } from './gate-telling.js';
import { type Limits, limitsOf } from './limits.js';
import { profileOf } from './profile-of.js';
import { assertProposable, proposeWaivers } from './propose-waivers.js';
import { scrubbed } from './scrubbed.js';
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
  /** The file of known violations that the gate lets through. */
  readonly waivers?: string;
  /** Where waivers to fill in are written. */
  readonly proposeWaivers?: string;
  /** The release whose requirements decide. */
  readonly ledger?: string;
  readonly report: string;
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
  const waivers = flags.waivers === undefined ? [] : await waiversOf(flags.waivers, selection);
  if (flags.proposeWaivers !== undefined) await assertProposable(flags.proposeWaivers);
  const limits = limitsOf(flags, profile);
  const stop = new Stop(limits.maxTimeMs);
  try {
    const frame = { selection, plan, stop, profile, limits, waivers };
    const { report, redactor } = await judged(flags, frame, await embedded?.controlUrl);
    const told = gateTelling(report, frame);
    if (report.gate.exit_code === exitCodes.usage) throw new UsageError(refusalOf(report, told));
    const code = await published(report, redactor, flags, profile?.policy ?? usualPolicy);
    for (const line of [...told.faults, ...told.notes]) process.stderr.write(`${redactor.redact(line)}\n`);
    return code;
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
  readonly waivers: readonly Waiver[];
}

async function judged(
  flags: RunFlags,
  frame: Frame,
  embeddedUrl: string | undefined,
): Promise<{ readonly report: Report; readonly redactor: Redactor }> {
  const { selection, plan, stop, profile } = frame;
  const startedAt = new Date();
  const start = performance.now();
  const controlUrl = flags.control ?? embeddedUrl;
  const opened = await open(flags, controlUrl, frame);
  const record =
    'unjudged' in opened ? nothingJudged(opened.unjudged) : await judgeTarget(opened.target, flags, frame);
  const target = 'target' in opened ? opened.target : undefined;
  await target?.close();
  const report = reportOf({ ...record, faults: [...record.faults, ...stop.strayErrors] }, target, {
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
    profilePath: flags.profile,
    ...(profile === undefined ? {} : { policy: profile.policy }),
    waivers: frame.waivers,
    ...(flags.ledger === undefined ? {} : { ledger: flags.ledger }),
  });
  return { report, redactor: target?.redactor ?? new Redactor() };
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
  };
  try {
    return await new Run(target, options).judgeAll(allChecks);
  } finally {
    progress.end();
  }
}

/** The report of a run that wrote a secret down: that is the suite's own failure. */
function failedBySecrets(report: Report, files: readonly string[]): Report {
  const note = `a secret stood in ${files.join(', ')} and was taken out`;
  return {
    ...report,
    run: { ...report.run, notes: [...report.run.notes, note] },
    gate: { ...report.gate, exit_code: exitCodes.suiteFault },
  };
}

async function published(
  written: Report,
  redactor: Redactor,
  flags: RunFlags,
  policy: Policy,
): Promise<number> {
  const file = await writeJson(written, flags.report);
  const proposed =
    flags.proposeWaivers === undefined ? [] : await proposeWaivers(flags.proposeWaivers, written, policy);
  const held = await scrubbed([file, ...proposed], redactor);
  const report = held.length === 0 ? written : failedBySecrets(written, held);
  if (held.length > 0) {
    await writeJson(report, flags.report);
    await scrubbed([file], redactor);
  }
  const width = process.stdout.columns ?? 100;
  const color = flags.color && process.stdout.isTTY === true;
  if (!flags.quiet) {
    const summary = terminalSummary(report, { color, width, reportDir: flags.report });
    process.stdout.write(redactor.redact(summary));
  } else {
    process.stdout.write(
      `${report.gate.exit_code === exitCodes.suiteFault ? 'the suite failed' : report.verdict} (${file})\n`,
    );
  }
  return report.gate.exit_code;
}
