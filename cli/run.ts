import { randomUUID } from 'node:crypto';
import type { Judgement } from '../judge/check.js';
import { lookedThrough } from '../judge/evidence.js';
import { usualPolicy } from '../judge/gate.js';
import {
  type Depth,
  type Plan,
  type ReplayedCase,
  type Selection,
  type Shard,
  wholeRun,
  writeShard,
} from '../judge/plan.js';
import { limitsOf } from '../judge/run-limits.js';
import { Session, type SessionOptions } from '../judge/session.js';
import type { Waiver } from '../judge/waivers.js';
import type { Format, RunFiles } from '../reports/formats.js';
import { progressReporter } from '../reports/progress.js';
import { abandonFolder } from '../reports/report-folder.js';
import { UnwritableFile } from '../reports/write-whole.js';
import { exitCodes } from '../spec/exit-codes.js';
import { requirement } from '../spec/ledger.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';
import { allChecks } from '../suites/all-checks.js';
import { UnusableConnection } from '../targets/agents.js';
import { UnusableControl } from '../targets/control-client.js';
import type { Profile } from '../targets/profile/profile.js';
import type { Redactor } from '../targets/redaction.js';
import { selectShardNames } from '../targets/store-recipes.js';
import type { Embedded } from './embedded.js';
import { folderFor } from './folder-for.js';
import { gateTelling } from './gate-telling.js';
import { appended, mayAppend } from './history.js';
import { assertObserved, observedBeside } from './observed-beside.js';
import { ProcessDeadline } from './process-deadline.js';
import { assertProposable, proposeWaivers } from './propose-waivers.js';
import { published } from './publish.js';
import { RunJournal } from './run-journal.js';
import { scrubbed } from './scrubbed.js';
import { seedOf } from './seed.js';
import { selected } from './selected.js';
import { type DescriptionFlags, describeTarget, writeDescription } from './target-description.js';
import { readTlsFlags, type TlsFlags } from './tls-flags.js';
import { waiversOf } from './waivers.js';

