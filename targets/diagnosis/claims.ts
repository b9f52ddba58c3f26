import type { Need } from '../../spec/need.js';
import type { Operation, Role } from '../../spec/vocabulary.js';
import type { Received } from '../client.js';
import { dataOf } from '../exchange.js';
import type { Profile } from '../profile/profile.js';
import type { Target } from '../target.js';
import { examineKey, examineKeyTexts, findReaders, readKeys } from './keys.js';
import { describeFinding, isTrouble, ProbeClient, type ProfileFinding, reportWrong } from './probe-client.js';
import { isVaultRole, VaultExamination, type VaultMeans } from './vault.js';

/** An entry of a profile that a request takes on trust: a key of a role, a regional address, an intern of others. */
export type Claim = Extract<Need, `role:${string}` | 'regional' | 'intern:foreign'>;

/**
 * Says, in the words of `doctor`, why an entry of a profile may be another than it claims to be; undefined where it has
 * shown that it is what it claims, or where no mistake of the profile explains what it gets.
 */
export async function diagnoseClaim(
  claim: Claim,
  operation: Operation,
  target: Target,
  profile: Profile,
  signal: AbortSignal,
): Promise<string | undefined> {
  const probes = new ProbeClient(target, signal);
  const role = roleOf(claim);
  const readings = await readKeys(probes, profile, role === undefined ? ['member'] : ['member', role]);
  const means = { probes, target, profile, readings };
  const wrong =
    role === undefined
      ? await examinePlace(claim, means)
      : ((await examineRole(role, means)) ??
        (operation === 'guardrail-read' ? await examineReader(role, means) : undefined));
  return wrong && target.redactor.redact(describeFinding(wrong));
}

function roleOf(claim: Claim): Role | undefined {
  return claim === 'regional' || claim === 'intern:foreign'
    ? undefined
    : (claim.slice('role:'.length) as Role);
}

async function examinePlace(claim: Claim, means: VaultMeans): Promise<ProfileFinding | undefined> {
  const vault = await VaultExamination.open(means);
  await vault?.examineMember();
  if (claim === 'intern:foreign') return vault?.findOwnedForeign();
  await vault?.examineRegionalHost();
  return vault?.findings.find(({ what, state }) => state === 'wrong' && what.startsWith('target.regional_'));
}

/** Examines what GET /key, the vault and inference show of a key, each where it tells the role from another. */
async function examineRole(role: Role, means: VaultMeans): Promise<ProfileFinding | undefined> {
  const { probes, profile, readings } = means;
  const repeated = examineKeyTexts(profile).find(
    ({ what, state }) => what === `keys.${role}` && state === 'wrong',
  );
  if (repeated !== undefined) return repeated;
  const reading = readings.get(role);
  if (reading === undefined || isTrouble(reading)) return undefined;
  const read = examineKey(role, reading, profile);
  const vault = await VaultExamination.open(means);
  if (role === 'exhausted' || role === 'overdrawn') return examineCredit(role, read, means);
  if (read?.state === 'wrong' && (role === 'disabled' || role === 'expired_session')) {
    const refused = await Promise.all([vault?.tryUnstored(role), probes.infer({ key: profile.keys[role] })]);
    return refused.some((received) => received?.answer?.status === 401) ? undefined : read;
  }
  if (read?.state === 'wrong') return read;
  if (role === 'member' || role === 'disabled' || !isVaultRole(role)) return undefined;
  await vault?.examineMember();
  return vault?.findOtherRole(role);
}

/** Tells the two ways to have no credit apart: a negative balance gets 402 on free models too (§8.1). */
async function examineCredit(
  role: 'exhausted' | 'overdrawn',
  read: ProfileFinding | undefined,
  { probes, profile, readings }: VaultMeans,
): Promise<ProfileFinding | undefined> {
  const key = profile.keys[role];
  const [paid, free] = await Promise.all([probes.infer({ key }, 'paid'), probes.infer({ key }, 'free')]);
  const isRefused = (received: Received | undefined) => received?.answer?.status === 402;
  if (role === 'exhausted')
    return isRefused(paid) && free?.answer?.status === 200 ? undefined : findWrong(read);
  const { limit_remaining: remaining } = dataOf(readings.get(role) ?? {});
  if (typeof remaining === 'number' && remaining <= 0) {
    const text = 'its limit_remaining is used up, so it may be an exhausted key';
    return reportWrong('keys.overdrawn', text, 'Give a key without a limit of its own');
  }
  if (isRefused(paid) || isRefused(free)) return undefined;
  const text = 'no inference request with it gets 402, so its balance may not be negative';
  return reportWrong('keys.overdrawn', text, 'Give a key of an account with a negative balance');
}

/** A key that may read guardrails where no other but the management key may is a management key itself (§5.3). */
async function examineReader(
  role: Role,
  { probes, profile }: VaultMeans,
): Promise<ProfileFinding | undefined> {
  const { guardrail, keys } = profile;
  if (guardrail === undefined) return undefined;
  const readers = await findReaders(probes, profile, guardrail.id);
  const isAlone = !readers.some((other) => keys[other] !== keys[role]);
  if (!readers.includes(role) || !isAlone) return undefined;
  return reportWrong(
    `keys.${role}`,
    'can read the guardrail, so it may be a management key',
    `Give a key of the role ${role} that is no management key`,
  );
}

function findWrong(finding: ProfileFinding | undefined): ProfileFinding | undefined {
  return finding?.state === 'wrong' ? finding : undefined;
}
