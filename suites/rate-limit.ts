import { judgePlatformLimit, readErrorMetadata } from '../judge/answer-rules.js';
import type { CheckContext, InferenceRequest } from '../judge/api.js';
import type { Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Role } from '../spec/vocabulary.js';
import { type Answered, header, isAnswered } from '../targets/exchange.js';
import { judgeServed as judgeSuccess } from './inference.js';

// §7.4 and §8.2: rate limits, those of the platform and those of providers.

const control = 'inference';
// These use up the allowances of the world's accounts.
const sideEffects = 'free-usage';
/** Requests to free models that an account is served within a minute (§8.2). */
export const perMinute = 20;
/** Requests to free models that an account is served within a day (§8.2). */
export const perDay = { free_small: 50, free_large: 1000, free_large_exactly: 1000 } as const;
type Account = Exclude<keyof typeof perDay, 'free_large_exactly'>;

// A fixed minute can pass meanwhile; two whole allowances and one request more cannot all be served within one.
const surelyTooMany = 2 * perMinute + 1;
const minuteMs = 60_000;

/** What a 429 of the platform carries (§7.4); an in-band event has no headers to carry them in. */
export function judgePlatform(call: Call, exchange: Answered & { readonly inBand: boolean }): void {
  if (exchange.inBand) return;
  for (const ruling of judgePlatformLimit(exchange)) call.expect(exchange, ruling.requirement, ruling);
}

const dayMs = 86_400_000;
// The target's clock may be some minutes off.
const aroundMidnightMs = 15 * minuteMs;

/** Whether the time that passes may take back what was used: a minute always, a day around midnight. */
export function isTimed({ minute }: { readonly minute: number }): boolean {
  const ofDayMs = Date.now() % dayMs;
  return minute > 0 || ofDayMs < aroundMidnightMs || ofDayMs > dayMs - aroundMidnightMs;
}

/** How much an account is said to have used, in words. */
export function told({ minute, day }: { readonly minute: number; readonly day: number }): string {
  return `${minute} requests were made in this minute and ${day} in this day`;
}

/** What came of requests that were really sent. */
interface Sent {
  readonly served: number;
  /** Requests that got neither a success nor a 429: whether they were counted nobody knows. */
  readonly unclear: number;
  /** A request that was refused for a limit. */
  readonly refused: { readonly call: Call; readonly exchange: Answered } | undefined;
  readonly last: { readonly call: Call; readonly exchange: Answered };
}

// A back end in trouble now and then says nothing about limits; its answers are made up for, so many times.
const sparesAtMost = 20;

/** Sends until so many were served or one was refused, at most 16 at once. */
async function sendUntil(
  { api }: CheckContext,
  request: InferenceRequest,
  wanted: number,
  rule: RequirementId,
): Promise<Sent> {
  const allows = (status: number) => status === 200 || status === 429;
  let served = 0;
  let unclear = 0;
  let left = wanted + sparesAtMost;
  for (;;) {
    const calls = Array.from({ length: Math.min(wanted - served, left) }, () => api.infer(request));
    left -= calls.length;
    const sent = await Promise.all(
      calls.map(async (call) => ({
        call,
        exchange: await call.send({ rule, expected: '200 or 429', allows }),
      })),
    );
    const answered = sent.flatMap(({ call, exchange }) => (isAnswered(exchange) ? [{ call, exchange }] : []));
    const refused = answered.find(({ exchange }) => exchange.answer.status === 429);
    served += answered.filter(({ exchange }) => exchange.answer.status === 200).length;
    unclear += sent.filter(
      ({ exchange: { answer } }) => answer?.status !== 200 && answer?.status !== 429,
    ).length;
    const last = answered.at(-1);
    if (last === undefined || (served < wanted && refused === undefined && left === 0)) {
      throw new Disturbed(
        `only ${served} of ${wanted} requests were served, and none was refused for a limit`,
      );
    }
    if (served >= wanted || refused !== undefined) return { served, unclear, refused, last };
  }
}

