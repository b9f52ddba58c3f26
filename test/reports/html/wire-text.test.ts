import { describe, expect, it } from 'vitest';
import { findJsonMembers, findMarks, renderResponse } from '../../../reports/html/wire-text.js';
import { sampleFailure } from '../sample-report.js';

function marked(expected: string, actual: string, response: Partial<Parameters<typeof renderResponse>[0]>) {
  const failure = sampleFailure('auth.bearer', { expected, actual });
  const whole = { status: 200, headers: [], body: '', truncated: false, ...response };
  const { parts } = renderResponse(whole, findMarks(failure));
  return parts.filter((part) => part.marked).map(({ text }) => text.trim());
}

describe('the parts of a response that a violation names are marked', () => {
  it.each([
    ['404', '204', { status: 204 }, ['204']],
    ['a status that the document names', 'the status 410 is not documented', { status: 410 }, ['410']],
    [
      'error.code equal to the HTTP status',
      'error.code is 403 while the status is 404',
      { status: 404 },
      ['404'],
    ],
    ['404', '2040 bytes', { status: 204 }, []],
    ['data.id 200', 'data.id 200.5', { status: 200 }, []],
  ])('status: %s, %s', (expected, actual, response, parts) => {
    expect(marked(expected, actual, response)).toEqual(parts);
  });

  it.each([
    ['a JSON media type', 'the media type text/html', 'Content-Type: text/html'],
    ['no X-RateLimit header on a success', 'X-RateLimit-Limit', 'x-ratelimit-limit: 20'],
    ['a number of seconds or an HTTP date', 'Retry-After: soon', 'Retry-After: soon'],
  ])('header: %s', (expected, actual, line) => {
    const [name = '', value = ''] = line.split(': ');
    const headers = [
      ['Date', 'now'],
      [name, value],
    ] as const;
    expect(marked(expected, actual, { headers })).toEqual([line]);
  });

  it.each([
    ['an integer', 'error.code must be integer', ['"code": "410"']],
    ['limit 5, code "409"', 'limit 7, code "410"', ['"code": "410"', '"limit": 7']],
    ['what §2.1 says of the field', 'data.list must be null', ['"list"']],
    ['data.code', 'no such member', []],
    ['what §2.4 says', 'error.metadata is missing', ['"error"']],
  ])('member: %s, %s', (expected, actual, parts) => {
    const body = '{"error":{"code":"410","message":"code"},"data":{"limit": 7,"list":[{"other":1}]}}';
    expect(marked(expected, actual, { body })).toEqual(parts);
  });

  it.each([
    ['{"a":[1,{}, []],"b":"{,:"}', '{\n  "a": [\n    1,\n    {},\n    []\n  ],\n  "b": "{,:"\n}'],
    ['{"n":1.0,"n":12345678901234567890}', '{\n  "n": 1.0,\n  "n": 12345678901234567890\n}'],
    ['{"code" :\n 1', '{"code" :\n 1'],
    ['data: {"a":1}\n\n', 'data: {"a":1}\n\n'],
  ])('JSON is indented token by token, and nothing else is changed: %s', (body, shown) => {
    const response = { status: 200, headers: [['A-B', 'c']] as const, body, truncated: false };
    const { parts } = renderResponse(response, findMarks(sampleFailure('auth.bearer', { actual: 'a 1' })));
    expect(parts.map(({ text }) => text).join('')).toBe(`200\nA-B: c\n\n${shown}`);
  });
});

describe('members of a JSON text', () => {
  const paths = (text: string) => findJsonMembers(text).map(({ path }) => path);

  it('are found by the names that lead to them', () => {
    expect(paths('{"a":{"b":[{"c":1},{"c":"x:y"}]},"d":null}')).toEqual(['a', 'a.b', 'a.b.c', 'a.b.c', 'd']);
  });

  it('are found in what is cut short, and in the lines of a stream', () => {
    expect(paths('{"a":{"b":"c')).toEqual(['a', 'a.b']);
    expect(paths('data: {"error":{"code":502}}\n\ndata: [DONE]')).toEqual(['error', 'error.code']);
  });

  it('are not found in a text that is not JSON', () => {
    expect(paths('<html>"a": 1</html>')).toEqual([]);
    expect(paths('}}]]"a":')).toEqual([]);
  });
});
