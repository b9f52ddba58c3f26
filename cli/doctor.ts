import { sanitizeLine } from '../reports/sanitize.js';
import { type Paint, TerminalLayout } from '../reports/terminal-layout.js';
import { formatCount, formatDuration } from '../reports/wording.js';
import { exitCodes } from '../spec/exit-codes.js';
import { UsageError } from '../spec/thrown.js';
import { type Role, roles } from '../spec/vocabulary.js';
import { isLoopback } from '../targets/agents.js';
import {
  type AddressExam,
  examineAddress,
  examineInferenceRoute,
  examineRegionalAddress,
} from '../targets/diagnosis/address.js';
import { examineGuardrail, examineKey, examineKeyTexts } from '../targets/diagnosis/keys.js';
import {
  describeFinding,
  type ProfileFinding,
  ProfileProbes,
  reportNote,
  reportOk,
  reportWrong,
} from '../targets/diagnosis/probe-client.js';
import { examineVault } from '../targets/diagnosis/vault.js';
import { header } from '../targets/exchange.js';
import { flagOf } from '../targets/profile/given-values.js';
import type { Target } from '../targets/target.js';
import type { DoctorFlags } from './flags.js';
import { describeCoverage, describeMissingFields, findMissingFields } from './missing-profile-fields.js';
import { ProcessDeadline } from './process-lifetime.js';
import { chooseLayout } from './publish.js';
import { readTlsFlags } from './target.js';
import { openDescribedTarget, writeDescription } from './target-description.js';

/** Tries a profile. Returns 0 if nothing is wrong, 1 if something is, 3 if nobody answers. Throws UsageError. */
export async function doctor(flags: DoctorFlags): Promise<number> {
  const tls = await readTlsFlags(flags);
  using deadline = new ProcessDeadline();
  // The target must say what the profile lacks, not what the flags forbid; doctor itself obeys the flags.
  const permissions = { destructive: true, inference: true };
  const address = { permissions, tls, signal: deadline.signal };
  const target = await openDescribedTarget(flags, address, 'nothing was tried');
  const profile = target?.profile;
  if (target === undefined || profile === undefined)
    throw new UsageError('doctor takes a URL or --profile FILE.');
  const probes = new ProfileProbes(target, profile, deadline.signal);
  const { findings, isReached } = await examineInTime(probes, flags, deadline.signal);
  printFindings(findings, target, flags);
  if (deadline.isInterrupted) return exitCodes.interrupted;
  if (!isReached) return exitCodes.unjudged;
  return findings.some(({ state }) => state === 'wrong') ? exitCodes['non-conformant'] : exitCodes.conformant;
}

/** Examines a target, then cleans up; keeps what was found if it is stopped. */
async function examineInTime(probes: ProfileProbes, flags: DoctorFlags, signal: AbortSignal) {
  const { target, profile } = probes;
  const findings: ProfileFinding[] = [...examineKeyTexts(profile)];
  let isReached = true;
  try {
    isReached = await examine(probes, flags, findings);
  } catch (error) {
    if (!signal.aborted) throw error;
    const why = typeof signal.reason === 'string' ? signal.reason : 'it was stopped';
    findings.push(reportWrong('doctor', `stopped early: ${why}`, 'Run it again'));
  } finally {
    await target.close();
  }
  for (const { scope, name, why } of target.leftBehind)
    findings.push({
      what: 'store',
      state: 'wrong',
      text: `could not delete the secret ${name}, stored for ${scope}: ${why}`,
    });
  return { findings, isReached };
}

