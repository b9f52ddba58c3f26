import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Received, SendOptions } from './client.js';
import { isNeverConnected } from './connection-errors.js';
import { retryAfterMs } from './exchange.js';
import type { Outgoing } from './transports.js';

// Retries of calls that arrange something: those of the control protocol, and the request of a profile that stores a secret.
// A request that is judged is never retried.

// After a refusal by a rate limit, with growing pauses.
const maxTries = 6;
const firstPauseMs = 25;
const pauseFactor = 3;
const longestPauseMs = 10_000;

// After a lost answer, if the call has the same effect when it arrives twice.
const triesOfALostCall = 3;

interface RetryOptions {
  readonly signal?: AbortSignal | undefined;
  /** Aborted when the run has no time left for retries. */
  readonly over?: AbortSignal | undefined;
  readonly options?: SendOptions | undefined;
  /** Whether the caller handles a 429 or 503, so that it is neither retried nor slows the run down. */
  readonly handlesLimit?: (() => boolean) | undefined;
}

/** Sends a call, and retries it where a rate limit refused it or, if it may arrive twice, where it was lost. */
export async function sendWithRetries(
  client: Client,
  outgoing: Outgoing,
  { signal, over, options, handlesLimit }: RetryOptions,
): Promise<Received> {
  const mayArriveTwice = outgoing.method === 'GET' || outgoing.method === 'PUT';
  for (let tries = 1; ; tries++) {
    // The first try has reserved the requests to undo the call, or has used those reserved.
    const counted = tries === 1 ? options : { ...options, reserves: 0, uses: 0 };
    const received = await client.send(outgoing, signal, counted);
    const { answer } = received;
    if (isLost(received)) {
      if (!mayArriveTwice || tries >= triesOfALostCall) return received;
      await pause(tries, over);
      continue;
    }
    if (answer === undefined) return received;
    const { status } = answer;
    const { turnAt: sentAt = 0 } = received;
    if (status !== 429 && status !== 503) {
      client.pacing.noteServed(outgoing, sentAt);
      return received;
    }
    if (handlesLimit?.() === true) return received;
    client.pacing.noteRefused(outgoing, { sentAt, status });
    const asked = retryAfterMs(answer);
    if (tries === maxTries || asked > longestPauseMs || over?.aborted === true) return received;
    await pause(tries, over, asked);
  }
}

async function pause(tries: number, over: AbortSignal | undefined, atLeastMs = 0): Promise<void> {
  const pauseMs = Math.max(atLeastMs, firstPauseMs * pauseFactor ** (tries - 1));
  await sleep(pauseMs, undefined, { signal: over }).catch(() => undefined);
}

/** Whether a connection was lost before the answer, or a gateway lost it on its side. */
function isLost({ answer, errorCode }: Received): boolean {
  if (answer === undefined) return errorCode !== undefined && !isNeverConnected(errorCode);
  return answer.status === 502 || answer.status === 504;
}
