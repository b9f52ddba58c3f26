import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { FindingReplay, type Replayed } from '../judge/replay.js';
import { inertText } from '../reports/inert-text.js';
import { readReport } from '../reports/read-report.js';
import { violationsOf } from '../reports/violations.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Failure, Report } from '../spec/report.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { allChecks } from '../suites/all-checks.js';
import { UnusableConnection } from '../targets/agents.js';
import { ControlError } from '../targets/control-client.js';
import { openTarget } from '../targets/open-target.js';
import type { Target } from '../targets/target.js';
import { type Embedded, startEmbedded } from './embedded.js';
import { ProcessDeadline } from './process-deadline.js';
import { profileOf } from './profile-of.js';
import type { NamedValues } from './replay/named-values.js';
import { scriptMark, scriptText } from './replay/script.js';
import { nameValues, stepLines, writeSteps } from './replay/steps.js';
import type { RunFlags } from './run.js';
import { readTlsFlags } from './tls-flags.js';

/** The flags of `plumbline replay`, read and checked: those of `run` that say what the target is and what may be done. */
export type ReplayFlags = Pick<
  RunFlags,
  | 'target'
  | 'control'
  | 'controlToken'
  | 'profile'
  | 'allowDestructive'
  | 'inference'
  | 'timeout'
  | 'cacert'
  | 'insecure'
> & {
  /** The report.json, or its folder. */
  readonly report: string;
  /** Which finding of the report, from 1. */
  readonly number: number;
  /** Whether the world is left, and its keys are printed. */
  readonly keep: boolean;
  /** Where a script goes that sends the same without this package. */
  readonly script?: string;
};

const maxTimeMs = 120_000;

/**
 * Sends the steps of a finding again and prints what comes back. Returns the exit code: 1 where it was reproduced, 0 where
 * it was not, 3 where it could not be tried. Throws UsageError.
 */
export async function replay(flags: ReplayFlags): Promise<number> {
  const report = await readReport(flags.report);
  const failure = findingOf(report, flags.number);
  if (flags.script !== undefined) assertWritableScript(flags.script);
  const given = targetFlags(flags, report);
  const token = flags.controlToken ?? process.env.PLUMBLINE_CONTROL_TOKEN;
  const embedded = given === 'embedded' ? startEmbedded() : undefined;
  const deadline = new ProcessDeadline(maxTimeMs);
  const replaying = new FindingReplay(allChecks);
  try {
    const target = await open(flags, given, { embedded, token, deadline, replaying });
    if (target === undefined) return exitCodes.unjudged;
    try {
      const replayed = await replaying.run(failure, target, {
        seed: report.run.seed,
        keep: flags.keep,
        signal: deadline.signal,
      });
      if (deadline.isInterrupted) return exitCodes.interrupted;
      return tell(replayed, failure, { flags, target, token });
    } finally {
      if (flags.keep) target.client.close();
      else await target.close();
    }
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(
        `the finding cannot be replayed: ${error.message}. Run again: ${failure.reproduce.command}`,
      );
    throw error;
  } finally {
    deadline.release();
    await embedded?.close();
  }
}

/** A finding by its place among the violations of a report. Throws UsageError with a list of them where there is none. */
function findingOf(report: Report, number: number): Failure {
  const failures = violationsOf(report).flatMap((violation) => violation.failures);
  const failure = failures[number - 1];
  if (failure !== undefined) return failure;
  if (failures.length === 0) throw new UsageError('the report has no finding to replay.');
  const list = failures.map(
    ({ requirement, message }, at) => `  ${at + 1}  ${requirement}  ${inertText(message)}`,
  );
  throw new UsageError([`the report has no finding ${number}. It has:`, ...list].join('\n'));
}

/** The target of the flags; where they name none, that of the report. */
function targetFlags(
  flags: ReplayFlags,
  { target }: Report,
): Pick<ReplayFlags, 'target' | 'control' | 'profile'> | 'embedded' {
  const { target: url, control, profile } = flags;
  if (url !== undefined || control !== undefined || profile !== undefined)
    return {
      ...(url === undefined ? {} : { target: url }),
      ...(control === undefined ? {} : { control }),
      ...(profile === undefined ? {} : { profile }),
    };
  if (target.embedded === true) return 'embedded';
  if (target.control_url !== undefined)
    return { control: target.control_url, ...(target.base_url === null ? {} : { target: target.base_url }) };
  if (target.profile !== undefined) return { profile: target.profile };
  throw new UsageError(
    'the report does not say how its target was reached. Give --control URL or --profile FILE.',
  );
}

