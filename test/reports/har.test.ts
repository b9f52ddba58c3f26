import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fullFormats from 'ajv-formats/dist/formats.js';
import type { Entry, Har } from 'har-format';
import { expect, test } from 'vitest';
import { renderHar } from '../../reports/har.js';
import type { KeptExchange, Traffic } from '../../spec/journal.js';
import { bigTraffic } from './big-report.js';
import { everyHostileText, hostileTexts, hostileTraffic } from './hostile-report.js';
import { sampleFailure, sampleReport } from './sample-report.js';

const require = createRequire(import.meta.url);
const schemas = join(dirname(require.resolve('har-schema/package.json')), 'lib');

function harValidator() {
  const ajv = new Ajv({ strict: false });
  formats.default(ajv);
  ajv.addMetaSchema(require('ajv/dist/refs/json-schema-draft-06.json'));
  for (const name of readdirSync(schemas).filter((file) => file.endsWith('.json')))
    ajv.addSchema(JSON.parse(readFileSync(join(schemas, name), 'utf8')));
  const validate = ajv.getSchema('har.json#');
  if (validate === undefined) throw new Error('The schema of HAR was not found.');
  return validate;
}

const validate = harValidator();

function rendered(traffic: Traffic): Har {
  const value: unknown = JSON.parse(renderHar(sampleReport(), traffic));
  expect(validate(value), JSON.stringify(validate.errors)?.slice(0, 1_000)).toBe(true);
  return value as Har;
}

const [answered, lost] = sampleFailure('auth.bearer').exchanges;

function kept(changes: Partial<KeptExchange> = {}): KeptExchange {
  if (answered === undefined) throw new Error('The sample has no exchange.');
  return { ...answered, check: 'auth.bearer', label: 'DELETE own/stored as member', ...changes };
}

function entryOf(exchange: KeptExchange): Entry {
  const [entry] = rendered({ exchanges: [exchange], sent: 1 }).log.entries;
  if (entry === undefined) throw new Error('The log is empty.');
  return entry;
}

test.each<readonly [string, Traffic]>([
  ['of nothing', { exchanges: [], sent: 0 }],
  ['of a few exchanges', { exchanges: [kept(), kept({ check: null })], sent: 2 }],
  ['of a hostile server', hostileTraffic()],
  ['of much', bigTraffic()],
])('a log %s is HAR 1.2 by the published schema', (_what, traffic) => {
  const { log } = rendered(traffic);
  expect(log.version).toBe('1.2');
  expect(log.creator).toEqual({ name: 'plumbline-conformance', version: '0.1.0' });
  expect(log.entries).toHaveLength(traffic.exchanges.length);
  const { length } = traffic.exchanges;
  const amounts = `${traffic.sent.toLocaleString('en')} requests sent, ${length.toLocaleString('en')} kept here`;
  expect(log.comment).toBe(`conformant, seed -77: ${amounts}. Secrets are replaced by their names.`);
});

test('the published schema refuses an invalid log', () => {
  const { log } = rendered({ exchanges: [kept()], sent: 1 });
  const [entry] = log.entries;
  const broken = { ...entry, request: { ...entry?.request, url: 'http://h/%ZZ' } };
  expect(validate({ log: { ...log, entries: [broken] } })).toBe(false);
});

const named = (name: string, value: string) => ({ name, value });

test('an entry shows what was sent and what came back, headers in order and with their repetitions', () => {
  const mimeType = 'application/json';
  const same = ['X-Same', '1'] as const;
  const headers = [['Content-Type', mimeType] as const, same, ['x-same', '2'] as const, same];
  const request = { method: 'POST', url: 'http://127.0.0.1:4010/v1/key?a=b&a=c', headers, body: '{"a":1}' };
  const moved = [...headers, ['LOCATION', '/x'] as const];
  const response = { status: 301, headers: moved, body: 'é', truncated: false };
  const inOrder = headers.map(([name, value]) => named(name, value));
  const always = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 };
  expect(entryOf(kept({ request, response }))).toEqual({
    startedDateTime: '2030-04-05T06:07:09Z',
    time: 4,
    request: {
      ...{ ...always, method: 'POST', url: request.url, headers: inOrder },
      queryString: [named('a', 'b'), named('a', 'c')],
      postData: { mimeType, text: '{"a":1}' },
    },
    response: {
      ...{ ...always, status: 301, statusText: '', headers: [...inOrder, named('LOCATION', '/x')] },
      content: { size: 2, mimeType, text: 'é' },
      redirectURL: '/x',
    },
    cache: {},
    timings: { send: 0, wait: 4, receive: 0 },
    comment: 'auth.bearer: DELETE own/stored as member',
  });
});

