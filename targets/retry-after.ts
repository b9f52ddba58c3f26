import { type Answer, header } from './exchange.js';

/** How long an answer asks to wait, in milliseconds, in either form of `Retry-After`; 0 where it asks for nothing. */
export function retryAfterMs(answer: Answer | undefined): number {
  const value = answer === undefined ? undefined : header(answer, 'retry-after');
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}

/**
 * How long to wait until a rate limit is over, in milliseconds: `Retry-After`, else `X-RateLimit-Reset` in seconds from
 * now or since 1970, or in milliseconds since 1970; undefined where the answer says nothing of it.
 */
export function limitResetMs(answer: Answer | undefined): number | undefined {
  const retryMs = retryAfterMs(answer);
  if (retryMs > 0) return retryMs;
  const value = answer === undefined ? undefined : header(answer, 'x-ratelimit-reset');
  if (value === undefined || !/^\d+(?:\.\d+)?$/.test(value)) return undefined;
  const reset = Number(value);
  if (reset < secondsSince1970) return reset * 1_000;
  const at = reset < secondsSince1970 * 1_000 ? reset * 1_000 : reset;
  return Math.max(0, at - Date.now());
}

// A number of seconds from now is below it, a time of this century above.
const secondsSince1970 = 900_000_000;
