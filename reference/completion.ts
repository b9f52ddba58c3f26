import { randomUUID } from 'node:crypto';
import type { Frame, Refusal } from './answer.js';
import type { JsonObject } from './json.js';

const PROVIDER = 'Acme';
const WORDS = ['pong', '!'] as const;

/** What all chunks of one answer share; `created` is in seconds since 1970. */
export interface CompletionHead {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** A new head. `now` is in milliseconds since 1970. */
export function completionHead(model: string, now: number): CompletionHead {
  return { id: `gen-${randomUUID()}`, created: Math.floor(now / 1000), model };
}

/** A plain answer to an inference request. */
export function completion(head: CompletionHead): JsonObject {
  return {
    ...head,
    object: 'chat.completion',
    provider: PROVIDER,
    choices: [{ index: 0, message: { role: 'assistant', content: WORDS.join('') }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: WORDS.length, total_tokens: 1 + WORDS.length },
  };
}

/** The frames of a whole stream: a comment, a chunk for each word, a last chunk, `[DONE]`. */
export function completionFrames(head: CompletionHead): readonly Frame[] {
  return [...openingFrames(head), { data: chunk(head, '', 'stop') }, { data: '[DONE]' }];
}

/** The frames of a stream before it ends or breaks. */
export function openingFrames(head: CompletionHead): readonly Frame[] {
  return [{ comment: 'processing' }, ...WORDS.map((word) => ({ data: chunk(head, word, null) }))];
}

/** The in-band event of an error after the start of a stream (§6). */
export function streamErrorEvent(head: CompletionHead, refusal: Refusal): JsonObject {
  return {
    ...chunk(head, '', 'error'),
    error: { code: refusal.status, message: refusal.message },
  };
}

function chunk(head: CompletionHead, content: string, finishReason: string | null): JsonObject {
  return {
    id: head.id,
    object: 'chat.completion.chunk',
    created: head.created,
    model: head.model,
    provider: PROVIDER,
    choices: [{ index: 0, delta: { content }, finish_reason: finishReason }],
  };
}
