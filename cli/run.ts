import { join } from 'node:path';
import { redactReport, reportExchange } from '../judge/evidence.js';
import type { Violation } from '../judge/finding.js';
import { defaultPolicy } from '../judge/gate.js';
import { resolveLimits } from '../judge/run-limits.js';
import { Session, type SessionOptions } from '../judge/session.js';
import type { OnExchange } from '../judge/traffic-log.js';
import type { Waiver } from '../judge/waivers.js';
import type { RunEvidence } from '../reports/formats.js';
import { createProgress } from '../reports/progress.js';
import { abandonReportDirectory, journalFile, prepareReportDirectory } from '../reports/report-folder.js';
import { defuseCommands, safeLine, sanitizeLines, truncate } from '../reports/sanitize.js';
import { formatCount } from '../reports/wording.js';
import { exitCodes } from '../spec/exit-codes.js';
import { type RequirementId, requirement } from '../spec/ledger.js';
import type { Policy, ReportedExchange } from '../spec/report.js';
import { isDeciding } from '../spec/requirement.js';
import { UsageError } from '../spec/thrown.js';
import { allChecks } from '../suites/all-checks.js';
import { UnusableControl } from '../targets/control-client.js';
import type { Exchange } from '../targets/exchange.js';
import type { Profile } from '../targets/profile/profile.js';
import type { Redactor } from '../targets/redaction.js';
import type { Target } from '../targets/target.js';
import type { RunFlags } from './flags.js';
import { ProcessDeadline } from './process-lifetime.js';
import { assertRecordable, publishRun, recordRun } from './publish.js';
import { assertObserved, readRecordedEvidence } from './recordings.js';
import { planCases, selectRequirements } from './run-flags.js';
import { RunJournal, redactFile } from './run-journal.js';
import { type Embedded, findControl, readTlsFlags, writeTlsFlags } from './target.js';
import { describeTarget, writeDescription } from './target-description.js';
import { assertProposable, loadWaivers, proposePolicy, proposeWaivers, reviewGate } from './waivers.js';

/** Judges a server, which --reference embeds, and writes the reports. Returns the exit code; throws UsageError. */
export async function run(flags: RunFlags, embedded: Embedded | undefined): Promise<number> {
  const inputs = await readInputs(flags);
  using deadline = new ProcessDeadline(inputs.limits.maxTimeMs);
  await using session = await openSession(flags, inputs, deadline, await embedded?.controlUrl);
  const evidence = await readRecordedEvidence(flags, session, deadline.signal);
  using _folder = await prepareReportDirectory(flags.report);
  const files = await judge(session, flags, { deadline, evidence, waivers: inputs.waivers });
  const code = await publishResult(files, flags, inputs);
  if (files.report.totals.inconclusive > 0) await suggestFirstKey(session, inputs.profile, flags);
  return code;
}

type RunInputs = Awaited<ReturnType<typeof readInputs>>;

/** Reads what the flags name, and checks what the run will write, before anything is sent. Throws UsageError. */
async function readInputs(flags: RunFlags) {
  const { shard, waivers: waiversPath, proposeWaivers, proposePolicy } = flags;
  const profile = await describeTarget(flags, shard);
  const selection = selectRequirements(flags);
  const plan = planCases(flags);
  if (flags.controlToken !== undefined && flags.control === undefined)
    throw new UsageError('--control-token needs --control. Give the URL of the control protocol too.');
  await assertObserved(flags);
  const waivers = waiversPath === undefined ? [] : await loadWaivers(waiversPath, selection);
  if (proposeWaivers !== undefined) await assertProposable('--propose-waivers', proposeWaivers);
  if (proposePolicy !== undefined) await assertProposable('--propose-policy', proposePolicy);
  const tls = await readTlsFlags(flags);
  const limits = resolveLimits(flags, profile);
  await assertRecordable(flags);
  return { shard, profile, selection, plan, waivers, tls, limits };
}

