import { access, constants, lstat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { findUnneededExcuses, type Policy } from '../judge/gate.js';
import { type Selection, wholeRun, writeShard } from '../judge/plan.js';
import { applyWaivers, type Waiver } from '../judge/waivers.js';
import { UnwritableFile, writeAtomically } from '../reports/atomic-write.js';
import { renderWaiverProposal } from '../reports/waiver-proposal.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';

/** Reads a waivers file. Throws UsageError with a line for each fault. */
export async function loadWaivers(path: string, selection: Selection): Promise<readonly Waiver[]> {
  const { readWaivers } = await import('../judge/waivers.js');
  return readWaivers(path, { selects: selection.has.bind(selection), today: formatDay(new Date()) });
}

/** Returns the day of an instant in UTC, `2030-01-31`. */
export function formatDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** Describes what is wrong with waivers and policy after a run, and what can be removed from them, a line each. */
export function describeGate(
  report: Report,
  waivers: readonly Waiver[],
  { selection, policy }: { readonly selection: Selection; readonly policy: Policy | undefined },
): readonly string[] {
  const { depth, shard, complete } = report.run;
  const isShard = shard !== writeShard(wholeRun);
  const { faults, notes } = applyWaivers(waivers, { ...report, depth, isShard });
  const unneeded =
    policy === undefined || !complete
      ? []
      : findUnneededExcuses(report.requirements, selection.has.bind(selection), policy);
  return [
    ...faults,
    ...notes.map((note) => `Note: ${note}.`),
    ...unneeded.map(
      (pattern) => `Note: policy.excused: ${pattern} is not needed; all it matches was tested.`,
    ),
  ];
}

const flag = '--propose-waivers';
const daysProposed = 30;
const dayMs = 24 * 60 * 60 * 1000;

/** Checks, before anything is sent, that a proposal can be written without overwriting a file. Throws UsageError. */
export async function assertProposable(path: string): Promise<void> {
  if ((await lstat(path).catch(() => undefined)) !== undefined)
    throw new UsageError(`${flag}: ${path} already exists. Give another file, or move this one away.`);
  const folder = dirname(path);
  await access(folder, constants.W_OK | constants.X_OK).catch(() => {
    throw new UsageError(`${flag}: cannot write to the folder ${folder}. Create it, or give another file.`);
  });
}

/** Writes waivers to fill in, one for each violation that decides, and says so on standard error. */
export async function proposeWaivers(path: string, report: Report, { decides }: Policy): Promise<void> {
  if (report.gate.exit_code === exitCodes.suiteFault)
    return print(`${path} was not written: the suite itself failed, so its results must not be waived.`);
  const expires = formatDay(new Date(Date.now() + daysProposed * dayMs));
  const text = renderWaiverProposal(report, { decides, expires });
  if (text === undefined) return print(`${path} was not written: there is no violation to waive.`);
  try {
    const file = await writeAtomically(dirname(path), basename(path), text, flag);
    print(`Wrote ${file}. Fill in the reason and owner of each entry, then pass the file to --waivers.`);
  } catch (error) {
    if (!(error instanceof UnwritableFile)) throw error;
    print(`plumbline: ${error.message}`);
  }
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}
