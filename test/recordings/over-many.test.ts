import { describe, expect, it } from 'vitest';
import { ObservedJudge } from '../../recordings/observed-judge.js';
import { summarizeObserved } from '../../recordings/observed-results.js';
import { throughProxy } from '../../recordings/recorded-exchange.js';
import {
  type ExchangeSpec,
  fail,
  infer,
  intern,
  judgeRecording,
  key,
  makeEntry,
  makeHar,
  observe,
  remove,
  writeRecording,
} from './recorded.js';

const freeAt = (at: number, spec: ExchangeSpec = {}): ExchangeSpec =>
  infer({ at, body: { id: `gen-${at}` }, sent: { model: 'acme/tiny:free' }, ...spec });
/** Repeats a success at a fixed interval. */
const repeatEvery = (
  count: number,
  apartMs: number,
  spec: (at: number) => ExchangeSpec = freeAt,
): readonly ExchangeSpec[] => Array.from({ length: count }, (_, at) => spec(at * apartMs));
/** Repeats it often enough for a violation, if all were counted together. */
const often = (spec: ExchangeSpec | ((at: number) => ExchangeSpec)): readonly ExchangeSpec[] =>
  repeatEvery(60, 900, (at) => freeAt(at, typeof spec === 'function' ? spec(at) : spec));
const withKey = (key: string): ExchangeSpec => ({ requestHeaders: { Authorization: key } });

it('41 successes of one key on one model within a minute are one violation with its start', async () => {
  const { failures } = await observe(repeatEvery(60, 1_000));
  expect(failures.map(({ requirement: id }) => id)).toEqual(['rate-limit.minute.refused']);
  expect(failures[0]?.mismatch).toEqual({ wrong: 'status', due: [429] });
  expect(failures[0]?.counterexample).toMatchObject({ entry: 40, section: '8.2' });
  expect(failures[0]?.actual).toMatch(/^41 successes of one key on acme\/tiny:free .* log\.entries\[0\] of /);
  expect(JSON.stringify(failures)).not.toContain(key);
});

it('the successes are counted in any recorded order', async () => {
  const { failures } = await observe([...repeatEvery(45, 900)].reverse());
  expect(failures).toHaveLength(1);
});

it.each<readonly [string, readonly ExchangeSpec[]]>([
  ['40 within a minute, which two minutes of the server may share', repeatEvery(40, 100)],
  ['41 in more than a minute', repeatEvery(200, 1_500)],
  ['41, the last perhaps after the minute', repeatEvery(41, 1_000, (at) => freeAt(at, { time: 30_000 }))],
  ['41 of two keys', often((at) => withKey(`Bearer sk-or-v1-5f0c3b7a9d${at % 1_800 === 0 ? 1 : 2}0`))],
  ['masked keys', often(withKey('Bearer [REDACTED]'))],
  ['missing keys', often(withKey(''))],
  ['two models', often((at) => ({ sent: { model: `acme/${at % 1_800 === 0}:free` } }))],
  ['a choice of models', often({ sent: { model: 'acme/tiny:free', models: ['acme/large'] } })],
  ['a paid model', often({ sent: { model: 'acme/large' } })],
  ['bodies that were not recorded', often({ sent: undefined })],
  ['refusals in a body of JSON', often({ body: { error: { code: 429, message: 'x' } } })],
  ['half of them recorded twice', [...repeatEvery(30, 1_000), ...repeatEvery(30, 1_000)]],
  [
    'half of them recorded twice, once a little later',
    [...repeatEvery(30, 1_000), ...repeatEvery(30, 1_000, (at) => ({ ...freeAt(at), at: at + 4 }))],
  ],
  [
    'half of them recorded twice, once at the end of a gateway, without ids',
    [
      ...repeatEvery(30, 1_000, (at) => freeAt(at, { body: {} })),
      ...repeatEvery(30, 1_000, (at) => freeAt(at, { body: {}, at: at + 4 })),
    ],
  ],
  ['refusals in the stream', often({ body: 'data: {"error":{"code":429}}\n\n' })],
  ['times that were not recorded', often({ raw: { startedDateTime: 7, time: null } })],
])('many successes are not a violation with %s', async (_, spec) => {
  const { judge } = await observe(spec);
  expect(judge.rows.row('rate-limit.minute.refused')).toBeUndefined();
});

it('successes that pass are counted even if all give themselves one id', () => {
  const judge = new ObservedJudge({ baseUrl: 'http://a.test/v1', inferencePath: '/chat', canaries: [] });
  const [head, body] = [{ status: 200, reasonPhrase: '', headers: [] }, Buffer.from('{"id":"x"}')];
  const passed = {
    ...{
      isWatched: true,
      method: 'POST',
      url: 'http://a.test/v1/chat',
      headers: [['Authorization', `Bearer ${key}`]] as const,
    },
    ...{ body: Buffer.from('{"model":"acme/tiny:free"}'), startedAt: 1_000, durationMs: 1 },
    answer: { ...head, body, trailers: [], isCut: false },
  };
  for (let sent = 0; sent < 41; sent++) judge.takePassed(passed, throughProxy);
  expect(judge.rows.row('rate-limit.minute.refused')?.violated).toBe(1);
});