test('an entry shows a request without a body, an answer without a media type, one that is cut, a lost one', () => {
  const { request, response } = entryOf(kept());
  expect(request).not.toHaveProperty('postData');
  expect(request.bodySize).toBe(0);
  const mimeType = 'x-unknown';
  expect(response.content).toEqual({ size: 0, mimeType, text: '' });
  const cut = { status: 200, headers: [], body: 'beginning', truncated: true };
  const content = { size: -1, mimeType, text: 'beginning', comment: 'only the beginning is kept' };
  expect(entryOf(kept({ response: cut })).response.content).toEqual(content);
  expect(entryOf(kept({ ...lost, check: null }))).toMatchObject({
    response: { status: 0, headers: [], _error: 'no answer within 10 s' },
    comment: 'setup or positive control: DELETE own/stored as member; lost: no answer within 10 s',
    time: 10_000,
  });
});

test('hostile text is inert in the file, and reads back as it came', () => {
  const traffic = hostileTraffic();
  const json = renderHar(sampleReport(), traffic);
  expect(json).not.toMatch(/[^\P{C}\n]|[\p{Zl}\p{Zp}]/u);
  const { entries } = (JSON.parse(json) as Har).log;
  expect(entries.map(({ response }) => response.status)).toEqual(expect.arrayContaining([0, 204, 500]));
  for (const { request, response } of entries) {
    const texts = [request.headers[0]?.name, request.headers[0]?.value, response.content.text];
    const lost = '_error' in response ? response._error : undefined;
    expect(texts.filter((text) => text !== undefined)).toEqual(expect.arrayContaining([everyHostileText]));
    expect([undefined, everyHostileText]).toContain(lost);
  }
});

test('a long body is kept whole', () => {
  const body = everyHostileText.repeat(1_000);
  const exchange = kept({ response: { status: 200, headers: [], body, truncated: false } });
  expect(entryOf(exchange).response.content.text === body).toBe(true);
});

const { uri } = fullFormats.fullFormats;
const isUri = (text: string): boolean => typeof uri === 'function' && uri(text);

function requestTo(url: string): Entry['request'] {
  const exchange = kept();
  return entryOf({ ...exchange, request: { ...exchange.request, url } }).request;
}

const uris = [
  'http://127.0.0.1:4010/v1/key',
  'https://user@[::1]:8443/v1/vault/interns/own/secrets/a.b~c?a=b&c=%C3%A9',
  'http://example.com?x',
  'http://127.0.0.1:4010/v1/a//../%2e/;x=1',
];
test.each<readonly [sent: string, url: string]>([
  ...uris.map((sent) => [sent, sent] as const),
  ['http://h/%ZZ/%4/%', 'http://h/%25ZZ/%254/%25'],
  ['http://h/é 😀|[x]#y', 'http://h/%C3%A9%20%F0%9F%98%80%7C%5Bx%5D%23y'],
  ['http://h/a\u0000\r\n\\"<', 'http://h/a%00%0D%0A%5C%22%3C'],
  ['http://h/\ud800', 'http://h/%EF%BF%BD'],
  ['http://h ost/x', 'about:invalid'],
  ['/v1/key', 'about:invalid'],
  ['javascript:alert(1)', 'about:invalid'],
  ['', 'about:invalid'],
])('the address of a request is a URI, as it was sent where that is one: %j', (sent, url) => {
  const request = requestTo(sent);
  expect([request.url, isUri(url)]).toEqual([url, true]);
  expect('_url' in request ? request._url : undefined).toBe(url === sent ? undefined : sent);
});

test('the address of a request is a URI whatever the text', () => {
  const ofTexts = Object.values(hostileTexts).flatMap((text) =>
    [text, `http://${text}/`, `http://h/${text}`, `http://h?${text}`, `http://h:${text}`].map((url) => ({
      ...kept(),
      request: { ...kept().request, url },
    })),
  );
  const { entries } = rendered({ exchanges: ofTexts, sent: 1 }).log;
  expect(entries.filter(({ request }) => !isUri(request.url))).toEqual([]);
});

test('the address of a request has its query in pairs, decoded where that can be done', () => {
  expect(requestTo('http://h/p?a=b%20c&a=&=x&flag&&e=f=g&bad=%ZZ&%C3%A9=+').queryString).toEqual([
    ...[named('a', 'b c'), named('a', ''), named('', 'x'), named('flag', '')],
    ...[named('e', 'f=g'), named('bad', '%ZZ'), named('é', '+')],
  ]);
  expect(requestTo('http://h/p').queryString).toEqual([]);
  expect(requestTo('http://h/p?').queryString).toEqual([]);
});
