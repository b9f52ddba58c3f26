import { afterAll, expect, it, vi } from 'vitest';
import type { Report } from '../../spec/report.js';
import { allChecks } from '../../suites/all-checks.js';
import { type Judging, judgeReference, listIds } from './judge-reference.js';
import { type Limiting, limiter } from './limiter.js';
import { makeEnvelope as answer429, replaceAnswers } from './wrong-answers.js';

const envelope = {
  status: 429,
  body: JSON.stringify({ error: { code: 429, message: 'Too many requests' } }),
};

// A rate limit makes a run slow.
vi.setConfig({ testTimeout: 90_000 });
afterAll(() => vi.resetConfig());

/** Judges a reference server at depth quick, behind a limiter if one is given, which lets the control pass. */
async function judgeLimited({
  limiting,
  ...judging
}: Judging & { readonly limiting?: Limiting }): Promise<Report> {
  let front: Awaited<ReturnType<typeof limiter>> | undefined;
  const reachedAt = async (baseUrl: string) => {
    front = limiting && (await limiter(new URL(baseUrl).origin, limiting));
    return front === undefined ? baseUrl : `${front.origin}/v1`;
  };
  const { report } = await judgeReference({
    ...{ checks: allChecks, depth: 'quick', concurrency: 16, maxTimeMs: 60_000, reachedAt },
    ...judging,
  });
  if (front !== undefined) expect(front.refused()).toBeGreaterThan(0);
  await front?.close();
  return report;
}

it.concurrent('refusals in a row slow a run down and fail nothing, and the report says what slowed it down', async () => {
  let asked = 0;
  const report = await judgeLimited({
    only: ['key-info.*', 'guardrail-read.*'],
    maxTimeMs: 8_000,
    limiting: {
      countedBy: () => 'all',
      isBeyond: () => {
        asked += 1;
        return asked > 10 && asked <= 18;
      },
      refusal: envelope,
    },
  });
  expect(listIds(report, 'fail')).toEqual([]);
  // Which requests met it is chance: those of one operation alone, or of all.
  expect(report.run.slowed_down?.map(({ by }) => by)).toContain('429');
});

it.concurrent('a server that answers 429 after ten wrong keys fails no requirement', async () => {
  let wrong = 0;
  const report = await judgeLimited({
    only: ['auth.*', 'vault-delete.401.*'],
    maxTimeMs: 10_000,
    behaviour: replaceAnswers(({ status }) => status === 401 && ++wrong > 10, answer429(429)),
  });
  expect(listIds(report, 'fail')).toEqual([]);
  expect(report.verdict).toBe('incomplete');
});

it.concurrent('a Retry-After beyond the time left makes the operation inconclusive immediately', async () => {
  let left = 60;
  const start = performance.now();
  const report = await judgeLimited({
    only: ['vault-delete.*', 'key-info.*'],
    limiting: {
      countedBy: ({ url = '' }) => (url.includes('/vault/') ? 'vault' : undefined),
      isBeyond: () => left-- <= 0,
      refusal: { ...envelope, headers: { 'Retry-After': '3600' } },
    },
  });
  expect(listIds(report, 'fail')).toEqual([]);
  expect(report.verdict).toBe('incomplete');
  expect(report.requirements.find(({ id }) => id === 'key-info.200.read')?.status).toBe('pass');
  expect(performance.now() - start).toBeLessThan(25_000);
});

it.concurrent('a server that answers 429 in place of every 402 fails after a pause for each case, not for each request', async () => {
  const report = await judgeLimited({
    only: ['credit-limit.overdrawn.*', 'credit-limit.exhausted'],
    maxTimeMs: 30_000,
    behaviour: replaceAnswers(({ status }) => status === 402, answer429(429, { 'Retry-After': '8' })),
  });
  expect(listIds(report, 'fail')).toEqual([
    'credit-limit.overdrawn.paid',
    'credit-limit.overdrawn.free',
    'credit-limit.exhausted',
  ]);
});
