import { type Answer, type Call, JSON_MEDIA_TYPE, type Refusal } from './behaviour.js';
import type { JsonObject } from './vocabulary.js';

/** The answer to a refused call: status, envelope, and the headers of a platform limit. */
export function refuse(call: Call, refusal: Refusal): Answer {
  const { behaviour, server } = call;
  const platform = refusal.platform && behaviour.platformHeaders(refusal.platform, server.now());
  return {
    status: refusal.status,
    headers: { 'Content-Type': behaviour.errorMediaType, ...refusal.headers, ...platform },
    body: behaviour.envelope(call, refusal),
  };
}

export function answerData(value: JsonObject): Answer {
  return answerJson({ data: value });
}

export function answerJson(body: JsonObject): Answer {
  return { status: 200, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body };
}

/** An event stream of these frames. */
export function answerStream(body: NonNullable<Answer['body']>): Answer {
  return { status: 200, headers: { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' }, body };
}

/** The envelope of a refusal (§2.4); its optional members come and go as §2.4 allows. */
export function envelope(call: Call, refusal: Refusal): JsonObject {
  const error: JsonObject = { code: refusal.status, message: refusal.message };
  if (refusal.metadata !== undefined) error.metadata = refusal.metadata;
  if (refusal.status >= 500) return { error, service_metadata: null, user_id: null };
  return call.key === undefined ? { error } : { error, user_id: `user_${call.key.world.workspaceId}` };
}

/** The headers of a platform limit's 429 (§7.4). `now` and the reset are in milliseconds since 1970. */
export function platformHeaders(
  { limit, freesInMs }: { readonly limit: number; readonly freesInMs: number },
  now: number,
): Record<string, string> {
  return {
    'X-RateLimit-Limit': String(limit),
    'X-RateLimit-Remaining': '0',
    'X-RateLimit-Reset': String(now + freesInMs),
  };
}
