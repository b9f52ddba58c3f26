import { access, constants } from 'node:fs/promises';
import type { RecordedEvidence } from '../judge/run-record.js';
import type { Session } from '../judge/session.js';
import { ObservedJudge } from '../recordings/observed-judge.js';
import { summarizeObserved } from '../recordings/observed-results.js';
import { AmbiguousTarget, type ObservedTarget } from '../recordings/observed-routes.js';
import { readRecording, UnreadableRecording } from '../recordings/read-recording.js';
import { standardInput } from '../recordings/recorded-exchange.js';
import { sanitizeLine } from '../reports/sanitize.js';
import { quoteForShell, typedCommand } from '../spec/command-line.js';
import type { RequirementId } from '../spec/ledger.js';
import { explainReadError, readTextFile } from '../spec/read-file.js';
import { UsageError } from '../spec/thrown.js';
import { shortestCanary } from '../targets/leak-detection.js';
import type { Redactor } from '../targets/redaction.js';
import type { RunFlags } from './flags.js';

/** The flags of `run` about recorded traffic. */
type ObservedFlags = Pick<RunFlags, 'observed' | 'observedTarget' | 'canaryFile'>;

/** Throws UsageError if a recording cannot be opened, or if a flag about recordings is given without one. */
export async function assertObserved({ observed, observedTarget, canaryFile }: ObservedFlags): Promise<void> {
  const flag = observedTarget === undefined ? '--canary-file' : '--observed-target';
  if (observed.length === 0 && (observedTarget ?? canaryFile) !== undefined)
    throw new UsageError(`${flag} needs --observed. Give a recording, or remove ${flag}.`);
  await assertReadable(observed);
}

/** Throws UsageError if a recording cannot be opened. */
export async function assertReadable(files: readonly string[]): Promise<void> {
  if (files.filter((file) => file === standardInput).length > 1)
    throw new UsageError('- (standard input) is given twice, but can be read only once. Give it once.');
  for (const file of files.filter((name) => name !== standardInput))
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw new UsageError(`${file} ${explainReadError(error)}.`);
    });
}

/** Reads what recordings add to a run. Throws UsageError if one is broken: no run rests on half its evidence. */
export async function readRecordedEvidence(
  { observed: files, observedTarget, canaryFile }: ObservedFlags,
  { target, redactor }: Session,
  signal: AbortSignal,
): Promise<{ readonly observed?: RecordedEvidence }> {
  if (files.length === 0) return {};
  const { method: inferenceMethod, path: inferencePath } = target?.inference ?? {};
  const canaries = await readCanaries(canaryFile);
  const judge = await judgeRecordings({
    ...{ files, canaries, redactor, signal, inferenceMethod, inferencePath },
    ...{ baseUrl: observedTarget, baseFlag: '--observed-target' },
  });
  const [broken] = judge.breaks;
  if (broken !== undefined)
    throw new UsageError(
      `${broken}. Nothing was judged; "plumbline observe" judges the part of a recording that can be read.`,
    );
  const command = (only: RequirementId) =>
    writeObserveCommand({ files, only, target: judge.baseUrl, canaryFile, inferencePath });
  const evidence = summarizeObserved(judge, { isOnly: false, files, command });
  const isOfTarget = [undefined, target?.baseUrl].includes(judge.baseUrl);
  if (observedTarget !== undefined || target === undefined || isOfTarget) return { observed: evidence };
  const note = `The recorded traffic is of ${judge.baseUrl}, not of ${target.baseUrl}. If that is intended, give --observed-target.`;
  return { observed: { ...evidence, notes: [...evidence.notes, note] } };
}

/** Which recordings to judge, and what is known about them. */
export interface Recordings extends ObservedTarget {
  readonly files: readonly string[];
  readonly baseFlag: '--target' | '--observed-target';
  readonly canaries: readonly string[];
  readonly redactor?: Redactor;
  readonly signal: AbortSignal;
}

/** Judges recordings, as far as they can be read. Throws UsageError if several servers were recorded and no flag says which to judge. */
export async function judgeRecordings(recordings: Recordings): Promise<ObservedJudge> {
  const { files, baseFlag, signal } = recordings;
  const judge = new ObservedJudge(recordings);
  for (const file of files) {
    if (signal.aborted) break;
    try {
      for await (const item of readRecording(file)) {
        if (signal.aborted) break;
        judge.take(item);
      }
    } catch (error) {
      if (error instanceof UnreadableRecording) judge.noteBreak(error.message.replace(/\.$/, ''));
      else if (error instanceof AmbiguousTarget)
        throw new UsageError(sanitizeLine(`${file}: ${error.message}. Give ${baseFlag} to choose one.`));
      else throw error;
    }
  }
  judge.end();
  return judge;
}

const mostCanaryBytes = 10_000_000;

/** Reads secret values from a file, one per line. Throws UsageError, whose message never contains one. */
export async function readCanaries(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  const refuse = (why: string) =>
    new UsageError(`--canary-file: ${file} ${why}. Give a text file, one value per line.`);
  const text = await readTextFile(file, mostCanaryBytes, refuse);
  const lines = text.split(/\r?\n/);
  const short = lines.findIndex((line) => line !== '' && line.length < shortestCanary);
  if (short >= 0)
    throw new UsageError(
      `--canary-file: ${file}:${short + 1} is shorter than ${shortestCanary} characters, so a response could contain it by chance. Use longer values.`,
    );
  const values = lines.filter((line) => line !== '');
  if (values.length === 0) throw new UsageError(`--canary-file: ${file} is empty. Write one value per line.`);
  return values;
}

/** Returns the command line that judges recordings again for one requirement. */
export function writeObserveCommand(
  given: TrafficFlags & { readonly files: readonly string[]; readonly only: RequirementId },
): string {
  const files = given.files.map(quoteForShell);
  return [`${typedCommand} observe${writeTrafficFlags(given)} --only ${given.only}`, ...files].join(' ');
}

/** The flags of a command that judges traffic that others send. */
export interface TrafficFlags {
  readonly target?: string | undefined;
  readonly listen?: number;
  readonly inferencePath?: string | undefined;
  readonly canaryFile?: string | undefined;
}

/** Writes such flags for a command line, each after a space. */
export function writeTrafficFlags({ target, listen, inferencePath, canaryFile }: TrafficFlags): string {
  const flags = { target, listen, 'inference-path': inferencePath, 'canary-file': canaryFile };
  return Object.entries(flags)
    .flatMap(([flag, value]) => (value === undefined ? [] : [` --${flag} ${quoteForShell(String(value))}`]))
    .join('');
}
