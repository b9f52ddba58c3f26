import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { HarSplitter } from '../../recordings/har.js';
import { type RecordingItem, readRecording } from '../../recordings/read-recording.js';
import { makeEntry, makeHar, makeKeyData, readKey, remove, writeRecording } from './recorded.js';

async function read(content: string | Buffer, name = 'traffic'): Promise<readonly RecordingItem[]> {
  const items: RecordingItem[] = [];
  for await (const item of readRecording(writeRecording(name, content))) items.push(item);
  return items;
}

function summarize(items: readonly RecordingItem[]): readonly unknown[] {
  return items.map((item) =>
    item.kind === 'exchange' ? item.exchange.answer?.status : `${item.kind}: ${item.why}`,
  );
}

async function readAnswer(content: string): Promise<unknown> {
  const [item] = await read(content);
  return item?.kind === 'exchange' ? item.exchange.answer?.text : item;
}

const two = makeHar([makeEntry(readKey({ body: makeKeyData() })), makeEntry(remove({ status: 204 }))]);
const makeLine = (more: object, status = 200) =>
  JSON.stringify({
    request: { method: 'GET', url: 'http://x.test/v1/key' },
    response: { status, body: '{}', ...more },
  });

it.each<readonly [string, string | Buffer]>([
  ['a HAR', two],
  ['an indented HAR', JSON.stringify(JSON.parse(two), null, 2)],
  ['a HAR whose log is not the first member', JSON.stringify({ about: 'x', ...JSON.parse(two) })],
  ['a HAR with a byte order mark', `\uFEFF${two}`],
  ['a compressed HAR', gzipSync(two)],
  ['lines', `${makeLine({})}\n\r\n${makeLine({}, 204)}\r\n`],
  ['lines with a byte order mark and no final newline', `\uFEFF${makeLine({})}\n${makeLine({}, 204)}`],
  ['compressed lines', gzipSync(`${makeLine({})}\n${makeLine({}, 204)}`)],
  ['lines compressed singly', Buffer.concat([gzipSync(`${makeLine({})}\n`), gzipSync(makeLine({}, 204))])],
  ['lines whose first member is unknown', `{"gateway":1,${makeLine({}).slice(1)}\n${makeLine({}, 204)}`],
])('%s is recognized by its content', async (_, content) => {
  expect(summarize(await read(content))).toEqual([200, 204]);
});

it('a compressed HAR that breaks off is reported, however short it is', async () => {
  const packed = gzipSync(Buffer.concat([Buffer.from(two), Buffer.alloc(100_000, ' ')]), { level: 0 });
  expect(summarize(await read(packed.subarray(0, 70_000)))).toEqual([
    200,
    204,
    expect.stringMatching(/^broken: .*Z_BUF_ERROR/),
  ]);
  expect(summarize(await read(gzipSync(two).subarray(0, -9))).at(-1)).toMatch(/^broken: /);
});

it('a line or an element that is not valid JSON is reported, and the others are read', async () => {
  const element = two.replace('"entries":[', '"entries":[{"request":nothing},');
  expect(summarize(await read(element))).toEqual(['broken: log.entries[0] is not valid JSON', 200, 204]);
  const items = await read(`${makeLine({})}\n{"request":\n${makeLine({}, 204)}\n{"req`);
  const broken = [2, 4].map((line) => `broken: line ${line} is not valid JSON`);
  expect(summarize(items)).toEqual([200, broken[0], 204, broken[1]]);
  expect(items[1]).toMatchObject({ byte: makeLine({}).length + 1 });
});