it('two recordings of the same minute are counted separately', async () => {
  const file = writeRecording('once.har', makeHar(repeatEvery(30, 1_000).map(makeEntry)));
  const again = writeRecording('again.har', makeHar(repeatEvery(30, 1_000).map(makeEntry)));
  expect((await judgeRecording([file, again])).judge.rows.row('rate-limit.minute.refused')).toBeUndefined();
});

describe('repeated deletes of a secret', () => {
  const id = 'vault-delete.204.takes-effect';
  const deleteAt = (at: number, spec: ExchangeSpec = {}): ExchangeSpec =>
    remove({ at, status: 204, headers: { Date: 'x' }, ...spec });
  const refuseAt = (at: number): ExchangeSpec => deleteAt(at, { ...fail(404) });
  const store = { method: 'PUT', path: '/vault/stores', status: 201, body: {} };
  const storeAt = (at: number, spec: ExchangeSpec = {}): ExchangeSpec => ({ ...store, at, ...spec });
  const readAt = (at: number) => storeAt(at, { method: 'GET', path: '/vault/secrets', status: 200 });
  const rowOf = async (spec: readonly ExchangeSpec[]) => {
    const { report, failures } = await observe(spec);
    expect(failures).toEqual([]);
    return report.requirements.find((row) => row.id === id);
  };

  const another = deleteAt(50, { path: `/vault/interns/${intern}/secrets/b` });

  it.each<readonly [string, readonly ExchangeSpec[], first: number, second: number]>([
    ['at once', [deleteAt(0), deleteAt(100)], 0, 1],
    ['after a store', [storeAt(0), deleteAt(100), readAt(200), deleteAt(300)], 1, 3],
    ['after it was gone', [deleteAt(0), refuseAt(100), deleteAt(200)], 0, 2],
    ['among deletes of others', [deleteAt(0), another, deleteAt(100)], 0, 2],
  ])('a second delete that gets 204 %s leaves its requirement inconclusive', async (_, spec, ...places) => {
    const row = await rowOf(spec);
    expect(row).toMatchObject({ status: 'inconclusive', reason_code: 'recorded-repeated' });
    for (const place of places) expect(row?.reason).toContain(`in log.entries[${place}] of `);
  });

  it('a second delete that gets 404 shows that the secret is gone', async () => {
    expect(await rowOf([deleteAt(0), refuseAt(100)])).toMatchObject({ status: 'pass' });
  });

  /** A delete before some exchange, and one after it. */
  const around = (exchange: ExchangeSpec) => [deleteAt(0), exchange, deleteAt(100)];
  const beforeBoth = (exchange: ExchangeSpec) => [exchange, deleteAt(50), deleteAt(100)];

  it.each<readonly [string, readonly ExchangeSpec[]]>([
    ['by a store between', around(storeAt(50))],
    ['by another request that may store', around(storeAt(50, { method: 'POST', path: 'https://b.test/x' }))],
    ['by a delete of something else', around(storeAt(50, { method: 'DELETE' }))],
    ['by a store that began before', beforeBoth(storeAt(0, { time: 60 }))],
    ['by a store that is recorded later', [deleteAt(0), deleteAt(100), storeAt(50)]],
    ['by a store without an answer', beforeBoth(storeAt(0, { status: 0 }))],
    ['by a store that is accepted for later', beforeBoth(storeAt(0, { status: 202 }))],
    [
      'by a store whose time is not recorded',
      [deleteAt(0), deleteAt(100), storeAt(500, { raw: { time: -1, startedDateTime: 'x' } })],
    ],
    ['by a socket', beforeBoth({ path: 'wss://b.test/', status: 101, at: 0, time: 70 })],
    ['by an entry that cannot be read', around(deleteAt(50, { raw: { response: 7 } }))],
    ['at the same time', [deleteAt(0, { time: 80 }), deleteAt(80)]],
    ['at times that are not recorded', [deleteAt(0), deleteAt(100, { raw: { time: -1 } })]],
    ['under two names', [deleteAt(0), deleteAt(100, { path: `${remove().path}_2` })]],
    ['with two keys', [deleteAt(0), deleteAt(100, withKey('Bearer sk-or-v1-5f0c3b7a9d22'))]],
    ['with keys that were masked', [0, 100].map((at) => deleteAt(at, withKey('Bearer sk-or-...1234')))],
  ])('a second delete gives no evidence: %s', async (_, spec) => {
    expect(await rowOf(spec)).toMatchObject({ status: 'not-exercised' });
  });

  it('a second delete adds only a note to what a run has observed', async () => {
    const { judge } = await observe([deleteAt(0), deleteAt(100)]);
    const facts = { isOnly: false, files: [], command: () => 'plumbline observe' };
    const evidence = summarizeObserved(judge, facts);
    expect(evidence.vote(id)).toBeUndefined();
    expect(evidence.notes.join()).toContain('log.entries[1]');
  });
});