/** Publishes the result of a run, records it, and writes the proposals asked for. Returns the exit code. */
async function publishResult(
  files: RunEvidence,
  flags: RunFlags,
  { selection, profile, waivers }: RunInputs,
): Promise<number> {
  const { report } = files;
  const outdated = reviewGate(report, waivers, { selection, policy: profile?.policy });
  const code = await publishRun(files, flags);
  const policy = profile?.policy ?? defaultPolicy;
  if (flags.proposeWaivers !== undefined) await proposeWaivers(flags.proposeWaivers, report, policy);
  if (flags.proposePolicy !== undefined)
    await proposePolicy(flags.proposePolicy, report, { path: flags.profile, policy });
  // A run whose reports could not be written is not recorded, unless it found a violation.
  if (code === report.gate.exit_code) await recordRun(flags, report);
  for (const line of outdated) process.stderr.write(`${line}\n`);
  if (code === exitCodes.usage)
    process.stderr.write(
      `plumbline: the verdict is ${report.verdict}, but the waivers are out of date. Fix them as described above.\n`,
    );
  return code;
}

/** Returns the policy of a run; with --allow-incomplete it excuses everything without a result. */
function loosenPolicy({ allowIncomplete }: RunFlags, policy: Policy = defaultPolicy): Policy {
  if (!allowIncomplete) return policy;
  const excuse = { requirement: '*', reason: 'allowed by --allow-incomplete' };
  return { ...policy, excused: [...policy.excused, excuse] };
}

/** Says on standard error what a first key would unlock, if the target answers and no key is given. */
async function suggestFirstKey(
  { target }: Session,
  profile: Profile | undefined,
  { allowDestructive }: RunFlags,
): Promise<void> {
  const hasKeys = profile === undefined || Object.keys(profile.keys).length > 0;
  if (target === undefined || target.controlled || hasKeys) return;
  const { describeFirstKey, findMissingFields } = await import('./missing-profile-fields.js');
  const hint = describeFirstKey(findMissingFields(target, profile, allowDestructive));
  if (hint !== undefined) process.stderr.write(`${hint}\n`);
}

/** Opens the session of a run. Throws UsageError where the control protocol cannot be used. */
async function openSession(
  flags: RunFlags,
  { waivers, profile, tls, ...others }: RunInputs,
  deadline: ProcessDeadline,
  embeddedUrl: string | undefined,
): Promise<Session> {
  const options: SessionOptions = {
    ...others,
    deadline,
    address: {
      baseUrl: flags.target,
      control: findControl(flags) ?? (embeddedUrl === undefined ? undefined : { url: embeddedUrl }),
      profile,
      tls,
      permissions: { destructive: flags.allowDestructive, inference: flags.inference },
    },
    checks: allChecks,
    timeoutMs: flags.timeout,
    facts: {
      baseUrl: flags.target,
      // The embedded server is gone when a command of the report is run.
      controlUrl: flags.control,
      embedded: embeddedUrl !== undefined,
      group: flags.runId,
      profilePath: flags.profile,
      targetFlags: `${writeDescription(flags)}${writeTlsFlags(flags)}`,
      policy: loosenPolicy(flags, profile?.policy),
      waivers,
      ...(flags.ledger === undefined ? {} : { ledger: flags.ledger }),
    },
  };
  return await Session.open(options).catch(async (error: unknown) => {
    if (!(error instanceof UnusableControl)) throw error;
    using _folder = await prepareReportDirectory(flags.report);
    throw await abandonRun(error, flags.report);
  });
}

/** Leaves no report of a run with an unusable control, but a journal if it left worlds. Returns the error to throw. */
async function abandonRun(
  { message }: UnusableControl,
  directory: string,
  target?: Target,
): Promise<UsageError> {
  const left = target?.leftBehind.length ?? 0;
  if (target === undefined || left === 0) {
    await abandonReportDirectory(directory);
    return new UsageError(`${message} No report was written.`);
  }
  await redactFile(join(directory, journalFile), target.redactor);
  return new UsageError(
    `${message} No report was written, and ${left === 1 ? '1 world is' : `${left} worlds are`} left on the target. Run "plumbline clean --from ${directory} --control URL" to remove them.`,
  );
}

interface JudgeInputs {
  readonly deadline: ProcessDeadline;
  readonly evidence: Awaited<ReturnType<typeof readRecordedEvidence>>;
  readonly waivers: readonly Waiver[];
}

