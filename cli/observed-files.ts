import { access, constants } from 'node:fs/promises';
import { KnownValues } from '../recordings/known-values.js';
import { ObservedJudge } from '../recordings/observed-judge.js';
import { AmbiguousTarget, type ObservedInference, ObservedRoutes } from '../recordings/observed-routes.js';
import { readRecording, UnreadableRecording } from '../recordings/read-recording.js';
import { standardInput } from '../recordings/recorded-exchange.js';
import { inertText } from '../reports/inert-text.js';
import { fileText, UnreadableFile } from '../spec/file-text.js';
import { UsageError } from '../spec/thrown.js';
import type { Redactor } from '../targets/redaction.js';

/** Which recordings are judged, and what is known of them. */
export interface Recordings {
  readonly files: readonly string[];
  /** The base URL whose exchanges are judged; the only one of the document's kind where absent. */
  readonly baseUrl?: string;
  /** What says which base URL is meant, where there are several. */
  readonly baseFlag: string;
  readonly inference?: ObservedInference;
  /** Stored values that no response may hold. */
  readonly canaries: KnownValues;
  readonly signal: AbortSignal;
}

/** A recording that was judged, as far as it could be read. */
export interface JudgedRecordings {
  readonly judge: ObservedJudge;
  /** The base URL whose exchanges were judged. */
  readonly baseUrl: string | undefined;
}

/** Throws UsageError where a recording cannot be opened: better known before anything else is done. */
export async function assertReadable(files: readonly string[]): Promise<void> {
  if (files.filter((file) => file === standardInput).length > 1)
    throw new UsageError('The standard input can be read once. Give - once only.');
  for (const file of files.filter((name) => name !== standardInput)) {
    await access(file, constants.R_OK).catch(() => {
      throw new UsageError(`${file} cannot be read. Give a HAR, or newline-delimited JSON.`);
    });
  }
}

/** Judges recordings. Throws UsageError where nobody can say whose exchanges are meant. */
export async function judgedRecordings(
  recordings: Recordings,
  redactor: Redactor,
): Promise<JudgedRecordings> {
  const { files, canaries, baseUrl, inference, signal } = recordings;
  canaries.registerIn(redactor);
  const routes = new ObservedRoutes({
    ...(baseUrl === undefined ? {} : { baseUrl }),
    ...(inference === undefined ? {} : { inference }),
  });
  const judge = new ObservedJudge({ routes, canaries, redactor });
  for (const file of files) {
    if (signal.aborted) break;
    await judgeFile(file, judge, recordings);
  }
  return { judge, baseUrl: routes.baseUrl };
}

async function judgeFile(
  file: string,
  judge: ObservedJudge,
  { baseFlag, signal }: Recordings,
): Promise<void> {
  try {
    for await (const item of readRecording(file)) {
      if (signal.aborted) return;
      judge.take(item);
    }
  } catch (error) {
    if (error instanceof UnreadableRecording) judge.noteBreak(error.message.replace(/\.$/, ''));
    else if (error instanceof AmbiguousTarget)
      throw new UsageError(inertText(`${file}: ${error.message}. Give ${baseFlag} to say which is judged.`));
    else throw error;
  }
}

// A shorter value could stand in an answer by chance, and accuse nobody rightly.
const shortestValue = 8;
const mostCanaryBytes = 10_000_000;

/** The values of a file, one a line. Throws UsageError, which never holds one. */
export async function canariesOf(file: string | undefined): Promise<KnownValues> {
  if (file === undefined) return new KnownValues([]);
  const text = await fileText(file, mostCanaryBytes).catch((error: unknown) => {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new UsageError(
      `${file} ${error.message}. Give --canary-file a text file, one stored value a line.`,
    );
  });
  const lines = text.split(/\r?\n/);
  const short = lines.findIndex((line) => line !== '' && line.length < shortestValue);
  if (short >= 0) {
    throw new UsageError(
      `Line ${short + 1} of ${file} is shorter than ${shortestValue} characters. Values must be too long to stand in an answer by chance.`,
    );
  }
  const values = lines.filter((line) => line !== '');
  if (values.length === 0) throw new UsageError(`${file} holds no value. Write one stored value a line.`);
  return new KnownValues(values);
}
