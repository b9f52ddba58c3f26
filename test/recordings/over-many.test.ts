import { describe, expect, it } from 'vitest';
import { summarizeObserved } from '../../recordings/observed-results.js';
import {
  entry,
  envelope,
  har,
  infer,
  intern,
  key,
  observation,
  observed,
  remove,
  type Told,
  written,
} from './recorded.js';

const free = (at: number, told: Told = {}): Told =>
  infer({ at, body: { id: 'x' }, sent: { model: 'acme/tiny:free' }, ...told });
/** Repeats a success at a fixed interval. */
const repeatEvery = (count: number, apartMs: number, told: (at: number) => Told = free): readonly Told[] =>
  Array.from({ length: count }, (_, at) => told(at * apartMs));
const withKey = (Authorization: string) => (at: number) => free(at, { requestHeaders: { Authorization } });

describe('successes of free models', () => {
  it('41 successes of one key on one model within a minute are one violation with its start', async () => {
    const { failures } = await observed(repeatEvery(60, 1_000));
    expect(failures.map(({ requirement: id }) => id)).toEqual(['rate-limit.minute.refused']);
    expect(failures[0]?.mismatch).toEqual({ wrong: 'status', due: [429] });
    expect(failures[0]?.counterexample).toMatchObject({ entry: 40, section: '8.2' });
    expect(failures[0]?.actual).toMatch(
      /^41 successes of one key on acme\/tiny:free .* log\.entries\[0\] of /,
    );
    expect(JSON.stringify(failures)).not.toContain(key);
  });

  it('the successes are counted in any recorded order', async () => {
    const { failures } = await observed([...repeatEvery(45, 900)].reverse());
    expect(failures).toHaveLength(1);
  });

  it.each<readonly [string, readonly Told[]]>([
    ['40 within a minute, which two minutes of the server may share', repeatEvery(40, 100)],
    ['41 in more than a minute', repeatEvery(200, 1_500)],
    [
      '41 of which the last may have been counted after the minute',
      repeatEvery(41, 1_000, (at) => free(at, { time: 30_000 })),
    ],
    [
      '41 of two keys',
      repeatEvery(60, 900, (at) => withKey(`Bearer sk-or-v1-5f0c3b7a9d${at % 1_800 === 0 ? 1 : 2}0`)(at)),
    ],
    ['masked keys', repeatEvery(60, 900, withKey('Bearer [REDACTED]'))],
    ['partly masked keys', repeatEvery(60, 900, withKey('Bearer sk-or-v1-5f0...1234'))],
    [
      'keys that this suite has replaced by variables',
      repeatEvery(60, 900, withKey('Bearer $PLUMBLINE_KEY_FREE_SMALL')),
    ],
    ['missing keys', repeatEvery(60, 900, withKey(''))],
    [
      'two models',
      repeatEvery(60, 900, (at) => free(at, { sent: { model: `acme/${at % 1_800 === 0}:free` } })),
    ],
    [
      'a choice of models',
      repeatEvery(60, 900, (at) => free(at, { sent: { model: 'acme/tiny:free', models: ['acme/large'] } })),
    ],
    ['a paid model', repeatEvery(60, 900, (at) => free(at, { sent: { model: 'acme/large' } }))],
    ['bodies that were not recorded', repeatEvery(60, 900, (at) => free(at, { sent: undefined }))],
    [
      'refusals in the stream',
      repeatEvery(60, 900, (at) => free(at, { body: 'data: {"error":{"code":429}}\n\n' })),
    ],
    [
      'times that were not recorded',
      repeatEvery(60, 900, (at) => free(at, { raw: { startedDateTime: 7, time: null } })),
    ],
  ])('many successes are not a violation with %s', async (_, told) => {
    const { judge } = await observed(told);
    expect(judge.rows.row('rate-limit.minute.refused')).toBeUndefined();
  });

  it('two recordings of the same minute are counted separately', async () => {
    const file = written('once.har', har(repeatEvery(30, 1_000).map(entry)));
    const again = written('again.har', har(repeatEvery(30, 1_000).map(entry)));
    expect((await observation([file, again])).judge.rows.row('rate-limit.minute.refused')).toBeUndefined();
  });
});

