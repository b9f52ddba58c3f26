import type { Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { answers, changedMember, envelopes, fault, gateStatus, type Override } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';

/** Mutants of the area rate-limit: the 429 of a platform limit, and what a success must not carry (§7.4). */
export const rateLimitPlatformMutants: readonly Mutant[] = [
  // X-RateLimit-* on a 429 of the platform
  ...makeMutants('7.4', ['rate-limit.platform.header.limit'], {
    'rate-limit.header-limit-missing': {
      everydayPlain: 'A 429 of the platform has no X-RateLimit-Limit',
      override: platformHeaders(({ 'X-RateLimit-Limit': _limit, ...headers }) => headers),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.platform.header.remaining'], {
    'rate-limit.header-remaining-missing': {
      everydayPlain: 'A 429 of the platform has no X-RateLimit-Remaining',
      override: platformHeaders(({ 'X-RateLimit-Remaining': _remaining, ...headers }) => headers),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.platform.header.reset'], {
    'rate-limit.header-reset-missing': {
      everydayPlain: 'A 429 of the platform has no X-RateLimit-Reset',
      override: platformHeaders(({ 'X-RateLimit-Reset': _reset, ...headers }) => headers),
    },
    'rate-limit.header-reset-missing-by-day': {
      subtle: 'A 429 for the limit per day has no X-RateLimit-Reset',
      override: platformHeaders(({ 'X-RateLimit-Reset': reset = '', ...headers }, { limit }) =>
        limit > 20 ? headers : { ...headers, 'X-RateLimit-Reset': reset },
      ),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.platform.header.limit'], {
    'rate-limit.header-limit-empty': {
      plain: 'X-RateLimit-Limit is empty',
      override: platformHeaders((headers) => ({ ...headers, 'X-RateLimit-Limit': '' })),
    },
    'rate-limit.headers-by-another-name': {
      plain: 'The limit comes as RateLimit-Limit, without the X',
      override: platformHeaders(({ 'X-RateLimit-Limit': limit = '', ...headers }) => ({
        ...headers,
        'RateLimit-Limit': limit,
      })),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.platform.header.remaining'], {
    'rate-limit.header-remaining-missing-streamed': {
      subtle: 'A 429 of the platform has no X-RateLimit-Remaining if a stream was asked for',
      override: answers({ operation: 'inference', status: 429, when: isStreamed }, (answer) => {
        const { 'X-RateLimit-Remaining': _remaining, ...headers } = answer.headers;
        return { ...answer, headers };
      }),
    },
  }),

  // error_type on a 429 of the platform
  ...makeMutants('7.4', ['rate-limit.platform.error-type'], {
    'rate-limit.error-type-missing': {
      everydayPlain: 'A 429 of the platform has no error_type in its metadata',
      override: platformMetadata(() => ({})),
    },
    'rate-limit.error-type-other': {
      plain: 'The error_type of a 429 of the platform is rate_limited',
      override: platformMetadata(() => ({ error_type: 'rate_limited' })),
    },
    'rate-limit.error-type-upper-case': {
      subtle: 'The error_type of a 429 of the platform is in upper case',
      override: platformMetadata(() => ({ error_type: 'RATE_LIMIT_EXCEEDED' })),
    },
    'rate-limit.error-type-null': {
      plain: 'The error_type of a 429 of the platform is null',
      override: platformMetadata(() => ({ error_type: null })),
    },
    'rate-limit.error-type-in-list': {
      subtle: 'The error_type of a 429 of the platform is a list of one',
      override: platformMetadata(() => ({ error_type: ['rate_limit_exceeded'] })),
    },
    'rate-limit.platform-metadata-null': {
      plain: 'The metadata of a 429 of the platform is null',
      override: platformMetadata(() => null),
    },
    'rate-limit.platform-metadata-missing': {
      plain: 'A 429 of the platform has no metadata',
      override: platformMetadata(() => undefined),
    },
    'rate-limit.error-type-beside-metadata': {
      plain: 'The error_type of a 429 of the platform stands beside the metadata, not in it',
      override: platformErrors(({ metadata: _metadata, ...error }) => ({
        ...error,
        error_type: 'rate_limit_exceeded',
      })),
    },
    'rate-limit.error-type-by-day': {
      subtle: 'The error_type of a 429 for the limit per day is daily_limit_exceeded',
      override: platformMetadata(({ limit }) => ({
        error_type: limit > 20 ? 'daily_limit_exceeded' : 'rate_limit_exceeded',
      })),
    },
  }),

  // successes
  ...makeMutants('7.4', ['rate-limit.success-headers'], {
    'rate-limit.headers-on-plain-success': {
      everydayPlain: 'A plain inference success carries X-RateLimit-Limit',
      override: onSuccess((call) => !isStreamed(call), 'X-RateLimit-Limit', '20'),
    },
    'rate-limit.headers-on-streamed-success': {
      plain: 'A streamed inference success carries X-RateLimit-Limit',
      override: onSuccess(isStreamed, 'X-RateLimit-Limit', '20'),
    },
    'rate-limit.remaining-on-paid-success': {
      subtle: 'A success of a paid model carries X-RateLimit-Remaining',
      override: onSuccess(
        ({ inference }) => inference !== undefined && !conforming.isFreeModel(inference.model),
        'X-RateLimit-Remaining',
        '999',
      ),
    },
    'rate-limit.reset-on-success-of-large-accounts': {
      subtle: 'A success of the account that has bought 25 credits carries x-ratelimit-reset, in lower case',
      override: onSuccess(({ key }) => key?.role === 'free_large', 'x-ratelimit-reset', '60'),
    },
    'rate-limit.tokens-on-success': {
      subtle: 'An inference success carries X-RateLimit-Remaining-Tokens',
      override: onSuccess(() => true, 'X-RateLimit-Remaining-Tokens', '40000'),
    },
  }),

  // the status
  ...makeMutants('7.4', ['rate-limit.platform.status'], {
    'rate-limit.platform-503': {
      everydayPlain: 'A limit of the platform is answered 503',
      override: fault('platform_rate_limited', { status: 503 }),
    },
    'rate-limit.platform-200-with-envelope': {
      plain: 'A limit of the platform is answered 200 with the error in the body',
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
  }),
  ...makeMutants('8.2', ['rate-limit.minute.refused'], {
    'rate-limit.minute-402': {
      plain: 'A request beyond the limit per minute is refused with 402',
      override: gateStatus('inference', 'free-minute', 402),
    },
  }),
  ...makeMutants('8.2', ['rate-limit.day.small.refused', 'rate-limit.day.large.refused'], {
    'rate-limit.day-403': {
      plain: 'A request beyond the limit per day is refused with 403',
      override: gateStatus('inference', 'free-day', 403),
    },
  }),
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
