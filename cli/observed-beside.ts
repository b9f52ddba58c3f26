import type { Observed } from '../judge/run-record.js';
import { summarizeObserved } from '../recordings/observed-results.js';
import { UsageError } from '../spec/thrown.js';
import type { Redactor } from '../targets/redaction.js';
import type { Target } from '../targets/target.js';
import { observeCommand } from './observe-command.js';
import { assertReadable, canariesOf, judgedRecordings } from './observed-files.js';

/** The flags of `run` about recorded traffic. */
interface ObservedFlags {
  readonly observed: readonly string[];
  readonly observedTarget?: string;
  readonly canaryFile?: string;
}

/** Throws UsageError where recordings cannot be opened, or a flag is given that is about none. */
export async function assertObserved({ observed, observedTarget, canaryFile }: ObservedFlags): Promise<void> {
  if (observed.length === 0) {
    const [flag] = [
      ...(observedTarget === undefined ? [] : ['--observed-target']),
      ...(canaryFile === undefined ? [] : ['--canary-file']),
    ];
    if (flag !== undefined)
      throw new UsageError(`${flag} is about recorded traffic. Give --observed with it, or leave it out.`);
    return;
  }
  await assertReadable(observed);
}

/**
 * What recorded traffic adds to a run, read before anything is judged. Throws UsageError where a recording is broken: a
 * run must not stand on half of its evidence.
 */
export async function observedBeside(
  { observed: files, observedTarget: base, canaryFile }: ObservedFlags,
  means: { readonly target: Target | undefined; readonly redactor: Redactor; readonly signal: AbortSignal },
): Promise<{ readonly observed?: Observed }> {
  if (files.length === 0) return {};
  const { target, redactor, signal } = means;
  const inference = target?.inference;
  try {
    const canaries = await canariesOf(canaryFile);
    const { judge, baseUrl } = await judgedRecordings(
      {
        ...{ files, canaries, signal, baseFlag: '--observed-target' },
        ...(base === undefined ? {} : { baseUrl: base }),
        ...(inference === undefined ? {} : { inference }),
      },
      redactor,
    );
    const [broken] = judge.breaks;
    if (broken !== undefined) {
      throw new UsageError(
        `${broken}. Nothing was judged; "plumbline observe" judges what can be read of it.`,
      );
    }
    const command = { files, target: baseUrl, canaryFile, inferencePath: inference?.path };
    return {
      observed: summarizeObserved(judge, {
        alone: false,
        baseUrl,
        files,
        command: (only) => observeCommand({ ...command, only }),
      }),
    };
  } catch (error) {
    await target?.close();
    throw error;
  }
}