/** Judges the target of a session, and keeps a journal in the report folder, which must exist. */
async function judge(
  session: Session,
  flags: RunFlags,
  { deadline, evidence, waivers }: JudgeInputs,
): Promise<RunEvidence> {
  const { target, redactor, facts } = session;
  const print: OnExchange = (exchange, subject) => printExchange(exchange, subject, redactor);
  const onExchange = flags.verbose ? print : undefined;
  const journal = target === undefined ? undefined : new RunJournal(flags.report, target, facts, onExchange);
  const progress = createProgress(process.stderr, {
    quiet: flags.quiet || flags.verbose,
    sent: () => target?.client.sent ?? 0,
  });
  const announce = makeAnnouncer((text) => progress.announce(safeLine(redactor.redact(text), maxLine)));
  const record = await session
    .judge({
      onBegin: (forecast) => journal?.begin(forecast),
      onProgress: (done) => progress.update(done),
      onJudged: (judgement, seen) => journal?.noteJudgement(judgement, seen),
      onViolations: (violations) => {
        const failed = announce(violations.filter((violation) => mayDecide(violation, waivers)));
        if (flags.bail !== undefined && failed >= flags.bail)
          deadline.end(`${formatCount(failed, 'requirement')} failed (--bail)`);
      },
      ...(journal === undefined ? {} : { trafficLog: journal.trafficLog }),
    })
    .finally(() => progress.end())
    .catch(async (error: unknown) => {
      if (!(error instanceof UnusableControl)) throw error;
      journal?.close();
      throw await abandonRun(error, flags.report, target);
    });
  await session.close();
  const faults = [...record.faults, ...deadline.strayErrors];
  const report = session.report({ ...record, faults, ...evidence });
  return (
    (await journal?.finish(report)) ?? {
      report: redactReport(report, redactor),
      traffic: { exchanges: [], sent: report.run.requests },
    }
  );
}

// Enough to begin with; a broken server may fail a hundred requirements.
const maxAnnounced = 5;
const maxLine = 300;

/**
 * Returns a function that writes the first violation of each requirement that it is given, up to a few,
 * and returns how many requirements have failed.
 */
function makeAnnouncer(write: (text: string) => void) {
  const failed = new Set<string>();
  return (violations: readonly Violation[]): number => {
    for (const { requirement: id, message } of violations) {
      if (failed.has(id)) continue;
      failed.add(id);
      if (failed.size <= maxAnnounced) write(`plumbline: ${id} failed: ${message}`);
      else if (failed.size === maxAnnounced + 1)
        write('plumbline: further requirements failed; the report lists them at the end');
    }
    return failed.size;
  };
}

/** Whether a violation stops a release: it decides, and no waiver names its requirement. */
function mayDecide({ requirement: id }: Violation, waivers: readonly Waiver[]): boolean {
  return isDeciding(requirement(id)) && !waivers.some((waiver) => waiver.id === id);
}

const bodyShown = 2_000;

/** Prints an exchange on standard error, as curl -v does, with every secret redacted. */
function printExchange(exchange: Exchange, subject: RequirementId, redactor: Redactor): void {
  const text = `* ${subject}: ${redactor.redact(exchange.label)}\n${renderExchange(reportExchange(exchange, redactor))}`;
  const lines = sanitizeLines(text).split('\n').map(defuseCommands);
  process.stderr.write(`${lines.join('\n')}\n\n`);
}

function renderExchange({ request, response, lost, duration_ms: ms }: ReportedExchange): string {
  const fields = (sign: string, headers: ReportedExchange['request']['headers']) =>
    headers.map(([name, value]) => `${sign} ${name}: ${value}`);
  return [
    `> ${request.method} ${request.url}`,
    ...fields('>', request.headers),
    ...showBody(request.body),
    ...(response === null
      ? [`< ${lost ?? 'no response'} (${ms} ms)`]
      : [`< ${response.status} (${ms} ms)`, ...fields('<', response.headers), ...showBody(response.body)]),
  ].join('\n');
}

function showBody(body: string | null): readonly string[] {
  return body === null || body === '' ? [] : [truncate(body, bodyShown)];
}
