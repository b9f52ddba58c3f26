import { describe, expect, it } from 'vitest';
import {
  entry,
  envelope,
  har,
  infer,
  key,
  observation,
  observed,
  remove,
  type Told,
  written,
} from './recorded.js';

const free = (at: number, told: Told = {}): Told =>
  infer({ at, body: { id: 'x' }, sent: { model: 'acme/tiny:free' }, ...told });
/** Successes, one every so many milliseconds. */
const spaced = (count: number, apartMs: number, told: (at: number) => Told = free): readonly Told[] =>
  Array.from({ length: count }, (_, at) => told(at * apartMs));
const withKey = (Authorization: string) => (at: number) => free(at, { requestHeaders: { Authorization } });

describe('successes of free models', () => {
  it('41 of one key on one model within a minute are a violation, told once with where it began', async () => {
    const { failures } = await observed(spaced(60, 1_000));
    expect(failures.map(({ requirement: id }) => id)).toEqual(['rate-limit.minute.refused']);
    expect(failures[0]?.counterexample).toMatchObject({ entry: 40, section: '8.2' });
    expect(failures[0]?.actual).toMatch(
      /^41 successes of one key on acme\/tiny:free .* log\.entries\[0\] of /,
    );
    expect(JSON.stringify(failures)).not.toContain(key);
  });

  it('in whatever order they were recorded', async () => {
    const { failures } = await observed([...spaced(45, 900)].reverse());
    expect(failures).toHaveLength(1);
  });

  it.each<readonly [string, readonly Told[]]>([
    ['40 within a minute, which two minutes of the server may share', spaced(40, 100)],
    ['41 in more than a minute', spaced(200, 1_500)],
    [
      '41 of which the last may have been counted after the minute',
      spaced(41, 1_000, (at) => free(at, { time: 30_000 })),
    ],
    [
      '41 of two keys',
      spaced(60, 900, (at) => withKey(`Bearer sk-or-v1-5f0c3b7a9d${at % 1_800 === 0 ? 1 : 2}0`)(at)),
    ],
    ['keys that were masked', spaced(60, 900, withKey('Bearer [REDACTED]'))],
    ['keys that were masked in part', spaced(60, 900, withKey('Bearer sk-or-v1-5f0...1234'))],
    ['keys that this suite has replaced', spaced(60, 900, withKey('Bearer $PLUMBLINE_KEY_FREE_SMALL'))],
    ['keys that were left out', spaced(60, 900, withKey(''))],
    ['two models', spaced(60, 900, (at) => free(at, { sent: { model: `acme/${at % 1_800 === 0}:free` } }))],
    [
      'a choice of models',
      spaced(60, 900, (at) => free(at, { sent: { model: 'acme/tiny:free', models: ['acme/large'] } })),
    ],
    ['a paid model', spaced(60, 900, (at) => free(at, { sent: { model: 'acme/large' } }))],
    ['a body that was not recorded', spaced(60, 900, (at) => free(at, { sent: undefined }))],
    ['refusals in band', spaced(60, 900, (at) => free(at, { body: 'data: {"error":{"code":429}}\n\n' }))],
    [
      'times that were not recorded',
      spaced(60, 900, (at) => free(at, { raw: { startedDateTime: 7, time: null } })),
    ],
  ])('%s are none', async (_, told) => {
    const { judge } = await observed(told);
    expect(judge.rows.row('rate-limit.minute.refused')).toBeUndefined();
  });

  it('two recordings of the same minute are counted each by itself', async () => {
    const file = written('once.har', har(spaced(30, 1_000).map(entry)));
    const again = written('again.har', har(spaced(30, 1_000).map(entry)));
    expect((await observation([file, again])).judge.rows.row('rate-limit.minute.refused')).toBeUndefined();
  });
});

describe('a secret that was deleted twice', () => {
  const deleted = remove({ status: 204, headers: { Date: 'x' } });

  it('is told and accuses nobody', async () => {
    const { failures, report } = await observed([deleted, deleted, deleted]);
    expect(failures).toEqual([]);
    expect(report.run.notes.join()).toMatch(
      /2 times .* log\.entries\[0\] .* log\.entries\[1\] .* no violation/,
    );
  });

  it.each([
    ['by a store between', [deleted, remove({ method: 'PUT', status: 201, body: {} }), deleted]],
    ['under two names', [deleted, remove({ ...deleted, path: `${deleted.path}_2` })]],
    ['and refused the second time', [deleted, remove({ status: 404, body: envelope(404) })]],
  ])('%s is not told', async (_, told) => {
    expect((await observed(told)).judge.notes).toEqual([]);
  });
});
