import type { Need } from '../../spec/need.js';
import { type Operation, type Role, roles } from '../../spec/vocabulary.js';
import { describeOutcome, explainUnread, isTrouble, readData } from '../exchange.js';
import { examineAddress, examineInferenceRoute } from './address.js';
import { examineGuardrail, examineKey, findRepeated, findServedInstead } from './keys.js';
import {
  describeFinding,
  isOfService,
  type ProbeClient,
  type ProfileFinding,
  type ProfileProbes,
  reportWrong,
} from './probe-client.js';
import { VaultExamination } from './vault.js';

/** Why operations never succeeded with a profile. */
export interface Diagnosis {
  /** Whether the service itself answers at the address. */
  readonly isReached: boolean;
  /** By operation, in the words of `doctor`. */
  readonly causes: ReadonlyMap<Operation, string>;
}

/** Examines, as `doctor` does, why some operations never succeed. */
export async function diagnoseOperations(
  operations: readonly Operation[],
  probes: ProfileProbes,
): Promise<Diagnosis> {
  const address = await examineAddress(probes);
  const isReached = address.answeredBy === 'the-service';
  // Keys are never sent to an unknown server.
  if (isReached) await probes.readKeys();
  const causes = new Map<Operation, string>();
  for (const operation of operations) {
    const findings = isReached ? await examineOperation(operation, probes) : address.findings;
    const cause = explainFirstWrong(findings, probes);
    if (cause !== undefined) causes.set(operation, cause);
  }
  return { isReached, causes };
}

/** Explains, in the words of `doctor`, what answers in place of the service; undefined where the service does. */
export async function diagnoseAddress(probes: ProbeClient): Promise<string | undefined> {
  const { answer, answeredBy, findings } = await examineAddress(probes);
  const isUnread = answer !== undefined && explainUnread(answer) !== undefined;
  return answeredBy === 'the-service' || isUnread ? undefined : explainFirstWrong(findings, probes);
}

/** Examines the causes that may keep an operation from succeeding, the likeliest first. */
async function examineOperation(
  operation: Operation,
  probes: ProfileProbes,
): Promise<readonly ProfileFinding[]> {
  if (operation === 'guardrail-read') return (await examineGuardrail(probes)).findings;
  const ofKey = [examineKey('member', probes) ?? []].flat();
  if (operation === 'inference') return [...ofKey, ...(await examineInferenceRoute(probes))];
  if (operation !== 'vault-delete') return ofKey;
  const vault = await VaultExamination.open(probes);
  await vault?.examineMember();
  const findings = [...ofKey, ...(vault?.findings ?? []), ...(vault?.byRole.values() ?? [])];
  if (probes.profile.store?.names === undefined) return findings;
  const todo = 'Make sure that they are stored: a run deletes those that it uses';
  return [...findings, reportWrong('store.names', 'no delete of a secret that it lists succeeds', todo)];
}

/** Explains, in the words of `doctor`, what is wrong with the intern `sibling` of a profile; undefined if nothing is. */
export async function diagnoseSibling(probes: ProfileProbes): Promise<string | undefined> {
  const vault = await VaultExamination.open(probes);
  await vault?.examineSibling();
  const ofSibling = vault?.findings.filter(({ what }) => what === 'interns.sibling') ?? [];
  return explainFirstWrong(ofSibling, probes);
}

/** An entry of a profile that a request relies on: a key of a role, a regional address, or the free model. */
export type Claim = Extract<Need, `role:${string}` | 'regional' | 'inference:free'>;

/**
 * Explains, in the words of `doctor`, why an entry of a profile is wrong; undefined where only the violation itself
 * suggests that. Swapped keys are therefore not blamed on the server, but a missing refusal still counts.
 */
export async function diagnoseClaim(
  claim: Claim,
  operation: Operation,
  probes: ProfileProbes,
): Promise<string | undefined> {
  if (claim === 'inference:free') return explainFirstWrong(await examineInferenceRoute(probes), probes);
  await probes.readKeys();
  const wrong =
    claim === 'regional'
      ? await examineRegional(probes)
      : await examineKeyOf(claim.slice('role:'.length) as Role, operation, probes);
  return explainFirstWrong(wrong === undefined ? [] : [wrong], probes);
}

