import { MINUTE_MS, usageWindows } from './accounts.js';
import { authenticate } from './authentication.js';
import { type Behaviour, type Effect, JSON_MEDIA_TYPE } from './behaviour.js';
import { faults } from './faults.js';
import { infer, inferenceGates, isFreeModel, streamErrorEvent } from './inference.js';
import { findGuardrail, guardrailReadGates, keyInformation, keyReadGates, limitUse } from './reads.js';
import {
  findIntern,
  findSecret,
  isRegionalHost,
  isSecretName,
  isUuid,
  readStoredValue,
  removeSecret,
  vaultDeleteGates,
  vaultOtherGates,
  vaultStoreGates,
} from './vault.js';
import type { Operation } from './vocabulary.js';
import { answerJson, envelope, platformHeaders, refuse, transmit } from './wire.js';

/** An effect that refuses every call. */
function refuseAll(status: number, message: string, metadata?: null): Effect {
  return (call) => call.behaviour.refuse(call, { status, message, metadata });
}

/** The effect of every operation; those that serve nothing refuse. */
const effects: Readonly<Record<Operation, Effect>> = {
  'vault-delete': (call) => {
    const place = call.behaviour.findSecret(call);
    if (place !== undefined) call.behaviour.removeSecret(call, place);
    return { status: 204, headers: {} };
  },
  'guardrail-read': (call) => {
    const guardrail = call.behaviour.findGuardrail(call);
    return guardrail === undefined
      ? call.behaviour.refuse(call, { status: 404, message: 'Guardrail not found' })
      : answerJson({ data: call.behaviour.guardrailView(call, guardrail) });
  },
  'key-read': (call) =>
    call.key === undefined
      ? call.behaviour.refuse(call, { status: 401, message: 'Missing or unknown API key' })
      : answerJson({ data: call.behaviour.keyInformation(call, call.key) }),
  inference: infer,
  'vault-store': (call) => {
    const intern = call.key && call.behaviour.findIntern(call.key.world, call.parameters.internId ?? '');
    const value = readStoredValue(call);
    if (intern === undefined || value === undefined)
      return call.behaviour.refuse(call, { status: 404, message: 'Not found', metadata: null });
    call.key?.world.secrets[intern].set(call.parameters.name ?? '', value);
    return answerJson({ data: { name: call.parameters.name ?? '' } });
  },
  'vault-other': refuseAll(404, 'Not found', null),
  'no-route': refuseAll(404, 'There is no such route'),
  'wrong-method': refuseAll(405, 'This route does not take this method'),
  'malformed-target': refuseAll(400, 'The request is malformed', null),
};

/** The behaviour that keeps to the document. */
export const conforming: Behaviour = {
  rewriteTarget: (target) => target,
  receive: (call) => call,
  authenticate,
  isRegionalHost,
  isInternId: isUuid,
  isSecretName,
  findIntern,
  findSecret,
  removeSecret,
  findGuardrail,
  guardrailView: (_call, guardrail) => guardrail,
  keyInformation,
  usageWindows,
  limitUse,
  isFreeModel,
  limits: { perMinute: 20, minuteMs: MINUTE_MS, perDaySmall: 50, perDayLarge: 1000, boughtEnough: 10 },
  usageOf: (_call, key) => key.usage,
  countUse: ({ server }, usage) => usage.add(server.now()),
  streamErrorEvent,
  faults,
  gates: {
    'vault-delete': vaultDeleteGates,
    'guardrail-read': guardrailReadGates,
    'key-read': keyReadGates,
    inference: inferenceGates,
    'vault-store': vaultStoreGates,
    'vault-other': vaultOtherGates,
    'no-route': [],
    'wrong-method': [],
    'malformed-target': [],
  },
  effects,
  refuse,
  envelope,
  errorMediaType: JSON_MEDIA_TYPE,
  platformHeaders,
  answer: (answer) => answer,
  transmit,
};
