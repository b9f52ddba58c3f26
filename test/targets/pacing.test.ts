import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdaptivePace, Pace, type PacedRequest, Pacing } from '../../targets/pacing.js';
import { RequestLimit, type Weight } from '../../targets/request-limit.js';

/** A token bucket, which tells whether a request is beyond it: so many requests a second, and so many at once. */
function tokenBucket(rate: number, burst: number): () => boolean {
  let [tokens, at] = [burst, performance.now()];
  return () => {
    const now = performance.now();
    tokens = Math.min(burst, tokens + ((now - at) / 1_000) * rate);
    at = now;
    if (tokens < 1) return true;
    tokens -= 1;
    return false;
  };
}

function repeat(times: number, run: () => void): void {
  for (let time = 0; time < times; time++) run();
}

describe('pacing with a fake clock', () => {
  let now = 1_000;
  let pacing: Pacing;
  beforeEach(() => {
    now = 1_000;
    pacing = new Pacing();
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  function limitPace(served: number, refused = 3): AdaptivePace {
    const pace = new AdaptivePace();
    repeat(served, () => pace.noteServed(now));
    repeat(refused, () => pace.noteRefused({ sentAt: now, status: 429 }));
    return pace;
  }

  it('an adaptive pace has no limit at first, nor after an occasional refusal', () => {
    expect(limitPace(40, 2).rate).toBeUndefined();
  });

  it('an adaptive pace slows down after one refusal that is to slow it at once, and stays slow', () => {
    const rateAfter = (slowsAtOnce: boolean) => {
      const pace = limitPace(40, 0);
      pace.noteRefused({ sentAt: now, status: 503, slowsAtOnce });
      now += 1_000;
      pace.noteServed(now);
      return pace.rate;
    };
    expect(rateAfter(false)).toBeUndefined();
    expect(rateAfter(true)).toBeCloseTo(20.2);
  });

  it('an adaptive pace stays below the rate of the last second, and slows down once for all requests sent at one rate', () => {
    const pace = limitPace(40);
    expect(pace.rate).toBeCloseTo(36);
    repeat(10, () => pace.noteRefused({ sentAt: now - 1, status: 429 }));
    expect(pace.rate).toBeCloseTo(36);
  });

  const serveFor = (seconds: number, pace: AdaptivePace) =>
    repeat(seconds * 10, () => {
      now += 100;
      pace.noteServed(now);
    });

  it('an adaptive pace grows fast until it meets the limit again, and slowly afterwards', () => {
    const pace = limitPace(40);
    serveFor(4, pace);
    expect(pace.rate).toBeGreaterThan(60);
    now += 500;
    pace.noteRefused({ sentAt: now, status: 429 });
    expect(pace.rate).toBeCloseTo(36, 0);
    serveFor(2, pace);
    expect(pace.rate).toBeGreaterThan(36);
    expect(pace.rate).toBeLessThan(40);
  });

  /** Sends requests one after another; returns the seconds that they took and how many were refused. */
  function sendAll(count: number, isRefused: (request: number) => boolean) {
    const pace = new AdaptivePace();
    const start = now;
    let refused = 0;
    for (let request = 1; request <= count; request++) {
      now += 1_000 / (pace.rate ?? 500);
      if (isRefused(request)) {
        refused += 1;
        pace.noteRefused({ sentAt: now, status: 429 });
      } else pace.noteServed(now);
    }
    return { seconds: (now - start) / 1_000, refused };
  }

  it('an adaptive pace is not slowed down by refusals that come now and then at any rate', () => {
    const everyFiftieth = (request: number) => request % 50 === 0 || (request > 1_000 && request < 1_004);
    expect(sendAll(7_000, everyFiftieth).seconds).toBeLessThan(30);
  });

  it('an adaptive pace stays slow where a rate limit refuses now and then', () => {
    const isBeyond = tokenBucket(60, 5);
    expect(sendAll(3_000, isBeyond).refused).toBeLessThan(30);
  });

  it('an adaptive pace recovers within a minute and a half from a service that was down for five seconds', () => {
    const start = now;
    const isDown = () => now - start > 1_000 && now - start < 6_000;
    const { seconds, refused } = sendAll(5_000, isDown);
    expect(refused).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(90);
  });

  it('an adaptive pace drops a limit that no longer matters', () => {
    const pace = limitPace(1_800);
    serveFor(2, pace);
    expect(pace.rate).toBeUndefined();
  });

  const base = 'http://127.0.0.1:8080/v1';
  const vault: PacedRequest = { base, operation: 'vault-delete' };
  const key: PacedRequest = { base, operation: 'key-info' };
  const refuse = (load: PacedRequest, times: number) =>
    repeat(times, () => pacing.noteRefused(load, { sentAt: now, status: 429 }));
  const serveKeyReads = (times: number) => repeat(times, () => pacing.noteServed(key, now));

  it('the pacing of a run says which host was slowed down, why and to which rate', () => {
    serveKeyReads(20);
    refuse(vault, 3);
    const slowed = { host: 'http://127.0.0.1:8080', operation: null, by: '429', refused: 3, rate: 18 };
    expect(pacing.slowDowns).toEqual([slowed]);
  });

  it('the pacing of a run slows down one operation while others are served, and all once another is refused', () => {
    refuse(vault, 1);
    serveKeyReads(30);
    refuse(vault, 10);
    expect(pacing.slowDowns).toMatchObject([{ operation: 'vault-delete' }]);
    refuse(key, 1);
    expect(pacing.slowDowns).toMatchObject([{ operation: null }]);
  });

  it('the pacing of a run keeps hosts apart', () => {
    refuse({ base: 'http://127.0.0.1:9090/control' }, 3);
    expect(pacing.slowDowns.map(({ host }) => host)).toEqual(['http://127.0.0.1:9090']);
  });
});

/** Waits for some turns. Returns when each came, in milliseconds from now. */
function takeTurns(pace: Pace, count: number): Promise<readonly number[]> {
  const start = performance.now();
  const one = () => pace.waitForTurn().then(() => performance.now() - start);
  return Promise.all(Array.from({ length: count }, one));
}

// A timer may fire a little early, and late by as much as the machine is busy.
const early = 2;

it('a rate spreads simultaneous turns evenly', async () => {
  const times = await takeTurns(new Pace(50), 11);
  for (const [at, ms] of times.entries()) expect(ms).toBeGreaterThanOrEqual(at * 20 - early);
  expect(times.at(-1)).toBeLessThan(10_000);
});

it('a rate allows no burst after a pause', async () => {
  const pace = new Pace(50);
  await pace.waitForTurn();
  await sleep(200);
  const times = await takeTurns(pace, 4);
  expect(times.at(-1)).toBeGreaterThanOrEqual(60 - early);
});

it('a changed rate applies to waiting turns', async () => {
  const pace = new Pace(0.1);
  const times = takeTurns(pace, 4);
  await sleep(20);
  pace.rate = 100;
  expect((await times).at(-1)).toBeLessThan(9_000);
});

it.each([0.01, 1e-12])('an aborted signal ends every waiting turn (%d a second)', async (rate) => {
  const warn = vi.spyOn(process, 'emitWarning');
  const pace = new Pace(rate);
  await pace.waitForTurn();
  const waiting = Array.from({ length: 3 }, () => pace.waitForTurn(AbortSignal.timeout(30)));
  for (const turn of waiting) await expect(turn).rejects.toThrow();
  // A timer holds no more than 31 bits of milliseconds.
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

function takeAll(limit: RequestLimit, weights: readonly Weight[]): readonly boolean[] {
  return weights.map((weight) => {
    try {
      limit.take(weight);
    } catch (error) {
      expect(String(error)).toContain('limit of');
      return false;
    }
    return true;
  });
}

it('a request limit keeps a reserve for cleaning up, and says when it is reached', () => {
  let reached = 0;
  const limit = new RequestLimit({ maxRequests: 4, onMaxRequests: () => ++reached });
  expect([takeAll(limit, [{ reserves: 1 }, {}]), reached]).toEqual([[true, true], 0]);
  expect(takeAll(limit, [{ reserves: 1 }, {}, {}])).toEqual([false, true, false]);
  expect(takeAll(limit, [{ uses: 1 }, { uses: 1 }])).toEqual([true, false]);
  expect([limit.sent, reached]).toEqual([4, 3]);
});

it('a request limit releases a reserve that is no longer needed', () => {
  const limit = new RequestLimit({ maxRequests: 2 });
  expect(takeAll(limit, [{ reserves: 1 }, {}])).toEqual([true, false]);
  limit.release();
  expect(takeAll(limit, [{}, {}])).toEqual([true, false]);
});