/** Examines a target and adds to the findings; returns whether anything answered. */
async function examine(
  probes: ProfileProbes,
  { allowDestructive }: DoctorFlags,
  findings: ProfileFinding[],
): Promise<boolean> {
  const { target, profile } = probes;
  const address = await examineAddress(probes);
  findings.unshift(...address.findings);
  // Never send keys to an unknown server.
  if (address.answeredBy !== 'the-service') return address.answeredBy !== 'nobody';
  findings.push(...examineClock(address), ...(await examineRegionalAddress(probes)));
  await probes.readKeys();
  const guardrail = await examineGuardrail(probes);
  const vault = await examineVault(probes, allowDestructive || isLoopback(target.baseUrl));
  findings.push(...examineRoles(probes, guardrail.readers, vault.byRole));
  findings.push(...guardrail.findings, ...vault.findings);
  // Elsewhere inference may cost money.
  if (isLoopback(target.baseUrl)) findings.push(...(await examineInferenceRoute(probes)));
  const needs = findMissingFields(target, profile, allowDestructive);
  findings.push(...describeMissingFields(needs), reportNote('coverage', describeCoverage(needs, profile)));
  return true;
}

const maxClockSkewMs = 30_000;

/** Compares the target's clock, as its `Date` header shows it, with this machine's; nothing without that header. */
function examineClock({ answer, askedAt }: AddressExam): readonly ProfileFinding[] {
  const theirs = Date.parse((answer === undefined ? undefined : header(answer, 'date')) ?? '');
  if (Number.isNaN(theirs)) return [];
  const skewMs = theirs - askedAt;
  if (Math.abs(skewMs) <= maxClockSkewMs)
    return [reportOk('clock', "the target's clock agrees with this machine's")];
  const skew = `${formatDuration(Math.abs(skewMs))} ${skewMs > 0 ? 'ahead of' : 'behind'}`;
  const text = `the target's clock is ${skew} this machine's, which affects checks of days, minutes and Retry-After`;
  return [reportWrong('clock', text, 'Set the clock that is wrong')];
}

/** Returns one finding per key: what GET /key shows to be wrong, else what the guardrail and the vault show. */
function examineRoles(
  probes: ProfileProbes,
  readers: readonly Role[],
  byRole: ReadonlyMap<Role, ProfileFinding>,
): readonly ProfileFinding[] {
  const readsGuardrails = (role: Role) =>
    reportWrong(
      `keys.${role}`,
      'can read the guardrail, so it is a management key',
      `Give a key of the role ${role}`,
    );
  return roles.flatMap((role) => {
    const read = examineKey(role, probes);
    if (read?.state === 'wrong') return [read];
    return (readers.includes(role) ? readsGuardrails(role) : (byRole.get(role) ?? read)) ?? [];
  });
}

const marks: Readonly<Record<ProfileFinding['state'], (paint: Paint) => string>> = {
  ok: ({ green }) => green('ok     '),
  wrong: ({ red }) => red('wrong  '),
  missing: ({ yellow }) => yellow('missing'),
  note: ({ dim }) => dim('note   '),
};

function printFindings(found: readonly ProfileFinding[], { redactor }: Target, flags: DoctorFlags): void {
  const { target, profile } = flags;
  // Without a profile, flags are named instead of fields.
  const findings = profile === undefined ? found.map((one) => ({ ...one, what: flagOf(one.what) })) : found;
  const file = profile === undefined ? undefined : `--profile ${profile}`;
  const named = `${[target, file].filter(Boolean).join(' ')}${writeDescription(flags)}`;
  const { paint } = new TerminalLayout(chooseLayout(flags));
  const lines = findings.map(
    (finding) => `${marks[finding.state](paint)}  ${sanitizeLine(redactor.redact(describeFinding(finding)))}`,
  );
  process.stdout.write(`${[...lines, '', summarizeFindings(findings, named)].join('\n')}\n`);
}

/** @param named the target as the command line names it */
function summarizeFindings(findings: readonly ProfileFinding[], named: string): string {
  const wrong = findings.filter(({ state }) => state === 'wrong').length;
  const missing = findings.filter(({ state }) => state === 'missing').length;
  const more = missing === 0 ? '' : ` ${formatCount(missing, 'optional field')} could be added.`;
  if (wrong > 0) return `${formatCount(wrong, 'problem')} found.${more}`;
  return `No problems found.${more} Next: plumbline plan ${sanitizeLine(named)}`;
}
