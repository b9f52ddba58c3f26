import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { check } from '../../judge/check.js';
import { readShard, writeShard } from '../../judge/plan.js';
import { resolveLimits } from '../../judge/run-limits.js';
import { Selection } from '../../judge/selection.js';
import { areaOf, ledger } from '../../spec/ledger.js';
import { allChecks } from '../../suites/all-checks.js';
import { isVault, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { findCheck, findRow, idsWith } from '../report-rows.js';
import { passOnTo, startServer } from '../servers.js';
import { judgeReference } from './judge-reference.js';

it('a run of one area is conformant despite violations elsewhere', async () => {
  const behaviour = replaceAnswers(isVault(404), makeEnvelope(500));
  const { report } = await judgeReference({ only: ['key-info.*'], depth: 'quick', behaviour });
  expect(report).toMatchObject({ verdict: 'conformant', gate: { exit_code: 0 } });
});

it('a selection of rules for every response is decided by the requests of all checks', async () => {
  const only = ['stream-error.id', 'rate-limit.success-headers'];
  const checks = allChecks.filter(({ id }) => /^(?:inference|stream-error|key-info)\./.test(id));
  const { report } = await judgeReference({ only, checks, depth: 'quick' });
  expect(report.verdict).toBe('conformant');
  expect(idsWith(report, 'pass').toSorted()).toEqual(only.toSorted());
});

// Only the checks of the active requirement run, and they may not exercise the passive ones.
it('a selected rule for every response is decided beside an active requirement', async () => {
  const { report } = await judgeReference({ only: ['envelope.*', 'key-info.200.read'] });
  expect(report.verdict).toBe('conformant');
});

it('--skip removes requirements that --only selects, and a selection names the patterns that match nothing', () => {
  const selection = new Selection({ only: ['vault-delete.404.*', 'auth.*'], skip: ['*.404.keeps'] });
  const ids = ['vault-delete.404.never-stored', 'vault-delete.404.keeps', 'vault-delete.401.keeps'] as const;
  expect(ids.map((id) => selection.has(id))).toEqual([true, false, false]);
  const { unmatched } = new Selection({ only: ['auth.*', 'vault.*'], skip: ['key-info.bearer'] });
  expect(unmatched).toEqual(['vault.*', 'key-info.bearer']);
});

it('a shard is written as its number and how many there are, and nothing else is read as one', () => {
  for (const text of ['1/1', '2/3', '3/3', '12/40']) {
    const shard = readShard(text);
    expect(shard && writeShard(shard)).toBe(text);
  }
  for (const text of ['0/3', '4/3', '3', '1/0', '-1/3', '1.5/3', '1/3/5', '01/3', '1/99999', '', '1/ 3'])
    expect([text, readShard(text)]).toEqual([text, undefined]);
});

const shards = [1, 2, 3].map((index) => ({ index, of: 3 }));

it('the request limits of the shards add up to that of the run', () => {
  const shares = shards.map((shard) => resolveLimits({ depth: 'deep', maxRequests: 1000, shard }, undefined));
  expect(shares.map(({ maxRequests }) => maxRequests)).toEqual([334, 333, 333]);
});

it('each shard gets its share of the rate and the concurrency, at least one', () => {
  const of = (concurrency: number) =>
    shards.map((shard) => resolveLimits({ depth: 'deep', concurrency, rate: 10, shard }, undefined));
  expect(of(16).map((limits) => limits.concurrency)).toEqual([5, 5, 5]);
  expect(of(2).map((limits) => limits.concurrency)).toEqual([1, 1, 1]);
  expect(of(2)[0]?.rate).toBeCloseTo(10 / 3);
});

it('each shard keeps the whole deadline and the request limit of its depth', () => {
  for (const shard of shards) {
    const limits = resolveLimits({ depth: 'quick', maxTime: 9_000, shard }, undefined);
    expect(limits).toMatchObject({ maxTimeMs: 9_000, maxRequests: 500, rate: undefined });
  }
});

const reason = 'out of time';

it.each([5, 25])('a run stopped after %i checks says why and gives back every world', async (checks) => {
  const stop = new AbortController();
  const { report, worldsLeft } = await judgeReference({
    signal: stop.signal,
    onProgress: ({ done }) => {
      if (done === checks) stop.abort(reason);
    },
  });
  expect(worldsLeft).toBe(0);
  expect(report).toMatchObject({ verdict: 'incomplete', totals: { fail: 0 } });
  expect(report.run).toMatchObject({ complete: false, notes: [] });
  const open = report.requirements.filter(({ status }) => status === 'inconclusive');
  expect(open.length).toBeGreaterThan(30);
  expect([...new Set(open.map((requirement) => requirement.reason))]).toEqual([reason]);
  // A rule that no answer had exercised by then must not be not-exercised, as if a capability were missing.
  for (const id of ['rate-limit.paid', 'rate-limit.platform.header.limit'] as const)
    expect(findRow(report, id)).toMatchObject({ status: 'inconclusive', reason });
  expect(idsWith(report, 'pass').length).toBeGreaterThan(1);
});

it('serial checks run before all others, one at a time', async () => {
  const events: string[] = [];
  const makeCheck = (id: 'key-info.200.read' | `key-info.200.read/${string}`, serial: boolean) =>
    check(id, { control: 'key-info', ...(serial ? { serial } : {}) }, async ({ api }) => {
      events.push(`${id} begins`);
      await api.readKey().expectStatus(200);
      await sleep(20);
      events.push(`${id} ends`);
    });
  const [one, two] = ['key-info.200.read/one', 'key-info.200.read/two'] as const;
  const checks = [
    makeCheck('key-info.200.read', false),
    makeCheck('key-info.200.read/three', false),
    makeCheck(one, true),
    makeCheck(two, true),
  ];
  await judgeReference({ checks, only: ['key-info.200.read'], concurrency: 16 });
  // The first check of a requirement belongs to the opening.
  expect(events.slice(0, 2)).toEqual(['key-info.200.read begins', 'key-info.200.read ends']);
  expect(events.slice(2, 6)).toEqual([`${one} begins`, `${one} ends`, `${two} begins`, `${two} ends`]);
  expect(events.slice(6)).toEqual(['key-info.200.read/three begins', 'key-info.200.read/three ends']);
});

const id = 'key-info.200.no-parameters';

const alike = (['one', 'two', 'three'] as const).map((word) =>
  check(`${id}/${word}`, { control: 'key-info' }, async ({ api }) => {
    await api.readKey({ query: '?x=1' }).expectStatus([200, 400]);
  }),
);
const behaviour = replaceAnswers((_answer, { path }) => path.includes('?x=1'), makeEnvelope(403));

it('a run with a low budget confirms a violation that several checks see only once, and any other run each time', async () => {
  // Depth quick runs only the first check of a requirement, so each check also has its own requirement.
  const rows = ['key-info.200.read', 'auth.bearer', 'key-info.limit-pair'] as const;
  const checks = alike.map((one, at) => ({ ...one, decides: [...one.decides, rows[at] ?? 'auth.bearer'] }));
  const only = ['key-info.*', 'auth.*'];
  const { report } = await judgeReference({ only, checks, behaviour, depth: 'quick' });
  expect(idsWith(report, 'fail')).toEqual([id]);
  const outcomes = checks.map((one) => findCheck(report, one.id).outcome).sort();
  expect(outcomes).toEqual(['fail', 'inconclusive', 'inconclusive']);
  const { report: ample } = await judgeReference({ only: [id], checks: alike, behaviour });
  expect(alike.map((one) => findCheck(ample, one.id).outcome)).toEqual(['fail', 'fail', 'fail']);
});

it('a run with a low budget judges more checks at once on a distant target', async () => {
  let atOnce = 0;
  let most = 0;
  const rows = ledger
    .filter(({ id: row, unseen }) => areaOf(row) === 'key-info' && unseen === undefined)
    .slice(0, 12);
  const checks = rows.map((row) =>
    check(row.id, { control: 'key-info' }, async ({ api }) => {
      atOnce += 1;
      most = Math.max(most, atOnce);
      await api.readKey().expectStatus(200);
      atOnce -= 1;
    }),
  );
  const reachedAt = async (baseUrl: string) => {
    const passOn = passOnTo(new URL(baseUrl).origin);
    const origin = await startServer((asked, response) => void sleep(60).then(() => passOn(asked, response)));
    return `${origin}/v1`;
  };
  await judgeReference({ only: ['key-info.*'], checks, depth: 'quick', concurrency: 16, reachedAt });
  expect(most).toBe(4);
});
