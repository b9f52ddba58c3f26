import type { Operation, Role } from '../../spec/vocabulary.js';
import type { Profile } from '../profile/profile.js';
import type { Target } from '../target.js';
import { examineAddress } from './address.js';
import { examineGuardrail, type KeyReadings, keyFinding, readKeys } from './keys.js';
import { Asker, describeFinding, type Finding } from './probe-client.js';
import { examineMemberDelete, examineSibling } from './vault.js';

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
  const asker = new Asker(target, signal);
  const address = await examineAddress(asker, target);
  const isReached = address.answeredBy === 'the-service';
  // Keys are never sent to an unknown server.
  const readings: KeyReadings = isReached ? await readKeys(asker, profile) : new Map();
  const causes = new Map<Operation, string>();
  for (const operation of operations) {
    const findings = isReached
      ? await examineOperation(operation, { asker, target, profile, readings })
      : address.findings;
    const cause = findings.find(({ state }) => state === 'wrong');
    if (cause !== undefined) causes.set(operation, target.redactor.redact(describeFinding(cause)));
  }
  return { isReached, causes };
}

interface Means {
  readonly asker: Asker;
  readonly target: Target;
  readonly profile: Profile;
  readonly readings: KeyReadings;
}

/** What can keep an operation from succeeding, the likeliest cause first. */
async function examineOperation(operation: Operation, means: Means): Promise<readonly Finding[]> {
  const { asker, profile, readings } = means;
  switch (operation) {
    case 'guardrail-read':
      return (await examineGuardrail(asker, profile, readings)).findings;
    case 'vault-delete': {
      // The positive control has stored already, so that storing is permitted.
      const { findings, byRole } = await examineMemberDelete({ ...means, mayDelete: true });
      return [...keyFindings('member', means), ...findings, ...byRole.values()];
    }
    case 'key-info':
    case 'inference':
      return keyFindings('member', means);
  }
}

function keyFindings(role: Role, { readings, profile }: Means): readonly Finding[] {
  const reading = readings.get(role);
  const finding = reading === undefined ? undefined : keyFinding(role, reading, profile);
  return finding === undefined ? [] : [finding];
}

/** Says what is wrong with the intern `sibling` of a profile, in the words of `doctor`; undefined where nothing is. */
export async function diagnoseSibling(
  target: Target,
  profile: Profile,
  signal: AbortSignal,
): Promise<string | undefined> {
  const asker = new Asker(target, signal);
  const means = { asker, target, profile, readings: new Map(), mayDelete: true };
  const wrong = (await examineSibling(means)).find(
    ({ what, state }) => state === 'wrong' && what === 'interns.sibling',
  );
  return wrong && target.redactor.redact(describeFinding(wrong));
}
