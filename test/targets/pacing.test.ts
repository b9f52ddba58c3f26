import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdaptivePace, type Load, Pace, Pacing } from '../../targets/pacing.js';

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

describe('pacing with a fake clock', () => {
  let now = 1_000;
  beforeEach(() => {
    now = 1_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  describe('an adaptive pace', () => {
    /** Returns a pace after this many served requests within a second and some refusals. */
    function limitPace(served: number, refused = 3): AdaptivePace {
      const pace = new AdaptivePace();
      for (let request = 0; request < served; request++) pace.serve(now);
      for (let request = 0; request < refused; request++) pace.refuse({ sentAt: now, status: 429 });
      return pace;
    }

    it('an adaptive pace has no limit at first, nor after an occasional refusal', () => {
      expect(limitPace(40, 2).rate).toBeUndefined();
    });

    it('an adaptive pace slows down after one refusal that is to slow it at once, and stays slow', () => {
      const rateAfter = (slowsAtOnce: boolean) => {
        const pace = new AdaptivePace();
        for (let request = 0; request < 40; request++) pace.serve(now);
        pace.refuse({ sentAt: now, status: 503, slowsAtOnce });
        now += 1_000;
        pace.serve(now);
        return pace.rate;
      };
      expect(rateAfter(false)).toBeUndefined();
      expect(rateAfter(true)).toBeCloseTo(20.2);
    });

    it('an adaptive pace stays below the rate of the last second after several refusals', () => {
      expect(limitPace(40).rate).toBeCloseTo(36);
    });

    it('an adaptive pace slows down once for all requests sent at one rate', () => {
      const pace = limitPace(40);
      for (let request = 0; request < 10; request++) pace.refuse({ sentAt: now - 1, status: 429 });
      expect(pace.rate).toBeCloseTo(36);
    });

    it('an adaptive pace grows fast until it meets the limit again, and slowly afterwards', () => {
      const pace = limitPace(40);
      const serve = (seconds: number) => {
        for (let tenth = 0; tenth < seconds * 10; tenth++) {
          now += 100;
          pace.serve(now);
        }
      };
      serve(4);
      expect(pace.rate).toBeGreaterThan(60);
      now += 500;
      pace.refuse({ sentAt: now, status: 429 });
      expect(pace.rate).toBeCloseTo(36, 0);
      serve(2);
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
          pace.refuse({ sentAt: now, status: 429 });
        } else pace.serve(now);
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

    it('an adaptive pace drops a limit that no longer matters', () => {
      const pace = limitPace(1_800);
      for (let tenth = 0; tenth < 20; tenth++) {
        now += 100;
        pace.serve(now);
      }
      expect(pace.rate).toBeUndefined();
    });
  });

  describe('the pacing of a run', () => {
    const base = 'http://127.0.0.1:8080/v1';
    const vault: Load = { base, operation: 'vault-delete' };
    const key: Load = { base, operation: 'key-info' };
    const refuse = (pacing: Pacing, load: Load, times = 3) => {
      for (let time = 0; time < times; time++) pacing.refuse(load, { sentAt: now, status: 429 });
    };

    it('the pacing of a run says which host was slowed down, why and to which rate', () => {
      const pacing = new Pacing();
      for (let request = 0; request < 20; request++) pacing.serve(key, now);
      refuse(pacing, vault);
      expect(pacing.slowDowns).toEqual([
        { host: 'http://127.0.0.1:8080', operation: null, by: '429', refused: 3, rate: 18 },
      ]);
    });

    it('the pacing of a run slows down one operation while others are served', () => {
      const pacing = new Pacing();
      refuse(pacing, vault, 1);
      for (let request = 0; request < 30; request++) pacing.serve(key, now);
      refuse(pacing, vault, 10);
      expect(pacing.slowDowns).toMatchObject([{ operation: 'vault-delete' }]);
    });

    it('the pacing of a run slows down all operations again once another is refused', () => {
      const pacing = new Pacing();
      refuse(pacing, vault, 1);
      for (let request = 0; request < 30; request++) pacing.serve(key, now);
      refuse(pacing, vault, 10);
      refuse(pacing, key, 1);
      expect(pacing.slowDowns).toMatchObject([{ operation: null }]);
    });

    it('the pacing of a run keeps hosts apart', () => {
      const pacing = new Pacing();
      refuse(pacing, { base: 'http://127.0.0.1:9090/control' });
      expect(pacing.slowDowns.map(({ host }) => host)).toEqual(['http://127.0.0.1:9090']);
    });
  });
});

/** Returns the start of each turn in milliseconds after the first request for one. */
async function turns(pace: Pace, count: number): Promise<readonly number[]> {
  const start = performance.now();
  const come: number[] = [];
  const one = async () => {
    await pace.turn();
    come.push(performance.now() - start);
  };
  await Promise.all(Array.from({ length: count }, one));
  return come;
}

// A timer may fire a little early, and late by as much as the machine is busy.
const early = 2;

it('a rate spreads simultaneous turns evenly', async () => {
  const come = await turns(new Pace(50), 11);
  for (const [at, ms] of come.entries()) expect(ms).toBeGreaterThanOrEqual(at * 20 - early);
  expect(come.at(-1)).toBeLessThan(10_000);
});

it('a rate allows no burst after a pause', async () => {
  const pace = new Pace(50);
  await pace.turn();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const come = await turns(pace, 4);
  expect(come.at(-1)).toBeGreaterThanOrEqual(60 - early);
});

it('a rate may be less than one a second', async () => {
  const come = await turns(new Pace(4), 2);
  expect(come[1]).toBeGreaterThanOrEqual(250 - early);
});

it('a changed rate applies to waiting turns', async () => {
  const pace = new Pace(0.1);
  const come = turns(pace, 4);
  await new Promise((resolve) => setTimeout(resolve, 20));
  pace.rate = 100;
  expect((await come).at(-1)).toBeLessThan(9_000);
});

it.each([0.01, 1e-12])('an aborted signal ends every waiting turn (%d a second)', async (rate) => {
  const warn = vi.spyOn(process, 'emitWarning');
  const pace = new Pace(rate);
  await pace.turn();
  const waiting = Array.from({ length: 3 }, () => pace.turn(AbortSignal.timeout(30)));
  for (const turn of waiting) await expect(turn).rejects.toThrow();
  // A timer holds no more than 31 bits of milliseconds.
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