/** A check that really sends: twenty are served, and of twice as many and one more at least one is refused. */
function counted(id: 'rate-limit.minute.allowed' | 'rate-limit.minute.large-account', as: Account): Check {
  const also: readonly RequirementId[] =
    id === 'rate-limit.minute.allowed' ? ['rate-limit.minute.refused'] : [];
  return check(
    `${id}/sent`,
    { control, sideEffects: 'settings', needs: ['worlds'], also },
    async (context) => {
      const request: InferenceRequest = { as, model: 'free' };
      const start = performance.now();
      const first = await sendUntil(context, request, perMinute, id);
      judgeServed(id, first, `the first ${perMinute} requests of a minute to be served`);
      if (first.refused !== undefined) return;
      const { refused: refusal, last } = await sendUntil(context, request, surelyTooMany - perMinute, id);
      if (performance.now() - start > minuteMs) throw new Disturbed('a minute passed meanwhile');
      const { call, exchange } = refusal ?? last;
      call.expect(exchange, also[0] ?? id, {
        ok: refusal !== undefined,
        expected: `at least one 429 among ${surelyTooMany} requests within a minute`,
        actual: 'all of them were served',
      });
    },
  );
}

function judgeServed(
  id: RequirementId,
  { served, unclear, refused: refusal, last }: Sent,
  expected: string,
): void {
  if (refusal !== undefined && unclear > 0)
    throw new Disturbed(`${unclear} requests got no answer that says whether they were counted`);
  const { call, exchange } = refusal ?? last;
  call.expect(exchange, id, {
    ok: refusal === undefined,
    expected,
    actual: `429 beside ${served} that were served`,
  });
}

/** The code of the provider, which both upstream faults know (§7.4). */
export function judgeProviderCode(call: Call, exchange: Answered): void {
  const code = readErrorMetadata(exchange).provider_code;
  call.expect(exchange, 'rate-limit.upstream.provider-code', {
    ok: code !== undefined && code !== null,
    expected: 'error.metadata.provider_code',
    actual: code === null ? 'null' : 'no provider_code',
  });
}

/** The hint of an upstream 429 for which every provider gave one (§7.4). */
export function judgeRetryAfter(call: Call, exchange: Answered): void {
  const value = header(exchange.answer, 'retry-after');
  call.expect(exchange, 'rate-limit.upstream.retry-after', {
    ok: value !== undefined && value !== '',
    expected: 'the header Retry-After, since every provider gave a hint',
    actual: 'no such header',
  });
}

/** Asserts that a request is served although one of the providers of its model limits it (§7.4). */
export function judgeFallback(call: Call): Promise<void> {
  return judgeSuccess(call, 'rate-limit.fallback', 'another provider of the same model can serve it');
}

/** A key more does not change the limits of its account (§8.2): what either key has used is used up for both. */
const secondKey: Check = check('rate-limit.global', { control, sideEffects }, async ({ world, api }) => {
  const ask = (as: Role) => api.infer({ as, model: 'free' });
  await world.setFreeUsage('free_small', 0, 0);
  await ask('free_small_second').expectControl(200);
  for (const used of [
    { minute: perMinute, day: perMinute },
    { minute: 0, day: perDay.free_small },
  ]) {
    await world.setFreeUsage('free_small', used.minute, used.day);
    const because = `${told(used)} with the other key`;
    await ask('free_small_second').expectRefusal(429, { because, timed: isTimed(used) });
  }
  const nearly = { minute: perMinute - 1, day: perMinute - 1 };
  await world.setFreeUsage('free_small', nearly.minute, nearly.day);
  await ask('free_small_second').expectControl(200);
  const because = 'the other key made the last request within the limit';
  await ask('free_small').expectRefusal(429, { because, timed: isTimed(nearly) });
});

/** The checks of §7.4 and §8.2. */
export const rateLimitChecks: readonly Check[] = [
  check('rate-limit.paid/sent', { control, sideEffects: 'settings' }, async (context) => {
    const sent = await sendUntil(
      context,
      { as: 'free_small', model: 'paid' },
      perDay.free_small + 1,
      'rate-limit.paid',
    );
    judgeServed('rate-limit.paid', sent, 'paid models to have no cap on requests');
    // An account that others use too may have used up its free requests.
    if (!context.offers('worlds')) return;
    await context.api
      .infer({ as: 'free_small', model: 'free' })
      .expectStatus(200, { because: 'requests to paid models do not count for free ones' });
  }),

  counted('rate-limit.minute.allowed', 'free_small'),
  counted('rate-limit.minute.large-account', 'free_large'),
  secondKey,
  check('rate-limit.fallback', { control }, async ({ world, api, offers }) => {
    await world.setFaults('one_provider_limited');
    for (const model of ['free', 'paid'] as const) {
      if (!offers(`inference:${model}`)) continue;
      for (const stream of [false, true]) await judgeFallback(api.infer({ model, stream }));
    }
    await world.setFaults();
    await api.infer().expectControl(200);
  }),
];
