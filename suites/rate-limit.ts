import type { InferenceRequest } from '../judge/api.js';
import type { Answered, Call } from '../judge/call.js';
import { type Check, type CheckContext, type CheckId, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import { together } from '../judge/together.js';
import type { RequirementId } from '../spec/ledger.js';
import { header, isObject, json } from '../targets/exchange.js';

// §7.4 and §8.2: rate limits, those of the platform and those of providers.

const control = 'inference';
const perMinute = 20;
const perDay = { free_small: 50, free_large: 1000 } as const;
type Account = keyof typeof perDay;

// A fixed minute can pass meanwhile; two whole allowances and one request more cannot all be served within one.
const surelyTooMany = 2 * perMinute + 1;
const minuteMs = 60_000;

const platformRows = [
  ['rate-limit.platform.header.limit', 'X-RateLimit-Limit'],
  ['rate-limit.platform.header.remaining', 'X-RateLimit-Remaining'],
  ['rate-limit.platform.header.reset', 'X-RateLimit-Reset'],
] as const;
const platformIds: readonly RequirementId[] = [
  ...platformRows.map(([id]) => id),
  'rate-limit.platform.error-type',
];

function metadataOf({ answer }: Answered): Readonly<Record<string, unknown>> {
  const body = json(answer);
  const error = isObject(body) ? body.error : undefined;
  const metadata = isObject(error) ? error.metadata : undefined;
  return isObject(metadata) ? metadata : {};
}

/** What a 429 of the platform carries (§7.4); an in-band event has no headers to carry them in. */
function judgePlatform(call: Call, exchange: Answered & { readonly inBand: boolean }): void {
  if (exchange.inBand) return;
  for (const [id, name] of platformRows) {
    const value = header(exchange.answer, name);
    call.judges(exchange, id, {
      holds: value !== undefined && value !== '',
      expected: `the header ${name}`,
      actual: 'no such header',
    });
  }
  const type = metadataOf(exchange).error_type;
  call.judges(exchange, 'rate-limit.platform.error-type', {
    holds: type === 'rate_limit_exceeded',
    expected: 'error.metadata.error_type rate_limit_exceeded',
    actual: type === undefined ? 'no error_type' : `error_type ${JSON.stringify(type)}`,
  });
}

/** A check that a request is served after so many others (§8.2). */
function served(
  id: CheckId,
  as: Account,
  used: { readonly minute: number; readonly day: number },
  stream = false,
): Check {
  return check(id, { control, needs: ['feature:free_usage'] }, async ({ world, api }) => {
    await world.setFreeUsage(as, used.minute, used.day);
    await api.infer({ as, model: 'free', stream }).answers(200, { because: told(used) });
  });
}

/** A check that a request is refused after so many others (§8.2). */
function refused(
  id: CheckId,
  as: Account,
  used: { readonly minute: number; readonly day: number },
  stream = false,
): Check {
  return check(id, { control, needs: ['feature:free_usage'], also: platformIds }, async ({ world, api }) => {
    await world.setFreeUsage(as, 0, 0);
    await api.infer({ as, model: 'free', stream }).holds(200);
    await world.setFreeUsage(as, used.minute, used.day);
    const call = api.infer({ as, model: 'free', stream });
    judgePlatform(call, await call.refuses(429, { because: told(used), timed: true }));
  });
}

/** A check that the last request within a limit is served and the next one, counted by the target itself, is refused. */
function lastServed(
  id: CheckId,
  as: Account,
  used: { readonly minute: number; readonly day: number },
): Check {
  return check(id, { control, needs: ['feature:free_usage'] }, async ({ world, api }) => {
    await world.setFreeUsage(as, used.minute, used.day);
    await api.infer({ as, model: 'free' }).holds(200);
    await api
      .infer({ as, model: 'free' })
      .refuses(429, { because: 'the limit was reached by the request before', timed: true });
  });
}

function told({ minute, day }: { readonly minute: number; readonly day: number }): string {
  return `${minute} requests were made in this minute and ${day} in this day`;
}

/** Really sends so many requests at once; says how many were refused, and whether a minute can have passed. */
async function flood({ api }: CheckContext, request: InferenceRequest, count: number) {
  const start = performance.now();
  const calls = Array.from({ length: count }, () => api.infer(request));
  const exchanges = await Promise.all(calls.map((call) => call.send()));
  const unexpected = exchanges.find(({ answer }) => answer?.status !== 200 && answer?.status !== 429);
  if (unexpected !== undefined) {
    throw new Disturbed(
      `${unexpected.label} got ${unexpected.answer?.status ?? unexpected.lost} among ${count} at once`,
    );
  }
  return {
    last: calls.at(-1),
    exchange: exchanges.at(-1),
    refusals: exchanges.filter(({ answer }) => answer?.status === 429).length,
    withinMinute: performance.now() - start < minuteMs,
  };
}

/** A check that really sends: twenty are served, and of twice as many and one more at least one is refused. */
function counted(id: 'rate-limit.minute.allowed' | 'rate-limit.minute.large-account', as: Account): Check {
  const also: readonly RequirementId[] =
    id === 'rate-limit.minute.allowed' ? ['rate-limit.minute.refused'] : [];
  const refusedRow: RequirementId = also[0] ?? id;
  return check(`${id}/sent`, { control, also }, async (context) => {
    const request: InferenceRequest = { as, model: 'free' };
    const first = Array.from({ length: perMinute }, () => context.api.infer(request));
    await together(
      first.map((call) => call.answers(200, { because: `it is one of the first ${perMinute} of a minute` })),
    );
    const { last, exchange, refusals, withinMinute } = await flood(
      context,
      request,
      surelyTooMany - perMinute,
    );
    if (last === undefined || exchange?.answer === undefined || !withinMinute)
      throw new Disturbed('a minute passed meanwhile');
    last.judges({ ...exchange, answer: exchange.answer }, refusedRow, {
      holds: refusals > 0,
      expected: `at least one 429 among ${surelyTooMany} requests within a minute`,
      actual: 'all of them were served',
    });
  });
}

function upstream(stream: boolean): Check {
  const word = stream ? 'streamed' : 'plain';
  return check(
    `rate-limit.upstream.status/${word}`,
    { control, also: ['rate-limit.upstream.provider-code'] },
    async ({ world, api }) => {
      await world.setFaults('upstream_rate_limited');
      const call = api.infer({ stream });
      const exchange = await call.refuses(429);
      if (!exchange.inBand) {
        const code = metadataOf(exchange).provider_code;
        call.judges(exchange, 'rate-limit.upstream.provider-code', {
          holds: code !== undefined && code !== null,
          expected: 'error.metadata.provider_code',
          actual: code === null ? 'null' : 'no provider_code',
        });
      }
      await world.setFaults();
      await api.infer({ stream }).holds(200);
    },
  );
}

/** The checks of §7.4 and §8.2. */
export const rateLimitChecks: readonly Check[] = [
  served('rate-limit.minute.allowed/twentieth', 'free_small', { minute: perMinute - 1, day: perMinute - 1 }),
  served(
    'rate-limit.minute.allowed/twentieth-streamed',
    'free_small',
    { minute: perMinute - 1, day: perMinute - 1 },
    true,
  ),
  counted('rate-limit.minute.allowed', 'free_small'),
  refused('rate-limit.minute.refused/twenty-first', 'free_small', { minute: perMinute, day: perMinute }),
  refused(
    'rate-limit.minute.refused/twenty-first-streamed',
    'free_small',
    { minute: perMinute, day: perMinute },
    true,
  ),
  lastServed('rate-limit.minute.refused/after-the-last', 'free_small', {
    minute: perMinute - 1,
    day: perMinute - 1,
  }),
  served('rate-limit.minute.large-account/twentieth', 'free_large', {
    minute: perMinute - 1,
    day: perMinute - 1,
  }),
  refused('rate-limit.minute.large-account/twenty-first', 'free_large', {
    minute: perMinute,
    day: perMinute,
  }),
  counted('rate-limit.minute.large-account', 'free_large'),

  served('rate-limit.day.small.allowed/fiftieth', 'free_small', { minute: 0, day: perDay.free_small - 1 }),
  served(
    'rate-limit.day.small.allowed/fiftieth-streamed',
    'free_small',
    { minute: 0, day: perDay.free_small - 1 },
    true,
  ),
  refused('rate-limit.day.small.refused/fifty-first', 'free_small', { minute: 0, day: perDay.free_small }),
  refused(
    'rate-limit.day.small.refused/fifty-first-streamed',
    'free_small',
    { minute: 0, day: perDay.free_small },
    true,
  ),
  lastServed('rate-limit.day.small.refused/after-the-last', 'free_small', {
    minute: 0,
    day: perDay.free_small - 1,
  }),
  served('rate-limit.day.large.allowed/fifty-first', 'free_large', { minute: 0, day: perDay.free_small }),
  served('rate-limit.day.large.allowed/thousandth', 'free_large', { minute: 0, day: perDay.free_large - 1 }),
  refused('rate-limit.day.large.refused/thousand-and-first', 'free_large', {
    minute: 0,
    day: perDay.free_large,
  }),
  lastServed('rate-limit.day.large.refused/after-the-last', 'free_large', {
    minute: 0,
    day: perDay.free_large - 1,
  }),

  check(
    'rate-limit.paid/after-the-limits',
    { control, needs: ['feature:free_usage'] },
    async ({ world, api }) => {
      await world.setFreeUsage('free_small', perMinute, perDay.free_small);
      for (const stream of [false, true]) {
        await api
          .infer({ as: 'free_small', model: 'paid', stream })
          .answers(200, { because: 'the limits are of free models' });
      }
    },
  ),
  check('rate-limit.paid/sent', { control }, async ({ api }) => {
    const calls = Array.from({ length: perDay.free_small + 1 }, () =>
      api.infer({ as: 'free_small', model: 'paid' }),
    );
    await together(
      calls.map((call) => call.answers(200, { because: 'paid models have no cap on requests' })),
    );
  }),

  ...([false, true] as const).map((stream) =>
    check(
      `rate-limit.platform.status/${stream ? 'streamed' : 'plain'}`,
      { control, also: platformIds },
      async ({ world, api }) => {
        await world.setFaults('platform_rate_limited');
        const call = api.infer({ model: 'free', stream });
        judgePlatform(call, await call.refuses(429));
        await world.setFaults();
        await api.infer({ model: 'free', stream }).holds(200);
      },
    ),
  ),
  upstream(false),
  upstream(true),
  check(
    'rate-limit.upstream.retry-after',
    { control, also: ['rate-limit.upstream.status'] },
    async ({ world, api }) => {
      await world.setFaults('upstream_rate_limited_hint');
      const call = api.infer();
      const exchange = await call.answers(429, { requirement: 'rate-limit.upstream.status' });
      const value = header(exchange.answer, 'retry-after');
      call.judges(exchange, 'rate-limit.upstream.retry-after', {
        holds: value !== undefined && value !== '',
        expected: 'the header Retry-After, since every provider gave a hint',
        actual: 'no such header',
      });
      await world.setFaults();
      await api.infer().holds(200);
    },
  ),
];
