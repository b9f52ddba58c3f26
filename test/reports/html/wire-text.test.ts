import { describe, expect, it } from 'vitest';
import { findJsonMembers, renderResponse } from '../../../reports/html/wire-text.js';
import type { Mismatch } from '../../../spec/mismatch.js';

type Response = Parameters<typeof renderResponse>[0];

function marked(mismatch: Mismatch, response: Partial<Response>) {
  const whole = { status: 200, headers: [], body: '', truncated: false, ...response };
  const { parts } = renderResponse(whole, mismatch);
  return parts.filter((part) => part.marked).map(({ text }) => text.trim());
}

const code410 = { wrong: 'rule', fields: ['error.code'] } as const;

describe('the parts of a response that a violation is about are marked', () => {
  const body = '{"error":{"code":"410","message":"code"},"data":{"limit": 7,"list":[{"other":1}]}}';
  const headers = [
    ['Date', 'now'],
    ['Content-Type', 'text/html'],
    ['x-ratelimit-limit', '20'],
    ['Retry-After', 'soon'],
  ] as const;

  it.each<readonly [string, Mismatch, readonly string[]]>([
    ['a wrong status', { wrong: 'status', due: [404] }, ['410']],
    ['the code of an event', { wrong: 'status', due: [429], event: 502 }, ['"code": "410"']],
    ['the media type', { wrong: 'form' }, ['Content-Type: text/html']],
    ['headers that begin alike', { wrong: 'rule', fields: ['X-RateLimit-*'] }, ['x-ratelimit-limit: 20']],
    ['a header', { wrong: 'rule', fields: ['Retry-After'] }, ['Retry-After: soon']],
    ['a member by its path', code410, ['"code": "410"']],
    [
      'members of data by their names',
      { wrong: 'value', fields: ['limit', 'list'] },
      ['"limit": 7', '"list"'],
    ],
    ['a member of an array', { wrong: 'shape', fields: ['list.0.other'] }, ['"other": 1']],
    ['the object that lacks a member', { wrong: 'shape', fields: ['error.metadata'] }, ['"error"']],
    ['data that lacks a member', { wrong: 'shape', fields: ['label'] }, ['"data"']],
    ['nothing for a header that is missing', { wrong: 'header', fields: ['X-Other'] }, []],
  ])('%s', (_words, mismatch, parts) => {
    expect(marked(mismatch, { status: 410, headers, body })).toEqual(parts);
  });

  it.each([
    ['{"a":[1,{}, []],"b":"{,:"}', '{\n  "a": [\n    1,\n    {},\n    []\n  ],\n  "b": "{,:"\n}'],
    ['{"n":1.0,"n":12345678901234567890}', '{\n  "n": 1.0,\n  "n": 12345678901234567890\n}'],
    ['{"code" :\n 1', '{"code" :\n 1'],
    ['data: {"a":1}\n\n', 'data: {"a":1}\n\n'],
  ])('JSON is indented token by token, and nothing else is changed: %s', (body, shown) => {
    const response = { status: 200, headers: [['A-B', 'c']] as const, body, truncated: false };
    const { parts } = renderResponse(response, { wrong: 'shape', fields: ['a', 'n'] });
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