describe('repeated deletes of a secret', () => {
  const id = 'vault-delete.204.takes-effect';
  const deleted = (at: number, told: Told = {}): Told =>
    remove({ at, status: 204, headers: { Date: 'x' }, ...told });
  const refused = (at: number): Told => deleted(at, { status: 404, body: envelope(404) });
  const store = (at: number, told: Told = {}): Told => ({
    method: 'PUT',
    path: '/vault/stores',
    status: 201,
    body: {},
    at,
    ...told,
  });
  const read = (at: number): Told => ({ method: 'GET', path: '/vault/secrets', status: 200, body: {}, at });
  const rowOf = async (told: readonly Told[]) => {
    const { report, failures } = await observed(told);
    expect(failures).toEqual([]);
    return report.requirements.find((row) => row.id === id);
  };

  it.each([
    ['at once', [deleted(0), deleted(100)], 'log.entries[0]', 'log.entries[1]'],
    ['after a store', [store(0), deleted(100), read(200), deleted(300)], 'log.entries[1]', 'log.entries[3]'],
    ['after it was gone', [deleted(0), refused(100), deleted(200)], 'log.entries[0]', 'log.entries[2]'],
    [
      'among deletes of others',
      [deleted(0), deleted(50, { path: `/vault/interns/${intern}/secrets/b` }), deleted(100)],
      'log.entries[0]',
      'log.entries[2]',
    ],
  ])('a second delete that gets 204 %s leaves its requirement inconclusive', async (_, told, one, other) => {
    const row = await rowOf(told);
    expect(row).toMatchObject({ status: 'inconclusive', reason_code: 'recorded-repeated' });
    expect(row?.reason).toContain(`in ${one} of `);
    expect(row?.reason).toContain(`in ${other} of `);
  });

  it('a second delete that gets 404 shows that the secret is gone', async () => {
    expect(await rowOf([deleted(0), refused(100)])).toMatchObject({ status: 'pass' });
  });

  it.each<readonly [string, readonly Told[]]>([
    ['by a store between', [deleted(0), store(50), deleted(100)]],
    [
      'by any other request that may store',
      [deleted(0), store(50, { method: 'POST', path: 'https://b.test/x' }), deleted(100)],
    ],
    ['by a delete of something else', [deleted(0), store(50, { method: 'DELETE' }), deleted(100)]],
    ['by a store that began before', [store(0, { time: 60 }), deleted(50), deleted(100)]],
    ['by a store that is recorded later', [deleted(0), deleted(100), store(50)]],
    [
      'by a store without an answer',
      [store(0, { raw: { response: { status: 0, headers: [], content: {} } } }), deleted(50), deleted(100)],
    ],
    ['by a store that is accepted for later', [store(0, { status: 202 }), deleted(50), deleted(100)]],
    [
      'by a store whose time is not recorded',
      [deleted(0), deleted(100), store(500, { raw: { time: -1, startedDateTime: 'x' } })],
    ],
    ['by a socket', [{ path: 'wss://b.test/', status: 101, at: 0, time: 70 }, deleted(50), deleted(100)]],
    ['by an entry that cannot be read', [deleted(0), deleted(100, { raw: { response: 7 } }), deleted(200)]],
    ['at the same time', [deleted(0, { time: 80 }), deleted(80)]],
    ['at times that are not recorded', [deleted(0), deleted(100, { raw: { time: -1 } })]],
    ['under two names', [deleted(0), deleted(100, { path: `${remove().path}_2` })]],
    [
      'with two keys',
      [deleted(0), deleted(100, { requestHeaders: { Authorization: 'Bearer sk-or-v1-5f0c3b7a9d22' } })],
    ],
    [
      'with keys that were masked',
      [0, 100].map((at) => deleted(at, { requestHeaders: { Authorization: 'Bearer sk-or-...1234' } })),
    ],
  ])('a second delete gives no evidence: %s', async (_, told) => {
    expect(await rowOf(told)).toMatchObject({ status: 'not-exercised' });
  });

  it('a second delete adds only a note to what a run has observed', async () => {
    const { judge } = await observed([deleted(0), deleted(100)]);
    const facts = { alone: false, baseUrl: undefined, files: [], command: () => 'plumbline observe' };
    const evidence = summarizeObserved(judge, facts);
    expect(evidence.vote(id)).toBeUndefined();
    expect(evidence.notes.join()).toContain('log.entries[1]');
  });
});
