import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AdaptivePace } from '../../targets/adaptive-pace.js';
import { type Load, Pacing } from '../../targets/pacing.js';

let now = 1_000;
beforeEach(() => {
  now = 1_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

describe('an adaptive pace', () => {
  /** A pace that served so many requests within a second and was then refused some. */
  function limited(served: number, refused = 3): AdaptivePace {
    const pace = new AdaptivePace();
    for (let request = 0; request < served; request++) pace.serve(now);
    for (let request = 0; request < refused; request++) pace.refuse(now);
    return pace;
  }

  it('has no limit to begin with, and none after a refusal now and then', () => {
    expect(limited(40, 2).rate).toBeUndefined();
  });

  it('keeps below what was served in the last second once several requests were refused', () => {
    expect(limited(40).rate).toBeCloseTo(36);
  });

  it('is slowed down once by all that left at the same rate', () => {
    const pace = limited(40);
    for (let request = 0; request < 10; request++) pace.refuse(now - 1);
    expect(pace.rate).toBeCloseTo(36);
  });

  it('grows while it is served, fast until it meets the limit again and slowly afterwards', () => {
    const pace = limited(40);
    const serve = (seconds: number) => {
      for (let tenth = 0; tenth < seconds * 10; tenth++) {
        now += 100;
        pace.serve(now);
      }
    };
    serve(4);
    expect(pace.rate).toBeGreaterThan(60);
    now += 500;
    pace.refuse(now);
    expect(pace.rate).toBeCloseTo(36, 0);
    serve(2);
    expect(pace.rate).toBeGreaterThan(36);
    expect(pace.rate).toBeLessThan(40);
  });

  it('has no limit again once it grows beyond what matters', () => {
    const pace = limited(1_800);
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

  it('says which host was slowed down, by which answers and to which rate', () => {
    const pacing = new Pacing();
    for (let request = 0; request < 20; request++) pacing.serve(key, now);
    refuse(pacing, vault);
    expect(pacing.slowDowns).toEqual([
      { host: 'http://127.0.0.1:8080', operation: null, by: '429', refused: 3, rate: 18 },
    ]);
  });

  it('slows down one operation alone where others are served meanwhile', () => {
    const pacing = new Pacing();
    refuse(pacing, vault, 1);
    for (let request = 0; request < 30; request++) pacing.serve(key, now);
    refuse(pacing, vault, 10);
    expect(pacing.slowDowns).toMatchObject([{ operation: 'vault-delete' }]);
  });

  it('slows down all operations again once another is refused too', () => {
    const pacing = new Pacing();
    refuse(pacing, vault, 1);
    for (let request = 0; request < 30; request++) pacing.serve(key, now);
    refuse(pacing, vault, 10);
    refuse(pacing, key, 1);
    expect(pacing.slowDowns).toMatchObject([{ operation: null }]);
  });

  it('keeps hosts apart', () => {
    const pacing = new Pacing();
    refuse(pacing, { base: 'http://127.0.0.1:9090/control' });
    expect(pacing.slowDowns.map(({ host }) => host)).toEqual(['http://127.0.0.1:9090']);
  });
});
