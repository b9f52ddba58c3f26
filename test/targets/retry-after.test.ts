import { describe, expect, it } from 'vitest';
import type { Answer } from '../../targets/exchange.js';
import { retryAfterMs } from '../../targets/retry-after.js';

function answer(...headers: Answer['headers']): Answer {
  return { status: 429, headers, text: '', truncated: false };
}

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['1', 1_000],
    ['120', 120_000],
  ])('in seconds: %s', (value, ms) => {
    expect(retryAfterMs(answer(['Retry-After', value]))).toBe(ms);
  });

  it('as a date', () => {
    const inAMinute = new Date(Date.now() + 60_000).toUTCString();
    const ms = retryAfterMs(answer(['retry-after', inAMinute]));
    expect(ms).toBeGreaterThan(57_000);
    expect(ms).toBeLessThanOrEqual(60_000);
  });

  it.each(['Wed, 21 Oct 2015 07:28:00 GMT', 'soon', '', '-5', '1.5', '9'.repeat(400)])(
    'that asks for nothing that makes sense, or for what is past, asks for nothing: %s',
    (value) => {
      expect(retryAfterMs(answer(['Retry-After', value]))).toBe(0);
    },
  );

  it('that is not there asks for nothing', () => {
    expect(retryAfterMs(answer(['X-RateLimit-Reset', '5']))).toBe(0);
    expect(retryAfterMs(undefined)).toBe(0);
  });
});
