import { describe, expect, it } from 'vitest';
import type { Answer } from '../../targets/exchange.js';
import { Canaries } from '../../targets/leak-detection.js';

const canaries = new Canaries();
const value = canaries.next();

const answer = (text: string, headers: Answer['headers'] = []): Answer => ({
  status: 500,
  headers,
  text,
  truncated: false,
});

const inBase64 = (offset: number, encoding: BufferEncoding) =>
  Buffer.from(`${'-'.repeat(offset)}${value}...`).toString(encoding);
const each = (text: string, write: (sign: string) => string) => [...text].map(write).join('');
const code = (sign: string) => sign.charCodeAt(0).toString(16).padStart(2, '0');
const hex = Buffer.from(value).toString('hex');
const half = Math.ceil(value.length / 2);

describe.each<readonly [string, string]>([
  ['plain', value],
  ['in upper case', value.toUpperCase()],
  ...[0, 1, 2].flatMap((offset) => [
    [`in base64, ${offset} bytes into a group`, inBase64(offset, 'base64')] as const,
    [`in base64url, ${offset} bytes into a group`, inBase64(offset, 'base64url')] as const,
  ]),
  ['in hex', hex],
  ['in upper-case hex', hex.toUpperCase()],
  ['percent-encoded', each(value, (sign) => `%${code(sign)}`)],
  ['percent-encoded in upper case', each(value, (sign) => `%${code(sign).toUpperCase()}`)],
  ['percent-encoded in part', value.replaceAll('-', '%2D')],
  ['in JSON escapes', each(value, (sign) => `\\u00${code(sign)}`)],
  ['cut off after its first half', value.slice(0, half)],
  ['cut off before its second half', value.slice(-half)],
])('a stored value that is written %s', (_name, written) => {
  it('leak detection finds a stored value in a body', () => {
    expect(canaries.leak(answer(written))).toBe('body');
    expect(canaries.leak(answer(`{"error":{"message":"no ${written}!"}}`))).toBe('body');
  });

  it('leak detection finds a stored value in the value of a header', () => {
    expect(canaries.leak(answer('', [['X-Debug', `v=${written};`]]))).toBe('header');
  });
});

it('leak detection finds a stored value in the name of a header', () => {
  expect(canaries.leak(answer('', [[`x-${value}`, '1']]))).toBe('header');
});

it('leak detection finds every value of a run, and no two values are the same', () => {
  const values = Array.from({ length: 50 }, () => canaries.next());
  expect(new Set(values).size).toBe(50);
  expect(values.every((one) => canaries.leak(answer(one)) === 'body')).toBe(true);
});

it('leak detection ignores a value of another run', () => {
  const other = new Canaries();
  expect(canaries.leak(answer(other.next()))).toBeUndefined();
  expect(other.leak(answer(value))).toBeUndefined();
});

it.each([
  ['an empty answer', answer('')],
  [
    'an envelope',
    answer('{"error":{"code":404,"message":"Not found"}}', [['Content-Type', 'application/json']]),
  ],
  ['malformed escapes', answer('%zz %4 \\u00 \\u00g1')],
  ['less than half of the value', answer(value.slice(0, 12))],
])('leak detection finds nothing in %s', (_name, clean) => {
  expect(canaries.leak(clean)).toBeUndefined();
});

it('leak detection knows whether anything was stored yet', () => {
  const fresh = new Canaries();
  expect(fresh.stored).toBe(false);
  fresh.next();
  expect(fresh.stored).toBe(true);
});
