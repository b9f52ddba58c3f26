import { faultGate } from './fault-gate.js';
import type { Gate } from './gate.js';
import { authenticationGate, keyEnabledGate, originGate, sessionGate } from './key-gates.js';

const managementKeyGate: Gate = {
  name: 'management-key',
  refuse: ({ key }) =>
    key !== undefined && key.traits.kind !== 'management'
      ? { status: 403, message: 'A management key is required' }
      : undefined,
};

const guardrailExistsGate: Gate = {
  name: 'guardrail-exists',
  refuse: (call) => {
    if (call.key === undefined || call.behaviour.findGuardrail(call) !== undefined) return undefined;
    return { status: 404, message: 'Guardrail not found', metadata: null };
  },
};

/** The gates of the guardrail read (§4.2, §7.2). */
export const guardrailReadGates: readonly Gate[] = [
  originGate,
  authenticationGate,
  keyEnabledGate,
  sessionGate,
  managementKeyGate,
  guardrailExistsGate,
  faultGate,
];
