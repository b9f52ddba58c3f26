import { setTimeout as sleep } from 'node:timers/promises';
import type { Received } from './client.js';
import { retryAfterMs } from './retry-after.js';

/** What became of something that was to be deleted; where it may still be there, what its delete got last, if anything. */
export type Deletion = 'deleted' | 'not-there' | { readonly got: string | undefined };

const pauseMs = 200;
const longestPauseMs = 2_000;

/**
 * Asks for a delete until what it names is gone, a few times at most.
 * @param send sends the delete; rejects where it may not be sent
 */
export async function deleteUntilGone(
  send: () => Promise<Received>,
  { tries, signal }: { readonly tries: number; readonly signal: AbortSignal },
): Promise<Deletion> {
  let got: string | undefined;
  for (let tried = 0; tried < tries && !signal.aborted; tried++) {
    const received = await send().catch(() => undefined);
    // Out of time, or out of requests.
    if (received === undefined) break;
    const status = received.answer?.status;
    if (status === 204) return 'deleted';
    if (status === 404) return 'not-there';
    got = String(status ?? received.lost);
    if (tried + 1 === tries) break;
    const ms = Math.max(pauseMs * 2 ** tried, retryAfterMs(received.answer));
    await sleep(Math.min(ms, longestPauseMs), undefined, { signal }).catch(() => undefined);
  }
  return { got };
}

/** Why something is left, in words. */
export function whyLeft(got: string | undefined): string {
  return got === undefined ? 'no time or no request was left to delete it' : `its delete got ${got}`;
}
