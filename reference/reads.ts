import { sumUsage } from './accounts.js';
import { keyGates, originGate } from './authentication.js';
import { type Call, type Gate, makeGate } from './behaviour.js';
import { faultGate } from './faults.js';
import type { JsonObject } from './vocabulary.js';
import type { Key } from './world.js';

/** Adds up what the records of a key use of its limit (§2.2). */
export function limitUse({ records = [], information }: Key): number {
  const countsByok = information.include_byok_in_limit === true;
  return records.reduce((sum, { credits, byok }) => sum + credits + (countsByok ? byok : 0), 0);
}

export function keyInformation({ behaviour, server }: Call, key: Key): JsonObject {
  const { information, records } = key;
  if (records === undefined) return information;
  const figures = { ...information, ...sumUsage(records, behaviour.usageWindows(server.now())) };
  const { limit } = information;
  if (typeof limit !== 'number') return figures;
  return { ...figures, limit_remaining: Math.max(0, limit - behaviour.limitUse(key)) };
}

/** The gates of the key read (§4.3). */
export const keyReadGates: readonly Gate[] = [originGate, ...keyGates];

/** The guardrail that a guardrail read names, if it is of the caller's world. */
export function findGuardrail({ key, parameters }: Call): JsonObject | undefined {
  if (key === undefined || parameters.id?.toLowerCase() !== key.world.guardrailId) return undefined;
  return key.world.guardrail;
}

/** The gates of the guardrail read (§4.2, §7.2). */
export const guardrailReadGates: readonly Gate[] = [
  originGate,
  ...keyGates,
  makeGate('management-key', ({ key }) => key !== undefined && key.traits.kind !== 'management', {
    status: 403,
    message: 'A management key is required',
  }),
  makeGate(
    'guardrail-exists',
    (call) => call.key !== undefined && call.behaviour.findGuardrail(call) === undefined,
    { status: 404, message: 'Guardrail not found', metadata: null },
  ),
  faultGate,
];
