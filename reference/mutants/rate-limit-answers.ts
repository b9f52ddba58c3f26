import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, plain, subtle, tabulate } from '../mutant.js';
import { editEnvelope, editFault, type Mutation, setHeader } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';
import { isStreamed, type When } from './conditions.js';

/** Mutants of the area rate-limit: the 429 of a platform limit, and what a success must not carry (§7.4). */
export const rateLimitAnswersMutants: readonly Mutant[] = [
  ...['Limit', 'Remaining', 'Reset'].flatMap((header) => {
    const end = header.toLowerCase();
    return makeMutants(`rate-limit.platform.header.${end}`, {
      [`rate-limit.header-${end}-missing`]: everyday.plain(
        `A platform 429 has no X-RateLimit-${header}`,
        setPlatformHeader(`X-RateLimit-${header}`, undefined),
      ),
    });
  }),
  ...makeMutants('rate-limit.platform.header.limit', {
    'rate-limit.header-limit-empty': plain(
      'X-RateLimit-Limit is empty',
      setPlatformHeader('X-RateLimit-Limit', ''),
    ),
  }),
  ...makeMutants('rate-limit.platform.error-type', {
    'rate-limit.error-type-missing': everyday.plain(
      'A platform 429 has no error_type in its metadata',
      setPlatformMetadata({}),
    ),
    'rate-limit.error-type-upper-case': subtle(
      'The error_type of a platform 429 is in upper case',
      setPlatformMetadata({ error_type: 'RATE_LIMIT_EXCEEDED' }),
    ),
  }),
  ...makeMutants('rate-limit.success-headers', {
    'rate-limit.headers-on-plain-success': everyday.plain(
      'A plain inference success carries X-RateLimit-Limit',
      addLimitHeader((call) => !isStreamed(call)),
    ),
    'rate-limit.headers-on-streamed-success': plain(
      'A streamed inference success carries X-RateLimit-Limit',
      addLimitHeader(isStreamed),
    ),
  }),
  ...makeMutants('rate-limit.platform.status', {
    'rate-limit.platform-503': everyday.plain(
      'A platform limit gets 503',
      editFault('platform_rate_limited', { status: 503 }),
    ),
  }),
  ...makeMutants('rate-limit.upstream.provider-code', {
    'rate-limit.provider-code-missing': everyday.plain(
      'An upstream 429 has no provider_code',
      editFault('upstream_rate_limited', { metadata: { provider_name: 'Acme' } }),
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
  }),
];

/** One header of a platform limit's 429 has another value; undefined leaves it out. */
function setPlatformHeader(name: string, value: string | undefined): Mutation {
  return {
    platformHeaders: (platform, now) => {
      const { [name]: _former, ...headers } = conforming.platformHeaders(platform, now);
      return value === undefined ? headers : { ...headers, [name]: value };
    },
  };
}

/** The metadata of a platform limit's 429 is another. */
function setPlatformMetadata(metadata: JsonObject): Mutation {
  return editEnvelope({ operation: 'inference' }, (body, { platform }) =>
    platform === undefined ? body : { ...body, error: { ...body.error, metadata } },
  );
}

/** Some successes of inference carry a header of platform limits. */
function addLimitHeader(when: When): Mutation {
  return setHeader({ operation: 'inference', status: 200, when }, 'X-RateLimit-Limit', '20');
}

function setUpstreamHint(value: string): Mutation {
  return editFault('upstream_rate_limited_hint', { headers: { 'Retry-After': value } });
}
