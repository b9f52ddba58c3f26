import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { FindingReplay, NotReplayable, type Replayed } from '../judge/replay.js';
import { numberFailures } from '../reports/failed-requirements.js';
import { loadReport } from '../reports/load-report.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Failure, Report } from '../spec/report.js';
import { messageOf, UsageError } from '../spec/thrown.js';
import { allChecks } from '../suites/all-checks.js';
import type { Target } from '../targets/target.js';
import type { ReplayFlags } from './flags.js';
import { ProcessDeadline } from './process-lifetime.js';
import type { NamedValues } from './replay/named-values.js';
import { renderScript, scriptMark } from './replay/script.js';
import { nameValues, renderStep, writeSteps } from './replay/steps.js';
import { findControl, readTlsFlags, startEmbedded, type TargetFlags } from './target.js';
import { openDescribedTarget } from './target-description.js';

/** The violation to replay, by its number from 1, and the report.json of its run, or the folder of that. */
type ReplayArguments = ReplayFlags & TargetFlags & { readonly report: string; readonly number: number };

/** Sends a violation again. Returns 1 if reproduced, 0 if not, 3 if it could not be tried. Throws UsageError. */
export async function replay(given: ReplayArguments): Promise<number> {
  const report = await loadReport(given.report);
  const failure = findFailure(report, given.number);
  if (given.script !== undefined) assertWritableScript(given.script);
  const flags = addTarget(given, report);
  await using embedded = flags.reference === true ? startEmbedded() : undefined;
  using deadline = new ProcessDeadline();
  const replaying = new FindingReplay(allChecks);
  try {
    const address = {
      ...(embedded === undefined ? {} : { control: { url: await embedded.controlUrl } }),
      tls: await readTlsFlags(flags),
      permissions: { destructive: flags.allowDestructive, inference: flags.inference },
      signal: deadline.signal,
      onReceived: replaying.onReceived,
    };
    const target = await openDescribedTarget(flags, address, 'nothing was replayed');
    if (target === undefined) return exitCodes.unjudged;
    try {
      const replayed = await replaying.run(failure, target, {
        seed: report.run.seed,
        keep: flags.keep,
        signal: deadline.signal,
      });
      return deadline.isInterrupted ? exitCodes.interrupted : printResult(replayed, failure, flags, target);
    } finally {
      if (flags.keep) target.client.close();
      else await target.close();
    }
  } catch (error) {
    if (!(error instanceof NotReplayable)) throw error;
    throw new UsageError(`${error.message}. Run again: ${failure.reproduce.command}`);
  }
}

/** Finds a violation of a report by its number. Throws UsageError that lists them if there is none. */
function findFailure(report: Report, number: number): Failure {
  const failures = numberFailures(report);
  const found = failures.find((one) => one.number === number);
  if (found !== undefined) return found.failure;
  if (failures.length === 0) throw new UsageError('the report has no violation to replay.');
  const list = failures.map(
    ({ number: at, failure: { requirement, message } }) =>
      `  ${at}  ${requirement}  ${sanitizeLine(message)}`,
  );
  throw new UsageError([`the report has no violation ${number}. It has:`, ...list].join('\n'));
}

/** Adds the target of the report to flags that name none. */
function addTarget<Flags extends TargetFlags>(flags: Flags, { target }: Report): Flags {
  const { target: url, control, profile } = flags;
  if (url !== undefined || control !== undefined || profile !== undefined) return flags;
  if (target.embedded === true) return { ...flags, reference: true };
  if (target.profile !== undefined) return { ...flags, profile: target.profile };
  const baseUrl = target.base_url ?? undefined;
  if (target.control_url !== undefined) return { ...flags, control: target.control_url, target: baseUrl };
  if (target.control || baseUrl === undefined)
    throw new UsageError(
      'the report does not say how its target was reached. Give --control URL or --profile FILE.',
    );
  return { ...flags, target: baseUrl };
}

/** Prints the result, and writes the script if one is wanted. Returns the exit code. */
function printResult(replayed: Replayed, failure: Failure, flags: ReplayFlags, target: Target): number {
  const { finding, other, disturbed } = replayed;
  const { secrets, all, ofWorlds } = nameValues(replayed, target, findControl(flags)?.token);
  const inspects = failure.reproduce.origin?.inspects === true;
  const write = (names: NamedValues) => writeSteps(replayed.steps, target, names, inspects);
  const text = write(secrets).flatMap((step, at) => renderStep(step, at + 1));
  const lines = [
    `${failure.requirement}: expected ${failure.expected}, got ${failure.actual} when the report was written.`,
    '',
    ...text,
    ...(finding === undefined ? [] : [sanitizeLine(finding.message)]),
  ];
  process.stdout.write(`${target.redactor.redact(lines.join('\n'))}\n`);
  if (ofWorlds.size > 0) process.stdout.write(describeWorlds(ofWorlds, text.join('\n'), flags));
  if (finding !== undefined && flags.script !== undefined) {
    writeFileSync(flags.script, target.redactor.redact(renderScript(write(all), failure, target)));
    process.stdout.write(`To reproduce it without plumbline: node ${flags.script}\n`);
  }
  if (finding !== undefined) {
    process.stdout.write('reproduced\n');
    return exitCodes['non-conformant'];
  }
  if (other !== undefined) {
    const how = sanitizeLine(target.redactor.redact(other.message));
    process.stderr.write(
      `plumbline: the response is wrong in another way now: ${how}. Run the suite again.\n`,
    );
    return exitCodes.unjudged;
  }
  if (disturbed !== undefined) {
    process.stderr.write(`plumbline: could not send the violation again: ${sanitizeLine(disturbed)}\n`);
    return exitCodes.unjudged;
  }
  process.stdout.write('not reproduced\n');
  return exitCodes.conformant;
}

/** Says what becomes of the world; if it stays, with the export lines of its keys, and of no others. */
function describeWorlds(ofWorlds: ReadonlyMap<string, string>, curlLines: string, { keep }: ReplayFlags) {
  if (!keep)
    return 'The world was deleted. Use --keep to keep it and to print the keys that the curl lines need.\n';
  const used = [...ofWorlds].filter(([name]) => new RegExp(`\\$\\{?${name}\\b`).test(curlLines));
  const lines = used.map(([name, value]) => `export ${name}='${value.replaceAll("'", "'\\''")}'\n`);
  return `The world was kept. The curl lines need these variables:\n${lines.join('')}`;
}

/** Throws UsageError if the file exists and is not the script of an earlier replay. */
function assertWritableScript(path: string): void {
  if (!existsSync(path)) return;
  try {
    if (readFileSync(path, 'utf8').includes(scriptMark)) return;
  } catch (error) {
    throw new UsageError(`--script: could not read ${path}: ${messageOf(error)}. Give another file.`);
  }
  throw new UsageError(`--script: ${path} already exists and is not a replay script. Give another file.`);
}
