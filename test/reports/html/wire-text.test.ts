import { describe, expect, it } from 'vitest';
import { renderResponse } from '../../../reports/html/wire-text.js';
import type { Mismatch } from '../../../spec/report.js';

describe('the parts of a response that a violation is about are marked', () => {
  const json = '{"error":{"code":"410","message":"code"},"data":{"limit": 7,"list":[{"other":1}]}}';
  const headers = [
    ['Date', 'now'],
    ['Content-Type', 'text/html'],
    ['x-ratelimit-limit', '20'],
    ['Retry-After', 'soon'],
  ] as const;
  const code = { wrong: 'rule', fields: ['error.code'] } as const;
  const members = { wrong: 'value', fields: ['limit', 'list'] } as const;

  it.each<readonly [string, Mismatch, readonly string[]]>([
    ['a wrong status', { wrong: 'status', due: [404] }, ['410']],
    ['the code of an event', { wrong: 'status', due: [429], event: 502 }, ['"code": "410"']],
    ['the media type', { wrong: 'form' }, ['Content-Type: text/html']],
    ['headers that begin alike', { wrong: 'rule', fields: ['X-RateLimit-*'] }, ['x-ratelimit-limit: 20']],
    ['a header', { wrong: 'rule', fields: ['Retry-After'] }, ['Retry-After: soon']],
    ['a member by its path', code, ['"code": "410"']],
    ['members of data by their names', members, ['"limit": 7', '"list"']],
    ['a member of an array', { wrong: 'shape', fields: ['list.0.other'] }, ['"other": 1']],
    ['the object that lacks a member', { wrong: 'shape', fields: ['error.metadata'] }, ['"error"']],
    ['data that lacks a member', { wrong: 'shape', fields: ['label'] }, ['"data"']],
    ['nothing for a header that is missing', { wrong: 'header', fields: ['X-Other'] }, []],
  ])('%s', (_words, mismatch, marked) => {
    expect(findMarked(json, mismatch)).toEqual(marked);
  });

  it.each([
    ['{"a":[{"code":1}],"error":{"code":"41', ['"code":"41']],
    ['data: {"error":{"code":502}}\n\ndata: [DONE]', ['"code":502']],
    ['<html>"error": {"code"} }}]]"error":', []],
  ])('in what is cut short, a stream, or not JSON: %s', (body, marked) => {
    expect(findMarked(body, code)).toEqual(marked);
  });

  it('as far as it is shown, where its end is cut off', () => {
    const [marked, ...others] = findMarked(`{"data":{"label":"${'x'.repeat(5_000)}"}}`, {
      wrong: 'shape',
      fields: ['label'],
    });
    expect(marked).toMatch(/^"label": "x{3900,4000}$/);
    expect(others).toEqual([]);
  });

  function findMarked(body: string, mismatch: Mismatch): readonly string[] {
    const { parts } = renderResponse({ status: 410, headers, body, truncated: false }, mismatch);
    return parts.flatMap((part) => (part.marked ? [part.text.trim()] : []));
  }
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

it('a body of many levels is rendered without computing paths beyond what is shown', () => {
  const levels = 16_000;
  const body = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const start = performance.now();
  const { parts, more } = renderResponse(
    { status: 200, headers: [], body, truncated: false },
    { wrong: 'shape', fields: ['a'] },
  );
  expect(performance.now() - start).toBeLessThan(3_000);
  expect(parts.filter(({ marked }) => marked).map(({ text }) => text)).toEqual(['"a"']);
  expect(more).toBeGreaterThan(1_000_000);
});
