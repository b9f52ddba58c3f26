import { FreeUsage } from '../accounts.js';
import type { Behaviour, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { countFreeRequest } from '../inference.js';
import { everyday, type MutantRows, plain, rare, subtle, tabulate, tabulateAlike } from '../mutant.js';
import {
  actWhenRefused,
  countUp,
  dropGate,
  editAnswer,
  editEnvelope,
  editFaults,
  editGate,
  type Mutation,
  remember,
  setFaultStatus,
  setHeaders,
  setInError,
  setMember,
  type When,
} from '../mutation.js';
import type { Operation } from '../vocabulary.js';
import { all, as, during, isPaid, isStreamed } from './conditions.js';

/** Mutants of the area rate-limit: the limits of free models (§8.2), and the answers of §7.4. */
export const rateLimitMutants: MutantRows = {
  'rate-limit.21-per-minute': everyday.plain('rate-limit.minute.refused')(
    'A free model takes 21 requests a minute',
    setLimits({ perMinute: 21 }),
  ),
  'rate-limit.19-per-minute': everyday.plain('rate-limit.minute.allowed')(
    'A free model takes 19 requests a minute',
    setLimits({ perMinute: 19 }),
  ),
  'rate-limit.10-per-minute': subtle('rate-limit.minute.allowed')(
    'A free model takes 10 requests a minute, those that fail for another reason included',
    { ...setLimits({ perMinute: 10 }), ...actWhenRefused('inference', 'fault', countFreeRequest) },
  ),
  'rate-limit.3-per-minute': subtle('rate-limit.minute.allowed')(
    'A free model takes 3 requests a minute',
    setLimits({ perMinute: 3 }),
  ),
  'rate-limit.minute-missing-large': everyday.plain('rate-limit.minute.large-account')(
    'An account with 10 credits bought or more has no limit per minute',
    dropGate('inference', 'free-minute', ({ key }) => (key?.traits.purchased ?? 0) >= 10),
  ),
  'rate-limit.minute-missing-exactly-ten': subtle('rate-limit.minute.large-account')(
    'An account that has bought exactly 10 credits has no limit per minute',
    dropGate('inference', 'free-minute', ({ key }) => key?.traits.purchased === 10),
  ),
  'rate-limit.minute-of-two-seconds': subtle('rate-limit.minute.refused')(
    'The limit of a minute is forgotten after two seconds',
    setLimits({ minuteMs: 2_000 }),
  ),
  'rate-limit.minute-of-ten-seconds': rare('rate-limit.minute.refused')(
    'The limit of a minute is forgotten after ten seconds',
    setLimits({ minuteMs: 10_000 }),
  ),
  'rate-limit.minute-never-over': rare('rate-limit.minute.allowed')(
    'What was counted in a minute is never forgotten',
    setLimits({ minuteMs: Number.POSITIVE_INFINITY }),
  ),
  'rate-limit.minute-missing-late-in-the-day': subtle('rate-limit.minute.large-account')(
    'The limit of a minute is forgotten once more than 20 requests were made in a day',
    dropGate('inference', 'free-minute', ({ key, server }) => (key?.usage.inDay(server.now()) ?? 0) > 20),
  ),
  'rate-limit.minute-missing-member': subtle('rate-limit.minute.refused')(
    'Only keys of accounts with a known tier have a limit per minute',
    dropGate('inference', 'free-minute', as('member')),
  ),
  ...tabulate('rate-limit', everyday.plain, setLimits, [
    ['day.small.allowed', '49-per-day-small', 'A small account has 49 a day', { perDaySmall: 49 }],
    ['day.small.refused', '51-per-day-small', 'A small account has 51 a day', { perDaySmall: 51 }],
    ['day.large.allowed', '999-per-day-large', 'A large account has 999 a day', { perDayLarge: 999 }],
    ['day.large.refused', '1001-per-day-large', 'A large account has 1001 a day', { perDayLarge: 1001 }],
  ]),
  'rate-limit.paid-30-requests': everyday.plain('rate-limit.paid')(
    'A key may ask paid models 30 times',
    capPaid(30),
  ),
  'rate-limit.paid-20-streams': subtle('rate-limit.paid')(
    'A key may stream from paid models 20 times',
    capPaid(20, isStreamed),
  ),
  'rate-limit.paid-refused-with-free-day': everyday.plain('rate-limit.paid', 'rate-limit.free-variants')(
    'Paid models are refused once the allowance per day of the free ones is used up',
    editGate('inference', 'free-day', (call, original) =>
      original({ ...call, behaviour: { ...call.behaviour, isFreeModel: () => true } }),
    ),
  ),
  ...tabulate('rate-limit', everyday.plain, omitPlatformHeader, [
    ['platform.header.limit', 'header-limit-missing', 'A platform 429 has no X-RateLimit-Limit', 'Limit'],
    [
      'platform.header.remaining',
      'header-remaining-missing',
      'A 429 has no X-RateLimit-Remaining',
      'Remaining',
    ],
    ['platform.header.reset', 'header-reset-missing', 'A platform 429 has no X-RateLimit-Reset', 'Reset'],
  ]),
  'rate-limit.error-type-missing': everyday.plain('rate-limit.platform.error-type')(
    'A platform 429 has no error_type in its metadata',
    editEnvelope({ operation: 'inference' }, (body, { platform }) =>
      platform === undefined ? body : { ...body, error: { ...body.error, metadata: {} } },
    ),
  ),
  'rate-limit.headers-on-plain-success': everyday.plain('rate-limit.success-headers')(
    'A plain inference success carries X-RateLimit-Limit',
    addLimitHeader((call) => !isStreamed(call)),
  ),
  'rate-limit.headers-on-streamed-success': plain('rate-limit.success-headers')(
    'A streamed inference success carries X-RateLimit-Limit',
    addLimitHeader(isStreamed),
  ),
  ...tabulate('rate-limit', everyday.plain, setFaultStatus, [
    ['platform.status', 'platform-503', 'A platform limit gets 503', ['platform_rate_limited', 503]],
    ['upstream.status', 'upstream-503', 'An upstream limit gets 503', ['upstream_rate_limited', 503]],
  ]),
  'rate-limit.provider-code-missing': everyday.plain('rate-limit.upstream.provider-code')(
    'An upstream 429 has no provider_code',
    editFaults({ upstream_rate_limited: { metadata: { provider_name: 'Acme' } } }),
  ),
  'rate-limit.provider-code-missing-of-paid-models': subtle('rate-limit.upstream.provider-code')(
    'An upstream 429 of a paid model that is not streamed has no provider_code',
    editAnswer(
      { operation: 'inference', status: 429, when: all(isPaid, (call) => !isStreamed(call)) },
      (answer) => setInError(answer, 'metadata', { provider_name: 'Acme' }),
    ),
  ),
  'rate-limit.retry-after-missing': everyday.plain('rate-limit.upstream.retry-after')(
    'A 429 has no Retry-After although every provider gave a hint',
    editFaults({ upstream_rate_limited_hint: { headers: {} } }),
  ),
  'rate-limit.retry-after-in-words': everyday.plain('rate-limit.retry-after-form')(
    'Retry-After on the upstream 429 is a word',
    setUpstreamHint('soon'),
  ),
  ...tabulate('rate-limit', subtle, setUpstreamHint, [
    ['retry-after-form', 'retry-after-fraction', 'The Retry-After of an upstream 429 is a fraction', '1.5'],
    ['retry-after-form', 'retry-after-iso-date', 'Retry-After is a timestamp', '2030-01-01T00:00:00Z'],
  ]),
  'rate-limit.an-allowance-for-each-key': everyday.plain('rate-limit.global')(
    'Every key of an account has an allowance of free models of its own',
    {
      usageOf: (call, key) =>
        key.role === 'free_small_second'
          ? remember(call, `usage of ${key.text}`, () => new FreeUsage())
          : key.usage,
    },
  ),
  'rate-limit.counted-by-real-ip': subtle('rate-limit.minute.refused')(
    'Requests to free models are counted by account and X-Real-IP',
    {
      usageOf: (call, key) => {
        const address = call.headers['x-real-ip'];
        return address === undefined
          ? key.usage
          : remember(call, `usage of ${key.text} at ${address}`, () => new FreeUsage());
      },
    },
  ),
  ...tabulateAlike('rate-limit', subtle('rate-limit.minute.allowed'), countAlso, [
    ['key-reads-counted', 'Key reads count as requests to free models', 'key-read'],
    ['deletes-counted', 'Deletes of secrets count as requests to free models', 'vault-delete'],
  ]),
  'rate-limit.streams-counted-apart': subtle(
    'rate-limit.minute.large-account',
    'rate-limit.day.small.refused',
  )(
    'An account has one allowance of free models for streamed requests, and another for those that are not',
    countApart(isStreamed),
  ),
  'rate-limit.small-counted-twice': subtle('rate-limit.day.small.allowed', 'rate-limit.minute.allowed')(
    'Each request of an account that has bought less than 10 credits counts twice',
    countTwice(({ key }) => key !== undefined && key.traits.purchased < 10),
  ),
  'rate-limit.forgotten-by-a-crash': subtle('rate-limit.minute.refused')(
    'A body that is not whole restarts the process that counts the requests to free models',
    actWhenRefused('inference', 'inference-request', ({ key, server }) => key?.usage.set(0, 0, server.now())),
  ),
  'rate-limit.forgotten-by-a-paid-request': subtle('rate-limit.minute.refused')(
    'A request to a paid model clears the count of the minute',
    editGate('inference', 'free-minute', (call, original) => {
      const now = call.server.now();
      if (isPaid(call)) call.key?.usage.set(0, call.key.usage.inDay(now), now);
      return original(call);
    }),
  ),
  'rate-limit.streams-counted-twice': subtle('rate-limit.minute.large-account')(
    'Each streamed request to a free model counts twice',
    countTwice(isStreamed),
  ),
  'rate-limit.more-than-ten-credits': subtle('rate-limit.day.large.allowed')(
    'The larger limit of a day takes more than 10 credits',
    setLimits({ boughtEnough: 10.01 }),
  ),
  'rate-limit.fallback-error-with-200': subtle('rate-limit.fallback')(
    'Where one provider limits a request, its error is passed on in a body with the status 200',
    editAnswer({ operation: 'inference', status: 200, when: during('one_provider_limited') }, (answer) => ({
      ...answer,
      body: { error: { code: 429, message: 'Provider returned an error' } },
    })),
  ),
  'rate-limit.no-fallback': everyday.plain('rate-limit.fallback')(
    'The limit of one provider is passed on although another could serve the request',
    editGate('inference', 'fault', (call, original) =>
      during('one_provider_limited')(call) ? conforming.faults.one_provider_limited.refusal : original(call),
    ),
  ),
};

/** Counts some requests to free models twice. */
function countTwice(when: When): Mutation {
  return {
    countUse: (call, usage) => {
      conforming.countUse(call, usage);
      if (when(call)) conforming.countUse(call, usage);
    },
  };
}

/** Counts requests of another operation as requests to free models. */
function countAlso(operation: Operation): Mutation {
  return {
    answer: (answer, call) => {
      if (call.operation === operation) call.key?.usage.add(call.server.now());
      return answer;
    },
  };
}

/** Counts some requests to free models apart from the others; what the control sets counts for both. */
function countApart(isApart: When): Mutation {
  const counts = new WeakMap<FreeUsage, { apart: number; others: number; ofDay: number }>();
  const countsOf = (usage: FreeUsage, now: number) => {
    const ofDay = usage.inDay(now);
    const known = counts.get(usage);
    // Otherwise the control has set it since.
    if (known?.ofDay === ofDay) return known;
    const fresh = { apart: 0, others: 0, ofDay };
    counts.set(usage, fresh);
    return fresh;
  };
  return {
    usageOf: (call, { usage }) => {
      const now = call.server.now();
      const { apart, others } = countsOf(usage, now);
      const uncounted = isApart(call) ? others : apart;
      const own = new FreeUsage();
      own.set(Math.max(0, usage.inMinute(now) - uncounted), usage.inDay(now) - uncounted, now);
      return own;
    },
    countUse: (call) => {
      const now = call.server.now();
      if (call.key === undefined) return;
      const known = countsOf(call.key.usage, now);
      known[isApart(call) ? 'apart' : 'others'] += 1;
      known.ofDay += 1;
      call.key.usage.add(now);
    },
  };
}

function setLimits(limits: Partial<Behaviour['limits']>): Mutation {
  return { limits: { ...conforming.limits, ...limits } };
}

/** Limits how often a key may ask paid models, or ask them for answers of some kind. */
function capPaid(limit: number, isCounted: When = () => true): Mutation {
  const platform = { limit, freesInMs: 60_000 };
  const refusal: Refusal = { ...conforming.faults.platform_rate_limited.refusal, platform };
  return editGate('inference', 'free-minute', (call, original) => {
    if (!isPaid(call) || call.key === undefined || !isCounted(call)) return original(call);
    return countUp(call, `paid requests of ${call.key.text}`) > limit ? refusal : undefined;
  });
}

function omitPlatformHeader(end: string): Mutation {
  return {
    platformHeaders: (platform, now) =>
      setMember<string>(conforming.platformHeaders(platform, now), `X-RateLimit-${end}`, undefined),
  };
}

function addLimitHeader(when: When): Mutation {
  return setHeaders({ operation: 'inference', status: 200, when }, { 'X-RateLimit-Limit': '20' });
}

function setUpstreamHint(value: string): Mutation {
  return editFaults({ upstream_rate_limited_hint: { headers: { 'Retry-After': value } } });
}