interface Opening {
  readonly embedded: Embedded | undefined;
  readonly token: string | undefined;
  readonly deadline: ProcessDeadline;
  readonly replaying: FindingReplay;
}

/** Opens the target; undefined, once that is printed, where it cannot be reached. Throws UsageError. */
async function open(
  flags: ReplayFlags,
  given: ReturnType<typeof targetFlags>,
  { embedded, token, deadline, replaying }: Opening,
): Promise<Target | undefined> {
  const {
    target,
    control,
    profile: path,
  } = given === 'embedded'
    ? { control: await embedded?.controlUrl }
    : { target: undefined, control: undefined, ...given };
  const profile = path === undefined ? undefined : await profileOf(path);
  try {
    return await openTarget({
      ...(target === undefined ? {} : { baseUrl: target }),
      ...(control === undefined
        ? {}
        : { control: { url: control, ...(token === undefined ? {} : { token }) } }),
      ...(profile === undefined ? {} : { profile }),
      tls: await readTlsFlags(flags),
      permissions: { destructive: flags.allowDestructive, inference: flags.inference },
      concurrency: profile?.limits.concurrency ?? 16,
      timeoutMs: flags.timeout,
      signal: deadline.signal,
      onReceived: replaying.onReceived,
    });
  } catch (error) {
    if (error instanceof UnusableConnection) throw new UsageError(error.message);
    if (!(error instanceof ControlError)) throw error;
    process.stderr.write(`plumbline: ${inertText(error.message)}; nothing was replayed.\n`);
    return undefined;
  }
}

interface Telling {
  readonly flags: ReplayFlags;
  readonly target: Target;
  readonly token: string | undefined;
}

/** Prints what came of it, and writes the script where one is wanted. Returns the exit code. */
function tell(replayed: Replayed, failure: Failure, { flags, target, token }: Telling): number {
  const { finding, disturbed } = replayed;
  const { secrets, all, ofWorlds } = nameValues(replayed, target, token);
  const inspects = failure.reproduce.origin?.inspects === true;
  const write = (names: NamedValues) => writeSteps(replayed.steps, target, names, inspects);
  const text = write(secrets).flatMap((step, at) => stepLines(step, at + 1));
  print(target, [
    `${failure.requirement}: expected ${failure.expected}, got ${failure.actual} when the report was written.`,
    '',
    ...text,
    ...(finding === undefined ? [] : [inertText(finding.message)]),
  ]);
  if (ofWorlds.size > 0) process.stdout.write(worldText(ofWorlds, text.join('\n'), flags));
  if (finding !== undefined && flags.script !== undefined) {
    writeFileSync(flags.script, target.redactor.redact(scriptText(write(all), failure, target)));
    process.stdout.write(`The same without plumbline: node ${flags.script}\n`);
  }
  if (finding !== undefined) {
    process.stdout.write('reproduced\n');
    return exitCodes['non-conformant'];
  }
  if (disturbed !== undefined) {
    process.stderr.write(`plumbline: it could not be tried: ${inertText(disturbed)}\n`);
    return exitCodes.unjudged;
  }
  process.stdout.write('not reproduced\n');
  return exitCodes.conformant;
}

function print({ redactor }: Target, lines: readonly string[]): void {
  process.stdout.write(`${redactor.redact(lines.join('\n'))}\n`);
}

/** What becomes of the world; where it stays, what sets the variables of the curl lines: keys that were made for this, and no others. */
function worldText(ofWorlds: ReadonlyMap<string, string>, curlLines: string, { keep }: ReplayFlags): string {
  if (!keep)
    return 'Its world is gone. With --keep it stays, and the keys that the curl lines need are printed.\n';
  const used = [...ofWorlds].filter(([name]) => new RegExp(`\\$\\{?${name}\\b`).test(curlLines));
  const lines = used.map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`);
  return `Its world is left as it is. With these the curl lines work:\n${lines.join('')}`;
}

/** Throws UsageError where a file is there that is no script of an earlier replay. */
function assertWritableScript(path: string): void {
  if (!existsSync(path)) return;
  try {
    if (readFileSync(path, 'utf8').includes(scriptMark)) return;
  } catch (error) {
    throw new UsageError(`--script: ${path} cannot be written: ${messageOf(error)}`);
  }
  throw new UsageError(
    `--script: ${path} is there already and is no script of plumbline. Name another file.`,
  );
}
