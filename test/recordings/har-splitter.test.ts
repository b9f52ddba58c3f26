import { expect, it } from 'vitest';
import { HarSplitter } from '../../recordings/har.js';

function split(text: string, length: number, longest = 1_000) {
  const splitter = new HarSplitter(longest);
  const bytes = Buffer.from(text);
  const texts: (string | undefined)[] = [];
  const offsets: number[] = [];
  for (let at = 0; at < bytes.length; at += length) {
    for (const piece of splitter.push(bytes.subarray(at, at + length))) {
      texts.push(piece.text);
      offsets.push(piece.offset);
    }
  }
  return { texts, offsets, end: splitter.end() };
}

const strings = ['', '"', '\\', '\\"', '\\\\', '}]', '{"entries":[', 'ü€😀', '\u0000\n\t', '\\u0022'];
const entries = [
  { request: strings, n: [1, [2, { a: {} }]] },
  { __proto__: null, log: { entries: [{ log: 1 }] } },
  ...strings.map((text) => ({ [text]: text })),
];
const others = { version: '1.2', creator: { name: 'x', entries: [1, 2] }, pages: [{ log: {} }, '"entries"'] };

it.each([1, 2, 3, 5, 7, 64, 4_096])('an element is whole in chunks of %s bytes', (length) => {
  for (const space of [undefined, 2]) {
    const log = { ...others, entries, last: [{}] };
    const text = JSON.stringify({ a: { entries: [0] }, log, z: 1 }, null, space);
    const { texts, offsets, end } = split(text, length);
    expect(texts.map((piece) => JSON.parse(piece ?? ''))).toEqual(JSON.parse(JSON.stringify(entries)));
    const bytes = Buffer.from(text);
    expect(offsets.map((at) => bytes.toString('latin1', at, at + 1))).toEqual(entries.map(() => '{'));
    expect(end).toBeUndefined();
  }
});

it('an empty array, and a HAR without one, have no elements', () => {
  expect(split('{"log":{"entries":[ ]}}', 3)).toMatchObject({ texts: [], end: undefined });
  expect(split('{"log":{}}', 3).end?.why).toContain('no log.entries');
  expect(split('{"entries":[{}]}', 3).texts).toEqual([]);
});

it('an element that is too long is skipped, and the next one is whole', () => {
  const { texts, end } = split(`{"log":{"entries":[{"a":"${'x'.repeat(5_000)}"},{"b":1}]}}`, 100);
  expect([texts, end]).toEqual([[undefined, '{"b":1}'], undefined]);
});

it.each([
  ['in an element', '{"log":{"entries":[{"a":1},{"b":"x', 'in log.entries[1]', 1],
  ['between elements', '{"log":{"entries":[{"a":1},', 'after 1 entries', 1],
  ['after the array', '{"log":{"entries":[{"a":1}]', 'after 1 entries', 1],
  ['before the array', '{"log":{"pa', 'after 0 entries', 0],
])('the error says where a file breaks off that ends %s', (_, text, where, whole) => {
  const { texts, end } = split(text, 4);
  expect(texts).toHaveLength(whole);
  expect(end).toEqual({ offset: text.length, why: `it breaks off ${where}` });
});

it.each([
  ['{"log":{"entries":[{"a":1}{"b":1}]}}', 26, 'a comma is missing after log.entries[0]'],
  ['{"log":{"entries":[{"a":1}]}}{', 29, 'something follows its end'],
  ['{"log":{"entries":[{"a":1}]}}]', 29, 'a bracket closes that was never opened'],
])('%s is reported as broken at byte %s', (text, offset, why) => {
  expect(split(text, 5).end).toEqual({ offset, why });
});
