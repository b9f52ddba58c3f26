import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { afterAll, expect, it, vi } from 'vitest';
import { RateLimits, type RequestIdentity } from '../../judge/rate-limits.js';
import { allChecks } from '../../suites/all-checks.js';
import { makeEnvelope, replaceAnswers } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { answerJson, passOnTo, startServer } from '../servers.js';
import { type Judging, judgeReference } from './judge-reference.js';

const kind = (request: string, rest: Partial<RequestIdentity> = {}): RequestIdentity => ({
  operation: 'vault-delete',
  rule: 'vault-delete.403.regional-host',
  due: [403],
  request,
  exactRequest: request,
  ...rest,
});
const served = kind('DELETE own/a name', { rule: 'vault-delete.204.deleted', due: [204] });

it('a run slows down once for the refusals of one rule, and each time that an accepted request is refused', () => {
  const limits = new RateLimits();
  limits.noteExpected(served);
  const ofRule = ['own', 'sibling', 'foreign'].map((intern) => kind(`DELETE ${intern}/a name`));
  expect(ofRule.map((one) => limits.noteRefusal(one))).toEqual([true, false, false]);
  expect(limits.noteRefusal(kind('DELETE own/a name', { rule: 'vault-delete.403.no-scope' }))).toBe(true);
  const ofServed = new RateLimits();
  ofServed.noteExpected(served);
  expect([served, served].map((one) => ofServed.noteRefusal(one))).toEqual([true, true]);
  expect(ofServed.isAtWork).toBe(true);
});

it('no rate limit is suspected while the known-good requests are answered', async () => {
  const limits = new RateLimits<string>();
  const due = [403, 404];
  limits.keepExample('a key without a scope', [kind('', { rule: 'vault-delete.403.no-scope' })]);
  const refused = kind('DELETE own/a', { due });
  limits.noteRefusal(refused);
  limits.noteRefusal(kind('DELETE own/a', { rule: 'vault-delete.403.regional-host-spelling', due }));
  const asked: string[] = [];
  expect(await limits.suspects(refused, async (example) => asked.push(example))).toBe(false);
  expect(asked).toEqual(['a key without a scope']);
});

it('an unexpected answer is noise beyond other rules where the same request got its own another time', () => {
  const limits = new RateLimits();
  const broken = kind('DELETE own/a');
  for (const one of [served, broken, broken]) limits.noteUnexpected(one, 500);
  const other = 'auth.bearer';
  expect(limits.noiseExcept(other)).toBeCloseTo(0);
  for (let time = 0; time < 3; time++) limits.noteExpected(served);
  expect(limits.noiseExcept(other)).toBe(1 / 4);
  limits.noteUnexpected(served);
  expect(limits.noiseExcept(other)).toBe(2 / 5);
  expect(limits.noiseExcept('vault-delete.204.deleted')).toBeCloseTo(0);
  expect(limits.notes).toEqual([expect.stringContaining('1 answer was unexpected')]);
  expect(limits.notes).toEqual([expect.stringContaining(': vault-delete 500 (1).')]);
});

it('an unexpected answer is no noise where the same request got the answer that was due before a change', () => {
  const limits = new RateLimits();
  limits.noteExpected(served);
  limits.noteUnexpected({ ...served, due: [404] }, 204);
  expect(limits.noiseExcept('auth.bearer')).toBe(0);
});

/** Which requests a limiter refuses, what it asks them to wait, and what it answers if that is no envelope. */
interface Limiting {
  readonly refuses: (request: IncomingMessage) => boolean;
  readonly retryAfter?: string;
  readonly body?: object;
}

// A rate limit makes a run slow.
vi.setConfig({ testTimeout: 90_000 });
afterAll(() => vi.resetConfig());

