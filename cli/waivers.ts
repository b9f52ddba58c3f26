import { access, constants, lstat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { decideGate, findUnneededExcuses } from '../judge/gate.js';
import { wholeRun, writeShard } from '../judge/plan.js';
import type { Selection } from '../judge/selection.js';
import { applyWaivers, readWaivers, type Waiver } from '../judge/waivers.js';
import { UnwritableFile, writeAtomically } from '../reports/atomic-write.js';
import { renderPolicyProposal, renderWaiverProposal } from '../reports/proposals.js';
import { formatCount } from '../reports/wording.js';
import { exitCodes } from '../spec/exit-codes.js';
import type { Policy, Report } from '../spec/report.js';
import { UsageError } from '../spec/thrown.js';

/** Reads a waivers file. Throws UsageError with a line for each fault. */
export function loadWaivers(path: string, selection: Selection): Promise<readonly Waiver[]> {
  return readWaivers(path, { selects: selection.has.bind(selection), today: formatDay(new Date()) });
}

/** Returns the day of an instant in UTC, `2030-01-31`. */
function formatDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}

/** Lists the faults of waivers and policy after a run, and their entries that can be removed; one line each. */
export function reviewGate(
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

const daysProposed = 30;
const dayMs = 24 * 60 * 60 * 1000;

/** The flags that write a file to fill in. */
type ProposalFlag = '--propose-waivers' | '--propose-policy';

/** Checks, before anything is sent, that a proposal can be written without overwriting a file. Throws UsageError. */
export async function assertProposable(flag: ProposalFlag, path: string): Promise<void> {
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
  const next = 'Fill in the reason and owner of each entry, then pass the file to --waivers.';
  await writeProposal('--propose-waivers', path, text, next);
}

/** Writes a policy to fill in that excuses what the target cannot show, and says so on standard error. */
export async function proposePolicy(
  path: string,
  report: Report,
  profile: { readonly path: string | undefined; readonly policy: Policy },
): Promise<void> {
  const { run, target, requirements, gate } = report;
  if (!run.complete || gate.exit_code === exitCodes.suiteFault || gate.exit_code === exitCodes.unjudged)
    return print(`${path} was not written: the run did not get far enough to know what the target can show.`);
  const isOwnProfile = profile.path === undefined && target.embedded !== true;
  const text = renderPolicyProposal(report, {
    excused: decideGate(requirements, profile.policy).excused.map(({ id }) => id),
    baseUrl: isOwnProfile ? (target.base_url ?? undefined) : undefined,
  });
  const inconclusive = requirements.filter(
    ({ level, status }) => level === 'must' && status === 'inconclusive',
  );
  if (inconclusive.length > 0)
    print(`${formatCount(inconclusive.length, 'inconclusive must')} cannot be excused; run again.`);
  if (text === undefined)
    return print(`${path} was not written: every must was exercised, or is excused already.`);
  const next = isOwnProfile
    ? 'Fill in each reason, then pass the file to --profile.'
    : `Fill in each reason, then move the entries to policy.excused of ${profile.path ?? 'a profile'}.`;
  await writeProposal('--propose-policy', path, text, next);
}

async function writeProposal(flag: ProposalFlag, path: string, text: string, next: string): Promise<void> {
  try {
    const file = await writeAtomically(path, text, flag);
    print(`Wrote ${file}. ${next}`);
  } catch (error) {
    if (!(error instanceof UnwritableFile)) throw error;
    print(`plumbline: ${error.message}`);
  }
}

function print(line: string): void {
  process.stderr.write(`${line}\n`);
}
