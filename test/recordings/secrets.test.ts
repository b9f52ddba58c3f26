import { expect, it } from 'vitest';
import {
  type ExchangeSpec,
  judgeRecording,
  makeEntry,
  makeEnvelope,
  makeHar,
  makeKeyData,
  observe,
  readKey,
  writeRecording,
} from './recorded.js';

const secrets = {
  Authorization: 'sk-or-v1-9d8c7b6a5e4f',
  'x-api-key': 'ak_7d6e5f4c3b2a1098',
  Cookie: 's3ss10n-0f-s0mebody',
  'proxy-authorization': Buffer.from('user:pa55word-of-proxy').toString('base64'),
  'X-Amz-Security-Token': 'tok-0a1b2c3d4e5f6a7b',
};
const carried: Readonly<Record<string, string>> = {
  ...secrets,
  Authorization: `Bearer ${secrets.Authorization}`,
  Cookie: `theme=dark; session=${secrets.Cookie}; other=1`,
  'proxy-authorization': `Basic ${secrets['proxy-authorization']}`,
};
const repeated = [...Object.values(secrets), 'pa55word-of-proxy'].join(' ');

/** An exchange with a violation, whose answer repeats what some request carried. */
const wrong = (spec: ExchangeSpec = {}): ExchangeSpec =>
  readKey({
    status: 401,
    body: makeEnvelope(400, { user_id: repeated }, { message: encodeURIComponent(repeated) }),
    headers: { 'Set-Cookie': 'id=s3ss10n-0f-s0mebody; Path=/', 'X-Echo': repeated, 'Retry-After': repeated },
    ...spec,
  });

it.each([
  ['in its own exchange', [wrong({ requestHeaders: carried })]],
  ['before the exchange that shows it', [wrong(), readKey({ requestHeaders: carried, body: makeKeyData() })]],
])('no output contains a secret of a recording %s', async (_, spec) => {
  const { report, failures } = await observe(spec);
  expect(failures.map(({ requirement: id }) => id)).toContain('envelope.error.code-is-status');
  const text = JSON.stringify(report);
  for (const secret of [...Object.values(secrets), 'pa55word-of-proxy']) expect(text).not.toContain(secret);
  expect(text).toContain('$PLUMBLINE_KEY_OBSERVED');
});

it('no output contains a password or a key of an address', async () => {
  const path = 'https://me:pa55word@api.example.test/v1/key?api_key=k3y-in-the-query&x=1';
  const { failures } = await observe([wrong({ path, requestHeaders: carried })]);
  const [failure] = failures;
  expect(JSON.stringify(failures)).not.toMatch(/pa55word@|k3y-in-the-query/);
  expect(failure?.reproduce.curl).toContain('https://api.example.test/v1/key?api_key=<redacted>&x=1');
  expect(failure?.reproduce.curl).toContain('"Authorization: Bearer $PLUMBLINE_KEY_OBSERVED"');
});

it('no output contains what a recorded request stored, or the query of a redirect', async () => {
  const sent = { name: 'a_name', value: 'st0red-by-somebody' };
  const store: ExchangeSpec = { method: 'PUT', path: `/vault/secrets/a_name`, status: 201, sent, body: {} };
  const Location = 'https://app.example.test/?token=t0ken-of-somebody';
  const body = makeEnvelope(400, {}, { message: `${sent.value} of a_name` });
  const { report } = await observe([store, wrong({ headers: { Location }, body })]);
  expect(JSON.stringify(report)).not.toMatch(/st0red-by-somebody|t0ken-of-somebody/);
  expect(JSON.stringify(report)).toContain('of a_name');
});

