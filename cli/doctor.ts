import { limitsOf } from '../judge/run-limits.js';
import { Sheet } from '../reports/sheet.js';
import { exitCodes } from '../spec/exit-codes.js';
import { UsageError } from '../spec/thrown.js';
import { type Role, roles } from '../spec/vocabulary.js';
import { isLoopback, UnusableConnection } from '../targets/agents.js';
import { examineAddress, examineRegionalAddress } from '../targets/diagnosis/address.js';
import {
  examineGuardrail,
  examineKey,
  examineKeyTexts,
  type GuardrailExam,
  type KeyReadings,
  readKeys,
} from '../targets/diagnosis/keys.js';
import { ProbeClient, type ProfileFinding } from '../targets/diagnosis/probe-client.js';
import { examineVault, type VaultExam } from '../targets/diagnosis/vault.js';
import { openTarget } from '../targets/open-target.js';
import { flagOf } from '../targets/profile/given-values.js';
import type { Profile } from '../targets/profile/profile.js';
import type { Target } from '../targets/target.js';
import { examineClock } from './doctor/clock.js';
import { findingLines, findingsSummary } from './doctor/finding-lines.js';
import { examineUnlocks } from './doctor/unlocks.js';
import { ProcessDeadline } from './process-deadline.js';
import { type DescriptionFlags, describeTarget, writeDescription } from './target-description.js';
import { readTlsFlags, type TlsFlags } from './tls-flags.js';

/** The flags of `plumbline doctor`, read and checked. */
export interface DoctorFlags extends TlsFlags, DescriptionFlags {
  /** Milliseconds that one request may take. */
  readonly timeout: number;
  /** Whether secrets are stored and deleted on a target that is not on loopback. */
  readonly allowDestructive: boolean;
  readonly color: boolean;
}

/** What an examination came to. */
interface Examined {
  readonly findings: readonly ProfileFinding[];
  readonly isReached: boolean;
}

// A few dozen requests; more time means that something hangs.
const maxTimeMs = 120_000;

/**
 * Tries a profile against its target, and prints a line for each finding. Returns the exit code: 0 where nothing is
 * wrong, 1 where something is, 3 where the target cannot be reached. Throws UsageError for a profile that cannot be read.
 */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const profile = await describeTarget(flags);
  if (profile === undefined) throw new UsageError('doctor takes a URL or --profile FILE.');
  const tls = await readTlsFlags(flags);
  const { concurrency, rate } = limitsOf({ depth: 'standard' }, profile);
  const deadline = new ProcessDeadline(maxTimeMs);
  try {
    const target = await openTarget({
      profile,
      tls,
      // What the profile describes is told apart from what the flags allow; the doctor itself keeps to the flags.
      permissions: { destructive: true, inference: true },
      concurrency,
      ...(rate === undefined ? {} : { rate }),
      timeoutMs: flags.timeout,
      signal: deadline.signal,
    }).catch((error: unknown) => {
      throw error instanceof UnusableConnection ? new UsageError(error.message) : error;
    });
    const { findings, isReached } = await examinedInTime(target, profile, flags, deadline);
    print(findings, target, flags);
    if (deadline.isInterrupted) return exitCodes.interrupted;
    if (!isReached) return exitCodes.unjudged;
    return findings.some(({ state }) => state === 'wrong')
      ? exitCodes['non-conformant']
      : exitCodes.conformant;
  } finally {
    deadline.release();
  }
}

/** Examines, then cleans up; what was found before a stop is told. */
async function examinedInTime(
  target: Target,
  profile: Profile,
  flags: DoctorFlags,
  { signal }: ProcessDeadline,
): Promise<Examined> {
  const findings: ProfileFinding[] = [...examineKeyTexts(profile)];
  let isReached = true;
  try {
    isReached = await examine(target, profile, flags, { signal, findings });
  } catch (error) {
    if (!signal.aborted) throw error;
    const text = typeof signal.reason === 'string' ? signal.reason : 'it was stopped';
    findings.push({ what: 'doctor', state: 'wrong', text: `ended before its end: ${text}` });
  } finally {
    await target.close();
  }
  const left = target.leftBehind.map(
    ({ scope, name, why }): ProfileFinding => ({
      what: 'store',
      state: 'wrong',
      text: `the secret ${name}, stored for ${scope}, is left behind: ${why}`,
    }),
  );
  return { findings: [...findings, ...left], isReached };
}

/** Adds what it finds as it goes; says whether anything answered. */
async function examine(
  target: Target,
  profile: Profile,
  { allowDestructive }: DoctorFlags,
  { signal, findings }: { readonly signal: AbortSignal; readonly findings: ProfileFinding[] },
): Promise<boolean> {
  const probes = new ProbeClient(target, signal);
  const address = await examineAddress(probes, target);
  findings.unshift(...address.findings);
  // Never send keys to an unknown server.
  if (address.answeredBy !== 'the-service') return address.answeredBy !== 'nobody';
  findings.push(...examineClock(address), ...(await examineRegionalAddress(probes, target)));
  const readings = await readKeys(probes, profile);
  const mayDelete = allowDestructive || isLoopback(target.baseUrl);
  const guardrail = await examineGuardrail(probes, profile, readings);
  const vault = await examineVault({ probes, target, profile, readings }, mayDelete);
  const told = { ...vault, readers: guardrail.readers };
  findings.push(...roleFindings(readings, told, profile), ...guardrail.findings, ...vault.findings);
  const permissions = { destructive: allowDestructive, inference: false };
  findings.push(...examineUnlocks(target, profile, permissions));
  return true;
}

/** What the vault and the guardrail told of keys. */
interface RolesTold extends Pick<VaultExam, 'byRole'>, Pick<GuardrailExam, 'readers'> {}

/** One finding for each key: what GET /key says is wrong goes first, then what the guardrail and the vault say. */
function roleFindings(
  readings: KeyReadings,
  { byRole, readers }: RolesTold,
  profile: Profile,
): readonly ProfileFinding[] {
  return roles.flatMap((role) => {
    const reading = readings.get(role);
    const read = reading === undefined ? undefined : examineKey(role, reading, profile);
    if (read?.state === 'wrong') return [read];
    const told = readers.includes(role) ? readsGuardrails(role) : (byRole.get(role) ?? read);
    return told === undefined ? [] : [told];
  });
}

function readsGuardrails(role: Role): ProfileFinding {
  return {
    what: `keys.${role}`,
    state: 'wrong',
    text: 'reads the guardrail: it behaves as a management key',
    todo: `Give a key of the role ${role}`,
  };
}

function print(found: readonly ProfileFinding[], { redactor }: Target, flags: DoctorFlags): void {
  const { profile, target, color } = flags;
  // Without a profile there are no members to change, but flags.
  const findings = profile === undefined ? found.map((one) => ({ ...one, what: flagOf(one.what) })) : found;
  const asGiven = [target, profile === undefined ? undefined : `--profile ${profile}`]
    .filter(Boolean)
    .join(' ');
  const isColored = color && process.stdout.isTTY === true;
  const { paint } = new Sheet({ color: isColored, width: process.stdout.columns ?? 100 });
  const lines = findingLines(findings, { redactor, paint });
  process.stdout.write(
    `${[...lines, '', findingsSummary(findings, `${asGiven}${writeDescription(flags)}`)].join('\n')}\n`,
  );
}
