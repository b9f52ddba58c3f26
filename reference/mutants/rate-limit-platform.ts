import type { Refusal } from '../answer.js';
import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { JsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { answers, changedMember, envelopes, fault, gateStatus } from '../override.js';

/** Mutants of the area rate-limit: the 429 of a platform limit, and what a success must not carry (§7.4). */
export const rateLimitPlatformMutants: readonly Mutant[] = [
  // X-RateLimit-* on a 429 of the platform
  {
    id: 'rate-limit.header-limit-missing',
    section: '7.4',
    turnsRed: ['rate-limit.platform.header.limit'],
    description: 'A 429 of the platform has no X-RateLimit-Limit',
    hardness: 'plain',
    override: platformHeaders(({ 'X-RateLimit-Limit': _limit, ...headers }) => headers),
  },
  {
    id: 'rate-limit.header-remaining-missing',
    section: '7.4',
    turnsRed: ['rate-limit.platform.header.remaining'],
    description: 'A 429 of the platform has no X-RateLimit-Remaining',
    hardness: 'plain',
    override: platformHeaders(({ 'X-RateLimit-Remaining': _remaining, ...headers }) => headers),
  },
  {
    id: 'rate-limit.header-reset-missing',
    section: '7.4',
    turnsRed: ['rate-limit.platform.header.reset'],
    description: 'A 429 of the platform has no X-RateLimit-Reset',
    hardness: 'plain',
    override: platformHeaders(({ 'X-RateLimit-Reset': _reset, ...headers }) => headers),
  },
  {
    id: 'rate-limit.header-reset-missing-by-day',
    section: '7.4',
    turnsRed: ['rate-limit.platform.header.reset'],
    description: 'A 429 for the limit per day has no X-RateLimit-Reset',
    hardness: 'subtle',
    override: platformHeaders(({ 'X-RateLimit-Reset': reset = '', ...headers }, { limit }) =>
      limit > 20 ? headers : { ...headers, 'X-RateLimit-Reset': reset },
    ),
  },
  {
    id: 'rate-limit.header-limit-empty',
    section: '7.4',
    turnsRed: ['rate-limit.platform.header.limit'],
    description: 'X-RateLimit-Limit is empty',
    hardness: 'plain',
    override: platformHeaders((headers) => ({ ...headers, 'X-RateLimit-Limit': '' })),
  },
  {
    id: 'rate-limit.headers-by-another-name',
    section: '7.4',
    turnsRed: ['rate-limit.platform.header.limit'],
    description: 'The limit comes as RateLimit-Limit, without the X',
    hardness: 'plain',
    override: platformHeaders(({ 'X-RateLimit-Limit': limit = '', ...headers }) => ({
      ...headers,
      'RateLimit-Limit': limit,
    })),
  },
  {
    id: 'rate-limit.header-remaining-missing-streamed',
    section: '7.4',
    turnsRed: ['rate-limit.platform.header.remaining'],
    description: 'A 429 of the platform has no X-RateLimit-Remaining if a stream was asked for',
    hardness: 'subtle',
    override: answers({ operation: 'inference', status: 429, when: isStreamed }, (answer) => {
      const { 'X-RateLimit-Remaining': _remaining, ...headers } = answer.headers;
      return { ...answer, headers };
    }),
  },

  // error_type on a 429 of the platform
  {
    id: 'rate-limit.error-type-missing',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'A 429 of the platform has no error_type in its metadata',
    hardness: 'plain',
    override: platformMetadata(() => ({})),
  },
  {
    id: 'rate-limit.error-type-other',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'The error_type of a 429 of the platform is rate_limited',
    hardness: 'plain',
    override: platformMetadata(() => ({ error_type: 'rate_limited' })),
  },
  {
    id: 'rate-limit.error-type-upper-case',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'The error_type of a 429 of the platform is in upper case',
    hardness: 'subtle',
    override: platformMetadata(() => ({ error_type: 'RATE_LIMIT_EXCEEDED' })),
  },
  {
    id: 'rate-limit.error-type-null',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'The error_type of a 429 of the platform is null',
    hardness: 'plain',
    override: platformMetadata(() => ({ error_type: null })),
  },
  {
    id: 'rate-limit.error-type-in-list',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'The error_type of a 429 of the platform is a list of one',
    hardness: 'subtle',
    override: platformMetadata(() => ({ error_type: ['rate_limit_exceeded'] })),
  },
  {
    id: 'rate-limit.platform-metadata-null',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'The metadata of a 429 of the platform is null',
    hardness: 'plain',
    override: platformMetadata(() => null),
  },
  {
    id: 'rate-limit.platform-metadata-missing',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'A 429 of the platform has no metadata',
    hardness: 'plain',
    override: platformMetadata(() => undefined),
  },
  {
    id: 'rate-limit.error-type-beside-metadata',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'The error_type of a 429 of the platform stands beside the metadata, not in it',
    hardness: 'plain',
    override: platformErrors(({ metadata: _metadata, ...error }) => ({
      ...error,
      error_type: 'rate_limit_exceeded',
    })),
  },
  {
    id: 'rate-limit.error-type-by-day',
    section: '7.4',
    turnsRed: ['rate-limit.platform.error-type'],
    description: 'The error_type of a 429 for the limit per day is daily_limit_exceeded',
    hardness: 'subtle',
    override: platformMetadata(({ limit }) => ({
      error_type: limit > 20 ? 'daily_limit_exceeded' : 'rate_limit_exceeded',
    })),
  },

  // successes
  {
    id: 'rate-limit.headers-on-plain-success',
    section: '7.4',
    turnsRed: ['rate-limit.success-headers'],
    description: 'A plain inference success carries X-RateLimit-Limit',
    hardness: 'plain',
    override: onSuccess((call) => !isStreamed(call), 'X-RateLimit-Limit', '20'),
  },
  {
    id: 'rate-limit.headers-on-streamed-success',
    section: '7.4',
    turnsRed: ['rate-limit.success-headers'],
    description: 'A streamed inference success carries X-RateLimit-Limit',
    hardness: 'plain',
    override: onSuccess(isStreamed, 'X-RateLimit-Limit', '20'),
  },
  {
    id: 'rate-limit.remaining-on-paid-success',
    section: '7.4',
    turnsRed: ['rate-limit.success-headers'],
    description: 'A success of a paid model carries X-RateLimit-Remaining',
    hardness: 'subtle',
    override: onSuccess(
      ({ inference }) => inference !== undefined && !conforming.isFreeModel(inference.model),
      'X-RateLimit-Remaining',
      '999',
    ),
  },
  {
    id: 'rate-limit.reset-on-success-of-large-accounts',
    section: '7.4',
    turnsRed: ['rate-limit.success-headers'],
    description:
      'A success of the account that has bought 25 credits carries x-ratelimit-reset, in lower case',
    hardness: 'subtle',
    override: onSuccess(({ key }) => key?.role === 'free_large', 'x-ratelimit-reset', '60'),
  },
  {
    id: 'rate-limit.tokens-on-success',
    section: '7.4',
    turnsRed: ['rate-limit.success-headers'],
    description: 'An inference success carries X-RateLimit-Remaining-Tokens',
    hardness: 'subtle',
    override: onSuccess(() => true, 'X-RateLimit-Remaining-Tokens', '40000'),
  },

  // the status
  {
    id: 'rate-limit.platform-503',
    section: '7.4',
    turnsRed: ['rate-limit.platform.status'],
    description: 'A limit of the platform is answered 503',
    hardness: 'plain',
    override: fault('platform_rate_limited', { status: 503 }),
  },
  {
    id: 'rate-limit.platform-200-with-envelope',
    section: '7.4',
    turnsRed: ['rate-limit.platform.status'],
    description: 'A limit of the platform is answered 200 with the error in the body',
    hardness: 'plain',
    override: {
      refuse: (call, refusal) => {
        const answer = conforming.refuse(call, refusal);
        const isLimited = refusal === conforming.faults.platform_rate_limited.refusal;
        return isLimited
          ? { ...answer, status: 200, headers: { 'Content-Type': 'application/json' } }
          : answer;
      },
    },
  },
  {
    id: 'rate-limit.minute-402',
    section: '8.2',
    turnsRed: ['rate-limit.minute.refused'],
    description: 'A request beyond the limit per minute is refused with 402',
    hardness: 'plain',
    override: gateStatus('inference', 'free-minute', 402),
  },
  {
    id: 'rate-limit.day-403',
    section: '8.2',
    turnsRed: ['rate-limit.day.small.refused', 'rate-limit.day.large.refused'],
    description: 'A request beyond the limit per day is refused with 403',
    hardness: 'plain',
    override: gateStatus('inference', 'free-day', 403),
  },
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

/** The headers of a platform limit's 429 are others. */
function platformHeaders(
  change: (
    headers: Record<string, string>,
    platform: NonNullable<Refusal['platform']>,
  ) => Record<string, string>,
): Override {
  return {
    platformHeaders: (platform, now) => change(conforming.platformHeaders(platform, now), platform),
  };
}

/** The error object of a platform limit's 429 is another. */
function platformErrors(
  change: (error: JsonObject, platform: NonNullable<Refusal['platform']>) => JsonObject,
): Override {
  return envelopes({ operation: 'inference' }, (body, { platform }) =>
    platform === undefined ? body : { ...body, error: change(body.error, platform) },
  );
}

/** The metadata of a platform limit's 429 is another; undefined leaves it out. */
function platformMetadata(metadata: (platform: NonNullable<Refusal['platform']>) => unknown): Override {
  return platformErrors((error, platform) => changedMember(error, 'metadata', metadata(platform)));
}

/** Some successes of inference carry one more header. */
function onSuccess(when: (call: Call) => boolean, name: string, value: string): Override {
  return answers({ operation: 'inference', status: 200, when }, (answer) => ({
    ...answer,
    headers: { ...answer.headers, [name]: value },
  }));
}
