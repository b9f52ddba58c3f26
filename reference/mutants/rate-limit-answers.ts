import type { Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle, tabulate } from '../mutant.js';
import {
  editAnswer,
  editEnvelope,
  editFault,
  type Mutation,
  setGateStatus,
  setHeader,
  setMember,
} from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';
import { all, as, endSilently, isStreamed, type When } from './conditions.js';

/** Mutants of the area rate-limit: the 429 of a platform limit, and what a success must not carry (§7.4). */
export const rateLimitAnswersMutants: readonly Mutant[] = [
  ...makeMutants('rate-limit.platform.header.limit', {
    'rate-limit.header-limit-missing': everyday.plain(
      'A platform 429 has no X-RateLimit-Limit',
      editPlatformHeaders(({ 'X-RateLimit-Limit': _limit, ...headers }) => headers),
    ),
    'rate-limit.header-limit-empty': plain(
      'X-RateLimit-Limit is empty',
      editPlatformHeaders((headers) => ({ ...headers, 'X-RateLimit-Limit': '' })),
    ),
  }),
  ...makeMutants('rate-limit.platform.header.remaining', {
    'rate-limit.header-remaining-missing': everyday.plain(
      'A platform 429 has no X-RateLimit-Remaining',
      editPlatformHeaders(({ 'X-RateLimit-Remaining': _remaining, ...headers }) => headers),
    ),
  }),
  ...makeMutants('rate-limit.platform.header.reset', {
    'rate-limit.header-reset-missing': everyday.plain(
      'A platform 429 has no X-RateLimit-Reset',
      editPlatformHeaders(({ 'X-RateLimit-Reset': _reset, ...headers }) => headers),
    ),
    'rate-limit.header-reset-missing-by-day': subtle(
      'A 429 for the limit per day has no X-RateLimit-Reset',
      editPlatformHeaders(({ 'X-RateLimit-Reset': reset = '', ...headers }, { limit }) =>
        limit > 20 ? headers : { ...headers, 'X-RateLimit-Reset': reset },
      ),
    ),
  }),
  ...makeMutants('rate-limit.platform.error-type', {
    'rate-limit.error-type-missing': everyday.plain(
      'A platform 429 has no error_type in its metadata',
      setPlatformMetadata(() => ({})),
    ),
    'rate-limit.error-type-upper-case': subtle(
      'The error_type of a platform 429 is in upper case',
      setPlatformMetadata(() => ({ error_type: 'RATE_LIMIT_EXCEEDED' })),
    ),
    'rate-limit.error-type-by-day': subtle(
      'The error_type of a 429 for the limit per day is daily_limit_exceeded',
      setPlatformMetadata(({ limit }) => ({
        error_type: limit > 20 ? 'daily_limit_exceeded' : 'rate_limit_exceeded',
      })),
    ),
  }),
  ...makeMutants('rate-limit.success-headers', {
    'rate-limit.headers-on-plain-success': everyday.plain(
      'A plain inference success carries X-RateLimit-Limit',
      addSuccessHeader((call) => !isStreamed(call), 'X-RateLimit-Limit', '20'),
    ),
    'rate-limit.headers-on-streamed-success': plain(
      'A streamed inference success carries X-RateLimit-Limit',
      addSuccessHeader(isStreamed, 'X-RateLimit-Limit', '20'),
    ),
    'rate-limit.reset-on-success-of-large-accounts': subtle(
      'A success of the account that has bought 25 credits carries x-ratelimit-reset, in lower case',
      addSuccessHeader(as('free_large'), 'x-ratelimit-reset', '60'),
    ),
  }),
  ...makeMutants('rate-limit.platform.status', {
    'rate-limit.platform-503': everyday.plain(
      'A platform limit gets 503',
      editFault('platform_rate_limited', { status: 503 }),
    ),
  }),
  ...makeMutants(['rate-limit.day.small.refused', 'rate-limit.day.large.refused'], {
    'rate-limit.day-403': plain(
      'A request beyond the limit per day gets 403',
      setGateStatus('inference', 'free-day', 403),
    ),
  }),
  ...makeMutants('rate-limit.upstream.provider-code', {
    'rate-limit.provider-code-missing': everyday.plain(
      'An upstream 429 has no provider_code',
      editFault('upstream_rate_limited', { metadata: { provider_name: 'Acme' } }),
    ),
    'rate-limit.provider-code-missing-with-hint': subtle(
      'An upstream 429 has no provider_code where it has Retry-After',
      editFault('upstream_rate_limited_hint', { metadata: { provider_name: 'Acme' } }),
    ),
  }),
  ...makeMutants('rate-limit.upstream.retry-after', {
    'rate-limit.retry-after-missing': everyday.plain(
      'A 429 has no Retry-After although every provider gave a hint',
      editFault('upstream_rate_limited_hint', { headers: {} }),
    ),
  }),
  ...makeMutants('rate-limit.retry-after-form', {
    'rate-limit.retry-after-in-words': everyday.plain(
      'Retry-After on the upstream 429 is a word',
      setUpstreamHint('soon'),
    ),
  }),
  ...tabulate('rate-limit', subtle, setUpstreamHint, [
    ['retry-after-form', 'retry-after-fraction', 'The Retry-After of an upstream 429 is a fraction', '1.5'],
    ['retry-after-form', 'retry-after-iso-date', 'Retry-After is a timestamp', '2030-01-01T00:00:00Z'],
  ]),
  ...makeMutants('rate-limit.upstream.status', {
    'rate-limit.upstream-503': everyday.plain(
      'An upstream limit gets 503',
      editFault('upstream_rate_limited', { status: 503 }),
    ),
    'rate-limit.upstream-502-with-hint': subtle(
      'An upstream limit gets 502 where every provider gave a hint',
      editFault('upstream_rate_limited_hint', { status: 502 }),
    ),
    'rate-limit.upstream-silent-stream': subtle(
      'A streamed request that the upstream provider limits gets a stream without an error',
      editAnswer({ operation: 'inference', status: 429, when: all(isStreamed, isUpstream) }, endSilently),
    ),
  }),
];

/** The headers of a platform limit's 429 are others. */
function editPlatformHeaders(
  change: (
    headers: Record<string, string>,
    platform: NonNullable<Refusal['platform']>,
  ) => Record<string, string>,
): Mutation {
  return {
    platformHeaders: (platform, now) => change(conforming.platformHeaders(platform, now), platform),
  };
}

/** The error object of a platform limit's 429 is another. */
function editPlatformError(
  change: (error: JsonObject, platform: NonNullable<Refusal['platform']>) => JsonObject,
): Mutation {
  return editEnvelope({ operation: 'inference' }, (body, { platform }) =>
    platform === undefined ? body : { ...body, error: change(body.error, platform) },
  );
}

/** The metadata of a platform limit's 429 is another; undefined leaves it out. */
function setPlatformMetadata(metadata: (platform: NonNullable<Refusal['platform']>) => unknown): Mutation {
  return editPlatformError((error, platform) => setMember(error, 'metadata', metadata(platform)));
}

/** Some successes of inference carry one more header. */
function addSuccessHeader(when: When, name: string, value: string): Mutation {
  return setHeader({ operation: 'inference', status: 200, when }, name, value);
}

function setUpstreamHint(value: string): Mutation {
  return editFault('upstream_rate_limited_hint', { headers: { 'Retry-After': value } });
}

function isUpstream({ key }: Call): boolean {
  return key?.world.faults.some((fault) => fault.startsWith('upstream')) === true;
}
