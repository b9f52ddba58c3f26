import type { FaultRule } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { countFreeRequest } from '../inference.js';
import { answers, fault, gate, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { JsonObject } from '../vocabulary.js';

const MINUTE_MS = 60_000;

/** Variants of inference, of its limits and of upstream faults (§7.4, §8.2). */
export const inferenceVariants: readonly Variant[] = [
  ...makeVariants('8.2', {
    'fixed-minute': {
      everyday: 'The limit of a minute is counted by the minutes of the clock',
      override: gate('inference', 'free-minute', (call, original) => {
        // What lies within the 60 s before the end of this minute was asked for in this minute.
        const end = (Math.floor(call.server.now() / MINUTE_MS) + 1) * MINUTE_MS - 1;
        return original({ ...call, server: { ...call.server, now: () => end } });
      }),
    },
    'refused-requests-counted': {
      description: 'Requests that a limit refuses count towards the limits too',
      override: gate('inference', 'free-minute', (call, original) => {
        const refusal = original(call);
        if (refusal !== undefined) countFreeRequest(call);
        return refusal;
      }),
    },
    'failed-requests-counted': {
      description: 'Requests to free models that fail upstream count towards the limits too',
      override: gate('inference', 'fault', (call, original) => {
        const refusal = original(call);
        if (refusal !== undefined) countFreeRequest(call);
        return refusal;
      }),
    },
  }),
  ...makeVariants('7.4', {
    'rate-limit-headers-in-other-shapes': {
      description: 'X-RateLimit headers are lists, negative numbers and dates, their names in odd case',
      override: {
        platformHeaders: (_platform, now) => ({
          'x-ratelimit-LIMIT': '20, 20;w=60, 50;w=86400',
          'X-RATELIMIT-REMAINING': '-1',
          'x-RateLimit-Reset': new Date(now).toUTCString(),
        }),
      },
    },
    'rate-limit-reset-in-seconds': {
      description: 'X-RateLimit-Reset is the number of seconds to wait, and Retry-After says the same',
      override: {
        platformHeaders: ({ limit, freesInMs }) => ({
          'X-RateLimit-Limit': String(limit),
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(Math.ceil(freesInMs / 1000)),
          'Retry-After': String(Math.ceil(freesInMs / 1000)),
        }),
      },
    },
    'platform-429-retry-after-date': {
      description: 'The 429 of a platform limit carries Retry-After as an HTTP date',
      override: {
        platformHeaders: (platform, now) => ({
          ...conforming.platformHeaders(platform, now),
          'Retry-After': new Date(now + platform.freesInMs).toUTCString(),
        }),
      },
    },
    'rate-limit-headers-elsewhere': {
      description: 'X-RateLimit headers are on everything but successful inference',
      override: answers(
        { when: ({ operation }, { status }) => operation !== 'inference' || status >= 400 },
        (answer) => ({
          ...answer,
          headers: {
            'X-RateLimit-Limit': '100',
            'X-RateLimit-Remaining': '99',
            'X-RateLimit-Reset': '60',
            ...answer.headers,
          },
        }),
      ),
    },
    'upstream-retry-after-date': {
      description: 'The Retry-After of an upstream 429 is an HTTP date',
      override: fault('upstream_rate_limited_hint', {
        headers: { 'Retry-After': 'Wed, 21 Oct 2015 07:28:00 GMT' },
      }),
    },
    'upstream-retry-after-always': {
      description: 'Every upstream 429 carries Retry-After, hint or not',
      override: fault('upstream_rate_limited', { headers: { 'Retry-After': '1' } }),
    },
    'provider-code-number': {
      description: "The provider's code is a number",
      override: providerCodes({ provider_code: 429 }),
    },
    'provider-code-object': {
      description: "The provider's code is an object",
      override: providerCodes({ provider_code: { type: 'rate_limit_error', retriable: true } }),
    },
    'provider-code-falsy': {
      description: "The provider's code is 0 or empty, as the provider gave it",
      override: providerCodes({ provider_code: 0 }, { provider_code: '' }),
    },
    'upstream-error-type': {
      description: 'An upstream 429 has an error_type of its own',
      override: providerCodes({ provider_code: 'rate_limit_reached', error_type: 'provider_error', raw: [] }),
    },
  }),
  ...makeVariants('1', {
    'bare-completions': {
      description: 'Successful inference answers have next to nothing in them',
      override: answers({ operation: 'inference', status: 200 }, (answer) =>
        answer.headers['Content-Type']?.startsWith('application/json') ? { ...answer, body: {} } : answer,
      ),
    },
  }),
];

/** The metadata of the two upstream 429, without and with a hint. */
function providerCodes(metadata: JsonObject, hinted: JsonObject = metadata): Override {
  const { upstream_rate_limited, upstream_rate_limited_hint } = conforming.faults;
  const withMetadata = (rule: FaultRule, own: JsonObject): FaultRule => ({
    ...rule,
    refusal: { ...rule.refusal, metadata: own },
  });
  return {
    faults: {
      ...conforming.faults,
      upstream_rate_limited: withMetadata(upstream_rate_limited, metadata),
      upstream_rate_limited_hint: withMetadata(upstream_rate_limited_hint, hinted),
    },
  };
}
