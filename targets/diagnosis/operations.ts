import type { Operation } from '../../spec/vocabulary.js';
import type { Profile } from '../profile/profile.js';
import type { Target } from '../target.js';
import { examineAddress } from './address.js';
import { examineGuardrail, examineKey, type KeyReadings, readKeys } from './keys.js';
import { describeFinding, ProbeClient, type ProfileFinding } from './probe-client.js';
import { VaultExamination, type VaultMeans } from './vault.js';

/** Why operations never succeeded with the keys and ids of a profile. */
export interface Diagnosis {
  /** Whether the service itself answers at the address. */
  readonly isReached: boolean;
  /** What is wrong, for each operation for which something is, in the words of `doctor`. */
  readonly causes: ReadonlyMap<Operation, string>;
}

/** Examines, as `doctor` does, what the plain success of some operations depends on. */
export async function diagnoseOperations(
  operations: readonly Operation[],
  target: Target,
  profile: Profile,
  signal: AbortSignal,
): Promise<Diagnosis> {
  const probes = new ProbeClient(target, signal);
  const address = await examineAddress(probes, target);
  const isReached = address.answeredBy === 'the-service';
  // Keys are never sent to an unknown server.
  const readings: KeyReadings = isReached ? await readKeys(probes, profile) : new Map();
  const causes = new Map<Operation, string>();
  for (const operation of operations) {
    const findings = isReached
      ? await examineOperation(operation, { probes, target, profile, readings })
      : address.findings;
    const cause = findings.find(({ state }) => state === 'wrong');
    if (cause !== undefined) causes.set(operation, target.redactor.redact(describeFinding(cause)));
  }
  return { isReached, causes };
}

/** Examines what can keep an operation from succeeding, the likeliest cause first. */
async function examineOperation(operation: Operation, means: VaultMeans): Promise<readonly ProfileFinding[]> {
  const { probes, profile, readings } = means;
  if (operation === 'guardrail-read') return (await examineGuardrail(probes, profile, readings)).findings;
  const reading = readings.get('member');
  const key = reading === undefined ? undefined : examineKey('member', reading, profile);
  const ofKey = key === undefined ? [] : [key];
  if (operation !== 'vault-delete') return ofKey;
  const vault = await VaultExamination.open(means);
  await vault?.examineMember();
  return [...ofKey, ...(vault?.findings ?? []), ...(vault?.byRole.values() ?? [])];
}

/** Says what is wrong with the intern `sibling` of a profile, in the words of `doctor`; undefined where nothing is. */
export async function diagnoseSibling(
  target: Target,
  profile: Profile,
  signal: AbortSignal,
): Promise<string | undefined> {
  const probes = new ProbeClient(target, signal);
  const vault = await VaultExamination.open({ probes, target, profile, readings: new Map() });
  await vault?.examineSibling();
  const wrong = vault?.findings.find(({ what, state }) => state === 'wrong' && what === 'interns.sibling');
  return wrong && target.redactor.redact(describeFinding(wrong));
}
