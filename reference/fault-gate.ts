import type { Call } from './call.js';
import type { FaultRule } from './faults.js';
import type { Gate } from './gate.js';

/** Refuses as the first fault of the caller's world says that concerns this call. */
export const faultGate: Gate = {
  name: 'fault',
  refuse: (call) => faultRules(call).find((rule) => !isMidStream(rule, call))?.refusal,
};

/** The rule of the fault that breaks this call's stream after its start (§6), if one is in force. */
export function midStreamRule(call: Call): FaultRule | undefined {
  return faultRules(call).find((rule) => isMidStream(rule, call));
}

/** Whether a rule says nothing to the call before its stream has begun. */
function isMidStream({ midStream }: FaultRule, { inference }: Call): boolean {
  return midStream === 'alone' || (midStream === 'streamed' && inference?.stream === true);
}

function faultRules(call: Call): readonly FaultRule[] {
  const faults = call.key?.world.faults ?? [];
  return faults.length === 0
    ? []
    : faults.map((fault) => call.behaviour.faults[fault]).filter((rule) => concerns(rule, call));
}

function concerns(rule: FaultRule, { operation, inference, behaviour }: Call): boolean {
  if (rule.on !== operation || rule.isOvercome === true) return false;
  if (rule.freeModelsOnly !== true) return true;
  return inference !== undefined && behaviour.isFreeModel(inference.model);
}
