import type { Refusal } from './answer.js';
import type { Call } from './call.js';

/** The names of all gates. */
export type GateName =
  | 'origin'
  | 'regional-host'
  | 'authentication'
  | 'key-enabled'
  | 'session'
  | 'no-provisioning-key'
  | 'management-key'
  | 'inference-key'
  | 'intern-id'
  | 'secret-name'
  | 'request-body'
  | 'workspace-scope'
  | 'intern-programme'
  | 'vault-writes'
  | 'intern-in-workspace'
  | 'secret-exists'
  | 'guardrail-exists'
  | 'inference-request'
  | 'known-model'
  | 'account-balance'
  | 'key-limit'
  | 'free-minute'
  | 'free-day'
  | 'fault';

/**
 * One reason to refuse a call. A gate looks at nothing but its own subject and lets pass what it
 * cannot judge (a call without a known key, say), so that gates stand in any order.
 */
export interface Gate {
  readonly name: GateName;
  readonly refuse: (call: Call) => Refusal | undefined;
}

/** The refusal of the first gate that refuses. */
export function firstRefusal(gates: readonly Gate[], call: Call): Refusal | undefined {
  for (const gate of gates) {
    const refusal = gate.refuse(call);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** The same gates with another decision under one name. Throws when no gate has that name. */
export function replaceGate(
  gates: readonly Gate[],
  name: GateName,
  refuse: (call: Call, original: Gate['refuse']) => Refusal | undefined,
): readonly Gate[] {
  requireGate(gates, name);
  return gates.map((gate) =>
    gate.name === name ? { name, refuse: (call: Call) => refuse(call, gate.refuse) } : gate,
  );
}

/** The same gates without one. Throws when no gate has that name. */
export function withoutGate(gates: readonly Gate[], name: GateName): readonly Gate[] {
  requireGate(gates, name);
  return gates.filter((gate) => gate.name !== name);
}

function requireGate(gates: readonly Gate[], name: GateName): void {
  if (!gates.some((gate) => gate.name === name)) throw new Error(`There is no gate named ${name} here.`);
}