async function examineKeyOf(
  role: Role,
  operation: Operation,
  probes: ProfileProbes,
): Promise<ProfileFinding | undefined> {
  const vault = operation === 'vault-delete' ? await VaultExamination.open(probes) : undefined;
  return (
    (await examineRole(role, probes)) ??
    (await vault?.findElsewhere(role)) ??
    (await examineReader(role, probes)) ??
    vault?.findRefused(role)
  );
}

/** Examines whether the regional address leads to the service: another server refuses nothing. */
async function examineRegional(probes: ProfileProbes): Promise<ProfileFinding | undefined> {
  const { host, baseUrl: base } = probes.target.regional;
  const { member: key } = probes.profile.keys;
  const received = await probes.readKey(host === undefined ? { key, base } : { key, host });
  if (isTrouble(received) || (received.answer?.status === 200 && isOfService(received.answer)))
    return undefined;
  const what = host === undefined ? 'target.regional_base_url' : 'target.regional_host';
  const text = `GET /key there gets ${describeOutcome(received)} and no Key information: another server answers`;
  return reportWrong(what, text, 'Check the address, or remove it');
}

/** Examines a key by GET /key, the vault and inference, each where it distinguishes the role from others. */
async function examineRole(role: Role, probes: ProfileProbes): Promise<ProfileFinding | undefined> {
  // Successful plain requests show that the keys of these two are right, so another role with the same key is wrong.
  const isShown = role === 'member' || role === 'management';
  const others: readonly Role[] = isShown ? ['member', 'management'] : roles;
  const repeated = findRepeated(role, others, probes.profile);
  if (repeated !== undefined) return repeated;
  const reading = probes.readings.get(role);
  if (reading === undefined || isTrouble(reading)) return undefined;
  const read = findWrong(examineKey(role, probes));
  if (role === 'exhausted' || role === 'overdrawn') return examineCredit(role, read, probes);
  const vault = await VaultExamination.open(probes);
  // A served key that must be refused may be the violation itself.
  const isRefusalDue = role === 'disabled' || role === 'expired_session';
  if (read !== undefined && !isRefusalDue && (await vault?.isTreatedAs(role)) !== true) return read;
  return (await vault?.findSwapped(role)) ?? findServedInstead(role, probes);
}

/** Distinguishes the two ways to have no credit: a negative balance gets 402 on free models too (§8.1). */
async function examineCredit(
  role: 'exhausted' | 'overdrawn',
  read: ProfileFinding | undefined,
  probes: ProfileProbes,
): Promise<ProfileFinding | undefined> {
  const key = probes.profile.keys[role];
  if (role === 'exhausted') {
    const [paid, free] = await Promise.all([probes.infer({ key }, 'paid'), probes.infer({ key }, 'free')]);
    return paid?.answer?.status === 402 && free?.answer?.status === 200 ? undefined : read;
  }
  const { limit_remaining: remaining } = readData(probes.readings.get(role) ?? {});
  if (typeof remaining !== 'number' || remaining > 0) return read;
  const text = 'its limit_remaining is used up, so it may be an exhausted key';
  return reportWrong('keys.overdrawn', text, 'Give a key without a limit of its own');
}

/**
 * Examines who may read the guardrail, where it concerns a role: a key of another role may (§5.3), or the management key
 * may not, and is perhaps of another workspace.
 */
async function examineReader(role: Role, probes: ProfileProbes): Promise<ProfileFinding | undefined> {
  const { findings, readers } = await examineGuardrail(probes);
  return role === 'management' || readers.includes(role) ? findings.find(findWrong) : undefined;
}

function findWrong(finding: ProfileFinding | undefined): ProfileFinding | undefined {
  return finding?.state === 'wrong' ? finding : undefined;
}

/** Puts the first finding of something wrong into the words of `doctor`; undefined where nothing is. */
function explainFirstWrong(findings: readonly ProfileFinding[], { target }: ProbeClient): string | undefined {
  const wrong = findings.find(findWrong);
  return wrong && target.redactor.redact(describeFinding(wrong));
}
