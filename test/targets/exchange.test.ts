import { expect, it } from 'vitest';
import {
  type Answer,
  asText,
  bodyLimit,
  explainUnread,
  header,
  headerValues,
  isJsonMediaType,
  json,
  limitResetMs,
  retryAfterMs,
  toAnswer,
} from '../../targets/exchange.js';
import { sampleAnswer } from '../judge/samples.js';

const answer = (headers: Answer['headers'], text = '') => sampleAnswer({ headers, text });

it('header names are compared without regard to case, and repeated fields are kept', () => {
  const repeated = answer([
    ['SET-Cookie', 'a'],
    ['X-Other', 'c'],
    ['set-cookie', 'b'],
  ]);
  expect(headerValues(repeated, 'Set-Cookie')).toEqual(['a', 'b']);
  expect(header(repeated, 'set-cookie')).toBe('a');
  expect(header(repeated, 'absent')).toBeUndefined();
});

it.each([
  ['application/json', true],
  ['Application/JSON; charset=utf-8', true],
  ['application/problem+json;profile="x"', true],
  ['text/json', true],
  ['application/jsonp', false],
  ['json', false],
  ['', false],
])('the media type %s is JSON: %s', (type, expected) => {
  expect(isJsonMediaType(answer(type === '' ? [] : [['content-type', type]]))).toBe(expected);
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  ['', undefined],
  ['<html>', undefined],
])('the body %j is parsed as %j', (text, value) => {
  const read = answer([], text);
  expect(json(read)).toEqual(value);
  expect(json(read)).toBe(json(read));
});

it('JSON that is nested too deep is not parsed and says so, but brackets in a string do not count', () => {
  const nested = (depth: number) => answer([], `${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);
  expect(explainUnread(nested(250))).toBeUndefined();
  expect(json(nested(250))).toBeDefined();
  expect(explainUnread(nested(251))).toBe('JSON nested deeper than the 500 levels that are read');
  expect(json(nested(100_000))).toBeUndefined();
  const text = answer([], JSON.stringify('[{\\"'.repeat(5_000)));
  expect([explainUnread(text), typeof json(text)]).toEqual([undefined, 'string']);
});

it('a body that is longer than its read part says so', () => {
  expect(explainUnread({ ...answer([], '{}'), truncated: true })).toContain(`${bodyLimit} bytes`);
  expect(explainUnread(answer([], 'no JSON'))).toBeUndefined();
});

it.each([
  [{ toString: null, valueOf: 1 }, '{"toString":null,"valueOf":1}'],
  [[{ toString: 1 }], '[{"toString":1}]'],
  [undefined, 'undefined'],
])('%j is rendered as text whatever its members are called', (value, text) => {
  expect(asText(value)).toBe(text);
});

it('a Retry-After is read in seconds or as a date; a date past, anything else and none ask for no wait', () => {
  const read = (value: string) => retryAfterMs(answer([['retry-after', value]]));
  expect(read('120')).toBe(120_000);
  const inAMinute = read(new Date(Date.now() + 60_000).toUTCString());
  expect(inAMinute).toBeGreaterThan(57_000);
  expect(inAMinute).toBeLessThanOrEqual(60_000);
  for (const value of ['Wed, 21 Oct 2015 07:28:00 GMT', 'soon', '', '-5', '1.5', '9'.repeat(400)])
    expect([value, read(value)]).toEqual([value, 0]);
  expect([answer([['X-RateLimit-Reset', '5']]), undefined].map(retryAfterMs)).toEqual([0, 0]);
});

const skews = [[600_000, 600_000] as const, [-600_000, -600_000] as const, [0, 86_400_000] as const];
it.each(skews)(
  'a time to wait until is read by a clock that is %i ms ahead, with a Date that is %i ms ahead',
  (skewMs, datedMs) => {
    const at = (ms: number) => new Date(Date.now() + ms).toUTCString();
    const limited = (name: string, value: string) =>
      answer([
        ['Date', at(datedMs)],
        [name, value],
      ]);
    const resetSeconds = Math.ceil((Date.now() + skewMs) / 1_000) + 30;
    const waits = [
      retryAfterMs(limited('Retry-After', at(skewMs + 30_000))),
      limitResetMs(limited('X-RateLimit-Reset', String(resetSeconds))) ?? 0,
    ];
    expect(waits.map((ms) => Math.round(ms / 10_000))).toEqual([3, 3]);
  },
);

it.each([
  ['latin1', 'application/json', undefined],
  ['latin1', 'application/json; charset="UTF-8"', undefined],
  ['latin1', 'application/json; charset=iso-8859-1', { name: '\ufffd' }],
  ['utf8', 'application/json', { name: 'é' }],
] as const)('a body in %s that is announced as %s is JSON only as UTF-8', (encoding, type, value) => {
  const head = { statusCode: 200, statusMessage: 'OK', rawHeaders: ['Content-Type', type], rawTrailers: [] };
  expect(json(toAnswer(head, Buffer.from('{"name":"é"}', encoding)))).toEqual(value);
});
