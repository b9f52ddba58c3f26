import type { Refusal } from './answer.js';
import type { Call } from './call.js';
import { faultGate } from './fault-gate.js';
import type { FreeUsage } from './free-usage.js';
import type { Gate } from './gate.js';
import { authenticationGate, keyEnabledGate, originGate, sessionGate } from './key-gates.js';
import { isKnownModel } from './models.js';
import type { Key } from './world.js';

const inferenceKeyGate: Gate = {
  name: 'inference-key',
  refuse: ({ key }) =>
    key !== undefined && key.traits.kind !== 'api'
      ? { status: 403, message: 'This kind of key cannot be used for inference' }
      : undefined,
};

const inferenceRequestGate: Gate = {
  name: 'inference-request',
  refuse: ({ body, inference }) => {
    if (body.state === 'stalled') return { status: 408, message: 'The request body stopped arriving' };
    return inference === undefined
      ? { status: 400, message: 'The body must be a JSON object that names a model', metadata: null }
      : undefined;
  },
};

const knownModelGate: Gate = {
  name: 'known-model',
  refuse: ({ inference }) =>
    inference !== undefined && !isKnownModel(inference.model)
      ? { status: 400, message: 'There is no such model', metadata: { parameter: 'model' } }
      : undefined,
};

const accountBalanceGate: Gate = {
  name: 'account-balance',
  refuse: ({ key }) =>
    key?.balance.isOwed === true
      ? { status: 402, message: 'Insufficient credits: the balance of the account is negative' }
      : undefined,
};

const keyLimitGate: Gate = {
  name: 'key-limit',
  refuse: (call) =>
    isLimitUsedUp(call) && !asksForFreeModel(call)
      ? { status: 402, message: 'The credit limit of this key is used up', metadata: null }
      : undefined,
};

const freeMinuteGate: Gate = {
  name: 'free-minute',
  refuse: (call) => {
    const { behaviour, key, server } = call;
    if (key === undefined || !asksForFreeModel(call)) return undefined;
    const usage = behaviour.usageOf(call, key);
    const limit = behaviour.limits.perMinute;
    const now = server.now();
    return usage.inMinute(now) >= limit ? platformRefusal(limit, usage.minuteFreesIn(now)) : undefined;
  },
};

const freeDayGate: Gate = {
  name: 'free-day',
  refuse: (call) => {
    const { behaviour, key, server } = call;
    if (key === undefined || !asksForFreeModel(call)) return undefined;
    const usage = behaviour.usageOf(call, key);
    const limit = dailyLimit(call, key);
    const now = server.now();
    return usage.inDay(now) >= limit ? platformRefusal(limit, usage.dayEndsIn(now)) : undefined;
  },
};

/** The gates of the inference route (§7.3, §8.1, §8.2). */
export const inferenceGates: readonly Gate[] = [
  originGate,
  authenticationGate,
  keyEnabledGate,
  sessionGate,
  inferenceKeyGate,
  inferenceRequestGate,
  knownModelGate,
  accountBalanceGate,
  keyLimitGate,
  freeMinuteGate,
  freeDayGate,
  faultGate,
];

/** Whether the key's own credit limit is used up (§8.1.2): as it was set, or by what it has made. */
export function isLimitUsedUp({ behaviour, key }: Call): boolean {
  if (key === undefined) return false;
  const { limitRemaining, traits, records, information } = key;
  const { limit } = information;
  const isExceeded = records !== undefined && typeof limit === 'number' && behaviour.limitUse(key) > limit;
  return isExceeded || (limitRemaining === undefined ? traits.limitUsedUp : limitRemaining <= 0);
}

/** Whether a call asks for a free model. */
function asksForFreeModel({ behaviour, inference }: Call): boolean {
  return inference !== undefined && behaviour.isFreeModel(inference.model);
}

/** Takes down one request to a free model (§8.2). */
export function countFreeRequest(call: Call): void {
  if (call.key === undefined || !asksForFreeModel(call)) return;
  const usage: FreeUsage = call.behaviour.usageOf(call, call.key);
  usage.add(call.server.now());
}

/** The refusal of a platform limit (§7.4). */
function platformRefusal(limit: number, freesInMs: number): Refusal {
  return {
    status: 429,
    message: 'Rate limit exceeded for free models',
    metadata: { error_type: 'rate_limit_exceeded' },
    platform: { limit, freesInMs },
  };
}

function dailyLimit({ behaviour }: Call, key: Key): number {
  const { boughtEnough, perDaySmall, perDayLarge } = behaviour.limits;
  return key.traits.purchased >= boughtEnough ? perDayLarge : perDaySmall;
}