describe('entries of a wrong type', () => {
  const good = makeEntry(readKey({ body: makeKeyData() }));
  it.each([
    ['null', 'it is not an object'],
    ['{}', 'it has no request'],
    ['{"request":{"method":"GET","url":1}}', 'request.url is not a string'],
    [
      '{"request":{"method":"GET","url":"x","headers":{"a":5}}}',
      'request.headers must be an array of pairs, or an object of strings',
    ],
  ])('the error of the line %s says what is wrong in it', async (line, why) => {
    expect(summarize(await read(`{"request":{"method":"GET","url":"x"}}\n${line}`))).toEqual([
      undefined,
      `skipped: ${why}`,
    ]);
  });

  it.each<readonly [string, unknown]>([
    ['nothing', null],
    ['a text', 'GET /key'],
    ['an object without a request', { response: { status: 200 } }],
    ['an object with a number as its method', { request: { method: 1, url: 'x' } }],
    ['an object with a text as its status', { ...good, response: { status: '200' } }],
    ['an object with a fraction as its status', { ...good, response: { status: 200.5 } }],
    ['an object with an object as its body', { ...good, response: { status: 200, content: { text: {} } } }],
    ['numbers as header values', { ...good, response: { status: 200, headers: [{ name: 'a', value: 1 }] } }],
  ])('an entry that is %s is skipped and reported', async (_, wrong) => {
    const items = summarize(await read(makeHar([wrong as object, good])));
    expect(items).toEqual([expect.stringMatching(/^skipped: /), 200]);
  });

  it('times, sizes and unused members may be of any type', async () => {
    const unused = { timings: [], cache: null, __proto__: { a: 1 }, _x: {} };
    const odd = { ...good, startedDateTime: 1, time: 'x', ...unused };
    expect(summarize(await read(makeHar([odd])))).toEqual([200]);
    const withProto = JSON.stringify(good).replace('{', '{"__proto__":{"x":1},');
    expect(summarize(await read(`{"log":{"entries":[${withProto}]}}`))).toEqual([200]);
  });

  it('nesting of any depth in or beside a body is accepted', async () => {
    const deep = '['.repeat(150_000) + ']'.repeat(150_000);
    const beside = JSON.stringify(good).replace('{', `{"_deep":${deep},`);
    expect(summarize(await read(`{"log":{"entries":[${beside}]}}`))).toEqual([200]);
    expect(await readAnswer(makeHar([makeEntry(readKey({ body: deep }))]))).toBe(deep);
  });
});

describe('recorded bodies', () => {
  const text = JSON.stringify({ data: 'ü' });
  const makeContent = (more: object, headers: object[] = []) => {
    const response = { status: 200, headers, content: { size: 9, ...more } };
    return makeHar([makeEntry(readKey({ raw: { response } }))]);
  };
  const makeCoding = (coding: string) => [{ name: 'Content-Encoding', value: coding }];
  const encodeBase64 = (bytes: Buffer) => ({ text: bytes.toString('base64'), encoding: 'base64' });

  it.each([
    ['as text', makeContent({ text })],
    ['as decoded text', makeContent({ text }, makeCoding('gzip'))],
    ['in base64', makeContent(encodeBase64(Buffer.from(text)))],
    ['in base64, already decoded', makeContent(encodeBase64(Buffer.from(text)), makeCoding('br'))],
    ['compressed by gzip', makeContent(encodeBase64(gzipSync(text)), makeCoding('gzip'))],
    ['compressed by gzip without saying so', makeContent(encodeBase64(gzipSync(text)))],
    ['compressed by brotli', makeContent(encodeBase64(brotliCompressSync(text)), makeCoding('br'))],
    ['on a line', makeLine({ body: text })],
    ['on a line in base64', makeLine({ body: null, body_base64: Buffer.from(text).toString('base64') })],
    ['on a line, compressed', makeLine({ body_base64: gzipSync(text).toString('base64') })],
  ])('a body is read that is recorded %s', async (_, recording) => {
    expect(await readAnswer(recording)).toBe(text);
  });

  it.each([
    ['left out', makeContent({ text: undefined })],
    ['left out, its length unknown', makeContent({ text: undefined, size: -1 })],
    ['compressed by zstd', makeContent(encodeBase64(Buffer.from('28b52ffd', 'hex')), makeCoding('zstd'))],
    ['compressed and recorded as text', makeContent({ text: '\u001f\ufffd\b' })],
    ['of an unknown encoding', makeContent({ text: 'x', encoding: 'rot13' })],
    ['not recorded on a line', makeLine({ body: undefined })],
  ])('a body is missing that is %s', async (_, recording) => {
    const [item] = await read(recording);
    expect(item).toMatchObject({ kind: 'exchange', exchange: { lacksBody: true } });
  });

  it('a long body is cut, and one that decompresses without end is dropped', async () => {
    const [long] = await read(makeContent({ text: 'x'.repeat(1_200_000) }));
    expect(long).toMatchObject({ exchange: { answer: { truncated: true } } });
    const [bomb] = await read(makeContent(encodeBase64(gzipSync(Buffer.alloc(30_000_000)))));
    expect(bomb).toMatchObject({ exchange: { lacksBody: true } });
  });

  it('pseudo-headers of HTTP/2 are not header fields', async () => {
    const headers = [':status', 'x'].map((name) => ({ name, value: '1' }));
    const [item] = await read(makeContent({ text }, headers));
    expect(item).toMatchObject({ exchange: { answer: { headers: [['x', '1']] } } });
  });
});

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
  expect(split('{"log":{"entries":[{}],"entries":[{}]}}', 3)).toMatchObject({
    texts: ['{}', '{}'],
    end: undefined,
  });
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