it.each([
  ['Ocp-Apim-Subscription-Key', '0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
  ['X-Functions-Key', 'Zm9vYmFyYmF6cXV4=='],
  ['X-Auth', 'opens-everything-here'],
  ['X-Amz-Signature', '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7'],
  ['Referer', 'https://app.example.test/?session=4711-0815'],
  ['X-Whatever', 'a value of its own'],
  ['X-Pin', '4711'],
])('no output contains the value of the request header %s', async (header, value) => {
  const body = makeEnvelope(400, { user_id: `you sent ${value} ` }, { message: encodeURIComponent(value) });
  const { report } = await observe([wrong({ requestHeaders: { ...carried, [header]: value }, body })]);
  const text = JSON.stringify(report);
  if (value.length >= 8) expect(text).not.toContain(value);
  expect(text).toContain(JSON.stringify([header, '<redacted>']));
  expect(text).not.toContain(`${header}: ${value}`);
});

it('the headers that every client sends are shown', async () => {
  const shown = { Accept: 'application/json', 'Content-Type': 'text/plain', 'User-Agent': 'some-client/1.0' };
  const { failures } = await observe([wrong({ requestHeaders: { ...carried, ...shown } })]);
  expect(failures[0]?.exchanges[0]?.request.headers).toEqual(
    expect.arrayContaining(Object.entries(shown).map(([name, value]) => [name, value])),
  );
});

it('the base URL is shown although a Referer repeats it', async () => {
  const { report } = await observe([
    wrong(),
    wrong({ path: '/guardrails/x', requestHeaders: { Referer: 'https://api.example.test/v1/key' } }),
  ]);
  expect(report.run.recording?.base_url).toBe('https://api.example.test/v1');
});

it.each(['X-Amz-Signature', 'sig', 'code', 'anything'])('no output holds the parameter %s', async (name) => {
  const value = 'c0ffee0123456789abcdef';
  const { report } = await observe([
    wrong({ path: `/key?${name}=${value}&v=1`, body: makeEnvelope(400, { user_id: value }) }),
  ]);
  expect(JSON.stringify(report)).not.toContain(value);
  expect(JSON.stringify(report)).toContain(`/key?${name}=<redacted>&v=1`);
});

it.each([
  ['a form', 'user=me&password=hunter22&x=1', 'hunter22'],
  ['JSON', JSON.stringify({ user: 'me', access_token: 'a1b2c3d4e5' }), 'a1b2c3d4e5'],
  ['JSON within a text', JSON.stringify({ log: '{"clientSecret": "very-hidden-one"}' }), 'very-hidden-one'],
  ['a text', 'called with sk-live-0a1b2c3d4e5f6071 just now', 'sk-live-0a1b2c3d4e5f6071'],
])('no output contains a secret of a recorded body: %s', async (_title, sent, value) => {
  const repeating = makeEnvelope(400, { user_id: `it was ${value}!` });
  const { report } = await observe([wrong({ method: 'GET', sent, body: repeating })]);
  expect(JSON.stringify(report)).not.toContain(value);
  const answered = await observe([wrong({ body: makeEnvelope(400, { user_id: sent }) })]);
  expect(JSON.stringify(answered.report)).not.toContain(value);
});

const secret = 'hunter2-St0red-991';
const store = (sent: unknown, more: ExchangeSpec = {}): ExchangeSpec => ({
  method: 'PUT',
  path: '/vault/secrets/a_name',
  status: 201,
  sent,
  body: {},
  ...more,
});
const put = { method: 'PUT', url: 'https://api.example.test/v1/vault/secrets/a_name', headers: [] };
const postData = (data: object) => store('', { raw: { request: { ...put, postData: data } } });
const reading = { method: 'GET', url: 'https://api.example.test/v1/key', headers: [] };

type Secret = readonly [what: string, spec: ExchangeSpec, value?: string | number];
const fill = (cases: readonly Secret[], usual: string) =>
  cases.map(([what, spec, value = usual]) => [what, spec, value] as const);

const stored: readonly Secret[] = [
  ['an object', store({ data: { value: secret } })],
  ['an object named secret', store({ secret: { value: secret } })],
  ['a list', store({ values: [secret] })],
  ['a list at the top', store([{ value: secret }])],
  ['a number', store({ value: 9_876_543_210 }), 9_876_543_210],
  ['a text of JSON', store({ value: `{"client_id":"${secret}"}` })],
  ['a form', postData({ text: `name=a_name&value=${secret}` })],
  ['the parameters of a form', postData({ params: [{ name: 'value', value: secret }] })],
  ['a request from a cache', store({ value: secret }, { raw: { _fromCache: 'disk' } })],
  ['a request to another host', store({ value: secret }, { path: 'https://b.test/v1/secrets/a_name' })],
  ['a request whose response cannot be read', store({ value: secret }, { raw: { response: {} } })],
];

it.each(fill(stored, secret))('no output contains a stored value of %s', async (_, spec, value) => {
  const body = makeEnvelope(400, { id: 'a_name' }, { message: `was ${value} of a_name` });
  const { report } = await observe([spec, wrong({ body })]);
  expect(JSON.stringify(report)).not.toContain(String(value));
  expect(JSON.stringify(report)).toContain('of a_name');
});

const credential = 'abcdefgh-0123456789';
const elsewhere = (more: ExchangeSpec) => readKey({ path: 'https://b.test/x', ...more });

const carriedElsewhere: readonly Secret[] = [
  ['the key of another host', elsewhere({ requestHeaders: { Authorization: `Bearer ${credential}` } })],
  ['a cookie of another host', elsewhere({ headers: { 'Set-Cookie': `id=${credential}` } })],
  ['the query of another host', elsewhere({ path: `https://b.test/?access_token=${credential}` })],
  ['a token of another host', elsewhere({ body: { access_token: credential } })],
  [
    'a new key',
    { method: 'POST', path: '/keys', body: { data: {}, key: 'sk-or-v1-0a1b2c3d4e5f' } },
    'sk-or-v1-0a1b2c3d4e5f',
  ],
  [
    'the key of a cached answer',
    readKey({ requestHeaders: { Authorization: `Bearer ${credential}` }, raw: { _fromCache: 'disk' } }),
  ],
  [
    'the header of an entry that cannot be read',
    { raw: { request: { headers: [{ name: 'Authorization', value: `Bearer ${credential}` }] } } },
  ],
  [
    'a cookie outside the headers',
    { raw: { request: { ...reading, cookies: [{ name: 'id', value: credential }] } } },
  ],
  ['a fragment', readKey({ path: `/key#access_token=${credential}` })],
  ['a fragment of a redirect', elsewhere({ headers: { Location: `https://c.test/#code=${credential}` } })],
  ['a number', readKey({ sent: { password: 12_345_678 } }), 12_345_678],
  ['a form with a number', readKey({ sent: 'user=me&password=12345678' }), 12_345_678],
  ['a list', readKey({ sent: { secret: [credential] } })],
  ['an object', readKey({ sent: { token: { v: credential } } })],
  ['a text with blanks', readKey({ sent: { password: 'correct horse battery' } }), 'correct horse battery'],
  ['an authorization', readKey({ sent: { authorization: `Bearer ${credential}` } })],
  ['an authorization in a text', readKey({ sent: `Authorization: Bearer ${credential}` })],
  ['cookies', readKey({ sent: { cookie: `a=b; id=${credential}` } })],
  ['a session, in JSON within a text', readKey({ sent: { log: JSON.stringify({ session: credential }) } })],
  ['a jwt', readKey({ sent: { jwt: credential } })],
  ['a private key', readKey({ sent: { privateKey: credential } })],
  ['parameters with names', readKey({ sent: [{ name: 'API_KEY', value: credential }] })],
];

it.each(fill(carriedElsewhere, credential))('no output contains %s', async (_, spec, value) => {
  const body = makeEnvelope(400, { user_id: `it was ${value}!` });
  const { report, failures } = await observe([spec, wrong({ body })]);
  expect(failures.length).toBeGreaterThan(0);
  expect(JSON.stringify(report)).not.toContain(String(value));
});

it('no output contains the key or the stored value of an exchange before the base URL is known', async () => {
  const value = store({ value: secret }, { requestHeaders: { Authorization: `Bearer ${credential}` } });
  const body = makeEnvelope(400, { user_id: credential }, { message: `was ${secret}` });
  const file = writeRecording('a.har', makeHar([value, wrong({ body })].map(makeEntry)));
  const { report, failures } = await judgeRecording([file], { baseUrl: undefined });
  expect(failures.length).toBeGreaterThan(0);
  expect(JSON.stringify(report)).not.toMatch(/hunter2|abcdefgh/);
});

it('the secrets of a long recording take limited memory, and the last are redacted', async () => {
  const values = Array.from({ length: 60 }, (_, at) => `${at}-`.padEnd(100_000, `s3cret-of-${at}-`));
  const body = makeEnvelope(400, { user_id: values.at(-1)?.slice(0, 3_000) });
  const { report, failures } = await observe([...values.map((value) => store({ value })), wrong({ body })]);
  expect(failures.length).toBeGreaterThan(0);
  expect(JSON.stringify(report)).not.toContain('s3cret-of-59');
});

it('names and values of any type are read', async () => {
  const odd = { toString: 1, name: { toString: 1 }, value: null, token: [{ toString: 1 }, [[]], null] };
  const { judge } = await observe([
    wrong({ body: { ...odd, pairs: [[odd, 1], ['token']] } }),
    { raw: { request: odd } },
  ]);
  expect([judge.counts.judged, judge.counts.skipped]).toEqual([1, 1]);
});

it('the fragment of a URL is not shown', async () => {
  const { report } = await observe([wrong({ path: '/key#shown-to-nobody' })]);
  expect(JSON.stringify(report)).not.toContain('shown-to-nobody');
});

it('names, ids, words and the ledger stay readable beside secrets', async () => {
  const id = '7a6b5c4d-0000-4000-8000-1f2e3d4c5b6a';
  const record = {
    id,
    name: 'other_name',
    status: 'active',
    hosts: ['api.stripe.test'],
    createdAt: '2026-03-04T12:00:00Z',
  };
  const words = [id, 'other_name', 'active', 'api.stripe.test', '2026-03-04T12:00:00Z', 'deleted', 'bearer'];
  const { report } = await observe([
    store({ ...record, value: 'deleted' }),
    elsewhere({
      body: { secret: record, secrets: [record], session: { state: 'inactive' }, token_type: 'bearer' },
    }),
    wrong({ body: makeEnvelope(400, { user_id: words.join(' ') }) }),
  ]);
  expect(JSON.stringify(report)).toContain(words.join(' '));
});

it('counts and flags beside a word for secrets are not secrets', async () => {
  const body = makeEnvelope(400, { max_tokens: 12345678, token: true, user_id: 'max_tokens=87654321' });
  const { report } = await observe([wrong({ body })]);
  expect(JSON.stringify(report)).toContain('12345678');
  expect(JSON.stringify(report)).toContain('87654321');
});