/** The flags of `plumbline run`, read and checked. */
export interface RunFlags extends TlsFlags, DescriptionFlags {
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
  /** Requests a second at the most. */
  readonly rate?: number | 'auto';
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** Requests that may be sent, everything counted; the depth's where absent. */
  readonly maxRequests?: number;
  /** Milliseconds that the run may take; 240 s where nobody says otherwise. */
  readonly maxTime?: number;
  /** Confirmed violations after which the run stops; it goes on whatever is found where absent. */
  readonly bail?: number;
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
 * @param embedded the server that is judged where --reference asks for it
 */
export async function run(flags: RunFlags, embedded: Embedded | undefined): Promise<number> {
  const { shard = wholeRun } = flags;
  const described = await describeTarget(flags);
  const profile = described === undefined ? undefined : selectShardNames(described, shard);
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
  const tls = await readTlsFlags(flags);
  const limits = limitsOf(flags, profile);
  if (flags.history !== undefined) await mayAppend(flags.history);
  const deadline = new ProcessDeadline(limits.maxTimeMs);
  try {
    const embeddedUrl = await embedded?.controlUrl;
    const session = await openSession(flags.report, {
      address: {
        ...(flags.target === undefined ? {} : { baseUrl: flags.target }),
        ...controlOf(flags, embeddedUrl),
        ...(profile === undefined ? {} : { profile }),
        tls,
        permissions: { destructive: flags.allowDestructive, inference: flags.inference },
      },
      checks: allChecks,
      ...{ selection, plan, shard, limits, deadline },
      timeoutMs: flags.timeout,
      facts: {
        runId: randomUUID(),
        baseUrl: flags.target,
        // A reference of this process is gone when the command is run again.
        controlUrl: flags.control,
        embedded: embeddedUrl !== undefined,
        group: flags.runId,
        profilePath: flags.profile,
        tlsFlags: `${writeDescription(flags)}${flags.cacert === undefined ? '' : ` --cacert ${flags.cacert}`}${flags.insecure ? ' --insecure' : ''}`,
        ...(profile === undefined ? {} : { policy: profile.policy }),
        waivers,
        ...(flags.ledger === undefined ? {} : { ledger: flags.ledger }),
      },
    });
    const { target, redactor } = session;
    const observed = await observedBeside(flags, { target, redactor, signal: deadline.signal });
    const folder = await orClose(session, () => folderFor(flags.report));
    try {
      const files = await judge(session, flags, { deadline, observed, waivers });
      const code = await tell(files, flags, { selection, profile, waivers });
      if (files.report.totals.inconclusive > 0) await suggestFirstKey(session, profile, flags);
      return code;
    } finally {
      folder.release();
    }
  } finally {
    deadline.release();
  }
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

/** The control protocol; its token may come from the environment, which keeps it out of the list of processes. */
function controlOf({ control, controlToken: given }: RunFlags, embeddedUrl: string | undefined) {
  const url = control ?? embeddedUrl;
  if (url === undefined) return {};
  const token = given ?? (control === undefined ? undefined : process.env.PLUMBLINE_CONTROL_TOKEN);
  return { control: token === undefined ? { url } : { url, token } };
}

async function openSession(directory: string, options: SessionOptions): Promise<Session> {
  return await Session.open(options).catch(async (error: unknown) => {
    if (error instanceof UnusableConnection) throw new UsageError(error.message);
    if (!(error instanceof UnusableControl)) throw error;
    const folder = await folderFor(directory);
    await abandonFolder(directory);
    folder.release();
    throw new UsageError(`${error.message} No report was written.`);
  });
}

/** Judges what a session has opened, and keeps a journal of it in the folder of the reports, which is ready. */
async function judge(
  session: Session,
  flags: RunFlags,
  {
    deadline,
    observed,
    waivers,
  }: {
    readonly deadline: ProcessDeadline;
    readonly observed: Awaited<ReturnType<typeof observedBeside>>;
    readonly waivers: readonly Waiver[];
  },
): Promise<RunFiles> {
  const { target, redactor } = session;
  const journal = await orClose(session, () => openJournal(flags.report, session));
  const progress = progressReporter(process.stderr, {
    quiet: flags.quiet,
    color: flags.color,
    sent: () => target?.client.sent ?? 0,
  });
  const bail = bailer(flags.bail, waivers, deadline);
  const record = await session
    .judge({
      onBegin: (outlook) => journal?.begin(outlook),
      onProgress: (done) => progress.update(done),
      onJudged: (judgement, seen) => {
        journal?.judged(judgement, seen);
        bail(judgement);
      },
      ...(journal === undefined ? {} : { keeper: journal.keeper }),
    })
    .finally(() => progress.end())
    .catch(async (error: unknown) => {
      if (!(error instanceof UnusableControl)) throw error;
      journal?.close();
      const left = target?.leftBehind.length ?? 0;
      if (journal === undefined || left === 0) {
        await abandonFolder(flags.report);
        throw new UsageError(`${error.message} No report was written.`);
      }
      await scrubbed([journal.path], redactor);
      throw new UsageError(
        `${error.message} No report was written, and ${left === 1 ? 'a world is' : `${left} worlds are`} left: plumbline clean --from ${flags.report} --control URL removes what it can.`,
      );
    });
  await session.close();
  const faults = [...record.faults, ...deadline.strayErrors];
  const report = session.report({ ...record, faults, ...observed });
  return await finish(report, redactor, journal, flags.format);
}

/** What ends a run once so many requirements are violated that decide and that no waiver names. */
function bailer(
  most: number | undefined,
  waivers: readonly Waiver[],
  deadline: ProcessDeadline,
): (judgement: Judgement) => void {
  const waived = new Set<string>(waivers.map(({ id }) => id));
  const violated = new Set<string>();
  return ({ failures, passiveFailures }) => {
    for (const { requirement: id } of [...failures, ...passiveFailures]) {
      const { level } = requirement(id);
      if ((level === 'must' || level === 'derived') && !waived.has(id)) violated.add(id);
    }
    if (most !== undefined && violated.size >= most)
      deadline.end(`${most === 1 ? 'a violation was' : `${most} violations were`} confirmed (--bail)`);
  };
}

function openJournal(directory: string, { target, facts }: Session): RunJournal | undefined {
  try {
    return target === undefined ? undefined : new RunJournal(directory, target, facts);
  } catch (error) {
    throw error instanceof UnwritableFile ? new UsageError(error.message) : error;
  }
}

/** Does what a session needs before it judges; closes it where that fails. */
async function orClose<T>(session: Session, prepare: () => T): Promise<Awaited<T>> {
  try {
    return await prepare();
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** Says on standard error what a first key would unlock, where the target answers and no key is given. */
async function suggestFirstKey(
  { target }: Session,
  profile: Profile | undefined,
  { allowDestructive, inference }: RunFlags,
): Promise<void> {
  const hasKeys = profile === undefined || Object.keys(profile.keys).length > 0;
  if (target === undefined || target.controlled || hasKeys) return;
  const { describeFirstKey } = await import('./doctor/unlocks.js');
  const hint = describeFirstKey(target, profile, { destructive: allowDestructive, inference });
  if (hint !== undefined)
    process.stderr.write(`${hint}
`);
}

/** The files of a run that is over, once they were looked through for secrets. */
async function finish(
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
  journal.ended(clean);
  if (journal.trouble !== undefined) process.stderr.write(`plumbline: ${journal.trouble}\n`);
  const isTold = formats.includes('har');
  const traffic = isTold ? await journal.traffic(untold.sent, { isCleaned: held.length > 0 }) : untold;
  return { report: clean, traffic };
}

interface GateBasis {
  readonly selection: Selection;
  readonly profile: Profile | undefined;
  readonly waivers: readonly Waiver[];
}

/** Writes and prints what a run came to, and what became of its waivers and policy. Returns the exit code. */
async function tell(run: RunFiles, flags: RunFlags, basis: GateBasis): Promise<number> {
  const telling = gateTelling(run.report, basis);
  const policy = basis.profile?.policy ?? usualPolicy;
  const code = await published(run, flags);
  if (flags.proposeWaivers !== undefined) {
    await proposeWaivers(flags.proposeWaivers, run.report, policy).catch((error: unknown) => {
      if (!(error instanceof UnwritableFile)) throw error;
      process.stderr.write(`plumbline: ${error.message}\n`);
    });
  }
  // A run without reports is no line of the history either, unless it found a violation.
  if (flags.history !== undefined && code === run.report.gate.exit_code)
    await appended(run.report, flags.history);
  for (const line of [...telling.faults, ...telling.notes]) process.stderr.write(`${line}\n`);
  if (code === exitCodes.usage)
    process.stderr.write(
      `plumbline: the run ended ${run.report.verdict}, but its waivers are out of date. Fix them as described above.\n`,
    );
  return code;
}
