import { type Answer, header } from './exchange.js';

/** How long an answer asks to wait, in milliseconds, in either form of `Retry-After`; 0 where it asks for nothing. */
export function retryAfterMs(answer: Answer | undefined): number {
  const value = answer === undefined ? undefined : header(answer, 'retry-after');
  if (value === undefined) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : 0;
}
