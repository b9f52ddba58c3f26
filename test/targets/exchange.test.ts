import { expect, it } from 'vitest';
import {
  type Answer,
  header,
  headerValues,
  isJsonMediaType,
  isObject,
  json,
} from '../../targets/exchange.js';

const answer = (headers: Answer['headers'], text = ''): Answer => ({
  status: 200,
  headers,
  text,
  truncated: false,
});

it('header names are compared without regard to case, and repetitions are kept', () => {
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
  ['application/vnd.acme.v2+json', true],
  ['text/json', true],
  ['text/html', false],
  ['application/jsonp', false],
  ['application/xml', false],
  ['application/json-seq', false],
  ['json', false],
  ['', false],
])('the media type %s is JSON: %s', (type, expected) => {
  expect(isJsonMediaType(answer([['content-type', type]]))).toBe(expected);
});

it('an answer without a media type is not announced as JSON', () => {
  expect(isJsonMediaType(answer([]))).toBe(false);
});

it.each([
  ['{"a":1}', { a: 1 }],
  ['null', null],
  [' [1] ', [1]],
  ['', undefined],
  ['{"a":', undefined],
  ['<html>', undefined],
])('the body %j is %j', (text, value) => {
  const read = answer([], text);
  expect(json(read)).toEqual(value);
  expect(json(read)).toBe(json(read));
});

it.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  ['a', false],
  [undefined, false],
] as const)('%j is an object: %s', (value, expected) => {
  expect(isObject(value)).toBe(expected);
});
