import type { Refusal } from './answer.js';
import type { Call } from './call.js';
import type { JsonObject } from './json.js';

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