/** Judges a reference server at depth quick, behind a limiter if one is given, which lets the control pass. */
async function judgeLimited({ limiting, ...judging }: Judging & { readonly limiting?: Limiting }) {
  let refused = 0;
  const reachedAt = async (baseUrl: string) => {
    if (limiting === undefined) return baseUrl;
    const passOn = passOnTo(new URL(baseUrl).origin);
    const refuse = answerJson(429, limiting.body ?? makeEnvelope(429).body);
    const origin = await startServer((request, response) => {
      if (!limiting.refuses(request)) return passOn(request, response);
      refused += 1;
      if (limiting.retryAfter !== undefined) response.setHeader('Retry-After', limiting.retryAfter);
      refuse(request, response);
    });
    return `${origin}/v1`;
  };
  const { report } = await judgeReference({
    ...{ checks: allChecks, depth: 'quick', concurrency: 16, maxTimeMs: 60_000, reachedAt },
    ...judging,
  });
  expect(refused > 0).toBe(limiting !== undefined);
  return report;
}

it.concurrent('refusals in a row slow a run down and fail nothing, and the report says what slowed it down', async () => {
  let asked = 0;
  const report = await judgeLimited({
    ...{ only: ['key-info.*', 'guardrail-read.*'], maxTimeMs: 8_000 },
    limiting: { refuses: () => ++asked > 10 && asked <= 18 },
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  // Which requests met it is chance: those of one operation alone, or of all.
  expect(report.run.slowed_down?.map(({ by }) => by)).toContain('429');
});

it.concurrent('a gateway that refuses every 21st request of a burst fails nothing by its own words', async () => {
  const bursts = new WeakMap<Socket, { readonly at: number; readonly length: number }>();
  const report = await judgeLimited({
    ...{ only: ['key-info.200.read', 'envelope.error'], depth: 'standard', maxTimeMs: 30_000 },
    checks: allChecks.filter(({ id }) => id.startsWith('key-info.200.read')),
    limiting: {
      refuses: ({ socket, url }) => {
        const at = performance.now();
        const last = bursts.get(socket);
        const length = last === undefined || last.length > 20 || at - last.at > 200 ? 1 : last.length + 1;
        bursts.set(socket, { at, length });
        return url === '/v1/key' && length > 20;
      },
      body: { message: 'Too Many Requests' },
    },
  });
  expect(idsWith(report, 'fail')).toEqual([]);
});

it.concurrent('a server that answers 429 after ten wrong keys fails no requirement', async () => {
  let wrong = 0;
  const report = await judgeLimited({
    only: ['auth.*', 'vault-delete.401.*'],
    maxTimeMs: 10_000,
    behaviour: replaceAnswers(({ status }) => status === 401 && ++wrong > 10, makeEnvelope(429)),
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(report.verdict).toBe('incomplete');
});

it.concurrent('a Retry-After beyond the time left makes the operation inconclusive immediately', async () => {
  let left = 60;
  const start = performance.now();
  const report = await judgeLimited({
    only: ['vault-delete.*', 'key-info.*'],
    limiting: { refuses: ({ url = '' }) => url.includes('/vault/') && left-- <= 0, retryAfter: '3600' },
  });
  expect(idsWith(report, 'fail')).toEqual([]);
  expect(report.verdict).toBe('incomplete');
  expect(report.requirements.find(({ id }) => id === 'key-info.200.read')?.status).toBe('pass');
  expect(performance.now() - start).toBeLessThan(25_000);
});

it.concurrent('a server that answers 429 in place of every 402 fails after a pause for each case, not for each request', async () => {
  const report = await judgeLimited({
    only: ['credit-limit.overdrawn.*', 'credit-limit.exhausted'],
    maxTimeMs: 30_000,
    behaviour: replaceAnswers(({ status }) => status === 402, makeEnvelope(429, { 'Retry-After': '8' })),
  });
  expect(idsWith(report, 'fail')).toEqual([
    'credit-limit.overdrawn.paid',
    'credit-limit.overdrawn.free',
    'credit-limit.exhausted',
  ]);
});
