import { randomUUID } from 'node:crypto';
import type { FreeUsage } from './accounts.js';
import { keyGates, originGate } from './authentication.js';
import {
  type Answer,
  type Behaviour,
  type Body,
  type Call,
  type CompletionHead,
  type Gate,
  type GateName,
  type InferenceRequest,
  makeGate,
  type PlatformLimit,
  type Refusal,
} from './behaviour.js';
import { faultGate, findMidStreamRule } from './faults.js';
import type { JsonObject } from './vocabulary.js';
import { answerJson, answerStream, parseBody } from './wire.js';
import type { Key } from './world.js';

export function infer(call: Call): Answer {
  const { behaviour, inference, server } = call;
  if (inference === undefined)
    return behaviour.refuse(call, { status: 400, message: 'The body is malformed' });
  countFreeRequest(call);
  const head = makeCompletionHead(inference.model, server.now());
  if (!inference.stream) return answerJson(makeCompletion(head));
  const broken = findMidStreamRule(call);
  const last =
    broken === undefined
      ? [{ data: makeChunk(head, '', 'stop') }, { data: '[DONE]' }]
      : [{ data: behaviour.streamErrorEvent(head, broken.refusal) }];
  const opening = WORDS.map((word) => ({ data: makeChunk(head, word, null) }));
  return answerStream([{ comment: 'processing' }, ...opening, ...last]);
}

/** The free model that the inference route knows; §8.2 recognizes free models by the ending `:free`. */
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

/** The gates of the inference route (§7.3, §8.1, §8.2). */
export const inferenceGates: readonly Gate[] = [
  originGate,
  ...keyGates,
  makeGate('inference-key', ({ key }) => key !== undefined && key.traits.kind !== 'api', {
    status: 403,
    message: 'This kind of key cannot be used for inference',
  }),
  {
    name: 'inference-request',
    refuse: ({ body, inference }) => {
      if (body.state === 'stalled') return { status: 408, message: 'The request body stopped arriving' };
      return inference === undefined
        ? { status: 400, message: 'The body must be a JSON object that names a model', metadata: null }
        : undefined;
    },
  },
  makeGate(
    'known-model',
    ({ inference }) => inference !== undefined && ![FREE_MODEL, PAID_MODEL].includes(inference.model),
    { status: 400, message: 'There is no such model', metadata: { parameter: 'model' } },
  ),
  makeGate('account-balance', ({ key }) => key?.balance.isOwed === true, {
    status: 402,
    message: 'Insufficient credits: the balance of the account is negative',
  }),
  makeGate('key-limit', (call) => isLimitUsedUp(call) && !asksForFreeModel(call), {
    status: 402,
    message: 'The credit limit of this key is used up',
    metadata: null,
  }),
  makeFreeGate('free-minute', (usage, now, { limits }) => ({
    limit: limits.perMinute,
    used: usage.inMinute(now, limits.minuteMs),
    freesInMs: usage.minuteFreesIn(now),
  })),
  makeFreeGate('free-day', (usage, now, { limits }, { traits }) => ({
    limit: traits.purchased >= limits.boughtEnough ? limits.perDayLarge : limits.perDaySmall,
    used: usage.inDay(now),
    freesInMs: usage.dayEndsIn(now),
  })),
  faultGate,
];

/** Whether the key's own credit limit is used up (§8.1.2): as set by the control, or by its recorded requests. */
export function isLimitUsedUp({ behaviour, key }: Call): boolean {
  if (key === undefined) return false;
  const { limitRemaining, traits, records, information } = key;
  const { limit } = information;
  const isExceeded = records !== undefined && typeof limit === 'number' && behaviour.limitUse(key) >= limit;
  return isExceeded || (limitRemaining === undefined ? traits.limitUsedUp : limitRemaining <= 0);
}

/** Whether a call asks for a free model. */
function asksForFreeModel({ behaviour, inference }: Call): boolean {
  return inference !== undefined && behaviour.isFreeModel(inference.model);
}

/** Counts one request to a free model (§8.2). */
export function countFreeRequest(call: Call): void {
  if (call.key === undefined || !asksForFreeModel(call)) return;
  call.behaviour.countUse(call, call.behaviour.usageOf(call, call.key));
}

/** A gate of a limit of free models (§8.2), by what the account of a key has used of it. */
function makeFreeGate(
  name: GateName,
  measure: (
    usage: FreeUsage,
    now: number,
    behaviour: Behaviour,
    key: Key,
  ) => PlatformLimit & { readonly used: number },
): Gate {
  const refuse: Gate['refuse'] = (call) => {
    const { behaviour, key, server } = call;
    if (key === undefined || !asksForFreeModel(call)) return undefined;
    const { used, ...platform } = measure(behaviour.usageOf(call, key), server.now(), behaviour, key);
    if (used < platform.limit) return undefined;
    const metadata = { error_type: 'rate_limit_exceeded' };
    return { status: 429, message: 'Rate limit exceeded for free models', metadata, platform };
  };
  return { name, refuse };
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

/** The in-band event of an error after the start of a stream (§6). */
export function streamErrorEvent(head: CompletionHead, refusal: Refusal): JsonObject {
  return { ...makeChunk(head, '', 'error'), error: { code: refusal.status, message: refusal.message } };
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
