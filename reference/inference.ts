import { randomUUID } from 'node:crypto';
import { answerJson, answerStream } from './answers.js';
import { keyGates, originGate } from './authentication.js';
import {
  type Answer,
  type Body,
  type Call,
  type CompletionHead,
  type Frame,
  type Gate,
  type InferenceRequest,
  makeGate,
  type Refusal,
} from './behaviour.js';
import { faultGate, findMidStreamRule } from './faults.js';
import type { JsonObject } from './vocabulary.js';
import { parseBody } from './wire.js';
import type { Key } from './world.js';

export function infer(call: Call): Answer {
  const { behaviour, inference, server } = call;
  if (inference === undefined)
    return behaviour.refuse(call, { status: 400, message: 'The body is malformed' });
  countFreeRequest(call);
  const head = makeCompletionHead(inference.model, server.now());
  if (!inference.stream) return answerJson(makeCompletion(head));
  const broken = findMidStreamRule(call);
  if (broken === undefined) return answerStream(makeCompletionFrames(head));
  return answerStream([
    ...makeOpeningFrames(head),
    { data: behaviour.streamErrorEvent(head, broken.refusal) },
  ]);
}

/** The free model that the inference route knows; §8.2 tells free models by the ending `:free`. */
export const FREE_MODEL = 'acme/tiny:free';

/** The paid model that the inference route knows. */
export const PAID_MODEL = 'acme/large';

/** Whether a model is a free variant (§8.2). */
export function isFreeModel(model: string): boolean {
  return model.endsWith(':free');
}

/** What the body of an inference request asks for; undefined when it is not well-formed. */
export function readInferenceRequest(body: Body): InferenceRequest | undefined {
  const { model, stream = false } = parseBody(body) ?? {};
  return typeof model === 'string' && typeof stream === 'boolean' ? { model, stream } : undefined;
}

const inferenceKeyGate = makeGate(
  'inference-key',
  ({ key }) => key !== undefined && key.traits.kind !== 'api',
  { status: 403, message: 'This kind of key cannot be used for inference' },
);

const inferenceRequestGate: Gate = {
  name: 'inference-request',
  refuse: ({ body, inference }) => {
    if (body.state === 'stalled') return { status: 408, message: 'The request body stopped arriving' };
    return inference === undefined
      ? { status: 400, message: 'The body must be a JSON object that names a model', metadata: null }
      : undefined;
  },
};

const knownModelGate = makeGate(
  'known-model',
  ({ inference }) => inference !== undefined && ![FREE_MODEL, PAID_MODEL].includes(inference.model),
  { status: 400, message: 'There is no such model', metadata: { parameter: 'model' } },
);

const accountBalanceGate = makeGate('account-balance', ({ key }) => key?.balance.isOwed === true, {
  status: 402,
  message: 'Insufficient credits: the balance of the account is negative',
});

const keyLimitGate = makeGate('key-limit', (call) => isLimitUsedUp(call) && !asksForFreeModel(call), {
  status: 402,
  message: 'The credit limit of this key is used up',
  metadata: null,
});

const freeMinuteGate: Gate = {
  name: 'free-minute',
  refuse: (call) => {
    const { behaviour, key, server } = call;
    if (key === undefined || !asksForFreeModel(call)) return undefined;
    const usage = behaviour.usageOf(call, key);
    const limit = behaviour.limits.perMinute;
    const now = server.now();
    return usage.inMinute(now) >= limit ? makePlatformRefusal(limit, usage.minuteFreesIn(now)) : undefined;
  },
};

const freeDayGate: Gate = {
  name: 'free-day',
  refuse: (call) => {
    const { behaviour, key, server } = call;
    if (key === undefined || !asksForFreeModel(call)) return undefined;
    const usage = behaviour.usageOf(call, key);
    const limit = findDailyLimit(call, key);
    const now = server.now();
    return usage.inDay(now) >= limit ? makePlatformRefusal(limit, usage.dayEndsIn(now)) : undefined;
  },
};

/** The gates of the inference route (§7.3, §8.1, §8.2). */
export const inferenceGates: readonly Gate[] = [
  originGate,
  ...keyGates,
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
  call.behaviour.usageOf(call, call.key).add(call.server.now());
}

/** The refusal of a platform limit (§7.4). */
function makePlatformRefusal(limit: number, freesInMs: number): Refusal {
  return {
    status: 429,
    message: 'Rate limit exceeded for free models',
    metadata: { error_type: 'rate_limit_exceeded' },
    platform: { limit, freesInMs },
  };
}

function findDailyLimit({ behaviour }: Call, key: Key): number {
  const { boughtEnough, perDaySmall, perDayLarge } = behaviour.limits;
  return key.traits.purchased >= boughtEnough ? perDayLarge : perDaySmall;
}

const PROVIDER = 'Acme';

const WORDS = ['pong', '!'] as const;

/** A new head. `now` is in milliseconds since 1970. */
export function makeCompletionHead(model: string, now: number): CompletionHead {
  return { id: `gen-${randomUUID()}`, created: Math.floor(now / 1000), model };
}

/** A plain answer to an inference request. */
function makeCompletion(head: CompletionHead): JsonObject {
  return {
    ...head,
    object: 'chat.completion',
    provider: PROVIDER,
    choices: [{ index: 0, message: { role: 'assistant', content: WORDS.join('') }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: WORDS.length, total_tokens: 1 + WORDS.length },
  };
}

/** The frames of a whole stream: a comment, a chunk for each word, a last chunk, `[DONE]`. */
function makeCompletionFrames(head: CompletionHead): readonly Frame[] {
  return [...makeOpeningFrames(head), { data: makeChunk(head, '', 'stop') }, { data: '[DONE]' }];
}

/** The frames of a stream before it ends or breaks. */
export function makeOpeningFrames(head: CompletionHead): readonly Frame[] {
  return [{ comment: 'processing' }, ...WORDS.map((word) => ({ data: makeChunk(head, word, null) }))];
}

/** The in-band event of an error after the start of a stream (§6). */
export function streamErrorEvent(head: CompletionHead, refusal: Refusal): JsonObject {
  return {
    ...makeChunk(head, '', 'error'),
    error: { code: refusal.status, message: refusal.message },
  };
}

function makeChunk(head: CompletionHead, content: string, finishReason: string | null): JsonObject {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    provider: PROVIDER,
    choices: [{ index: 0, delta: { content }, finish_reason: finishReason }],
  };
}
