import { DAY_MS, MINUTE_MS, setBalance, sumUsage } from '../accounts.js';
import type { FaultRule } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { countFreeRequest } from '../inference.js';
import { isPaid } from '../mutants/conditions.js';
import {
  actWhenRefused,
  editBody,
  editFaults,
  editGate,
  editInformation,
  type Mutation,
  readAged,
  refuseAt,
  setEffects,
  setGateStatus,
  setHeaders,
} from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import type { Fault, JsonObject } from '../vocabulary.js';

/** Variants of inference, of its limits and of upstream faults (§7.4, §8.2). */
export const inferenceVariants: VariantRows = {
  'fixed-minute': everyday('8.2')(
    'The limit of a minute is counted by the minutes of the clock',
    editGate('inference', 'free-minute', (call, original) => {
      // What lies within the 60 s before the end of this minute was asked for in this minute.
      const end = (Math.floor(call.server.now() / MINUTE_MS) + 1) * MINUTE_MS - 1;
      return original({ ...call, server: { ...call.server, now: () => end } });
    }),
  ),
  'free-minute-refills': permitted('8.2')(
    'Of the 20 requests of a minute, one is allowed again every 3 s',
    editGate('inference', 'free-minute', (call, original) => {
      const { key, behaviour, server } = call;
      const refusal = original(call);
      if (key === undefined || refusal === undefined) return refusal;
      const [usage, now] = [behaviour.usageOf(call, key), server.now()];
      const refilled = Math.floor((MINUTE_MS - usage.minuteFreesIn(now)) / 3_000);
      return usage.inMinute(now) - refilled < behaviour.limits.perMinute ? undefined : refusal;
    }),
  ),
  'empty-account-cannot-pay': permitted('8.1')(
    'An account whose balance is zero gets 402 for paid models',
    refuseAt('inference', 'key-limit', 402, (call) => call.key?.balance.amount === 0 && isPaid(call)),
  ),
  'paid-requests-cost': permitted('8.1')(
    'A request to a paid model costs 0.004 of the balance and the limit',
    {
      ...setEffects({
        inference: (call) => {
          const { key } = call;
          if (key !== undefined && isPaid(call)) {
            setBalance(key.balance, key.balance.amount - 0.004);
            if (key.limitRemaining !== undefined) key.limitRemaining -= 0.004;
          }
          return conforming.effects.inference(call);
        },
      }),
    },
  ),
  'credit-settles': permitted('8.1')(
    'Whether a key has credit may have been found out 400 ms before, as where a cache knows',
    editGate('inference', 'account-balance', (call, original) =>
      readAged(call, `credit of ${call.key?.text}`, 400, () => original(call)),
    ),
  ),
  'refused-requests-counted': permitted('8.2')(
    'Requests that a limit refuses count towards the limits too',
    actWhenRefused('inference', 'free-minute', countFreeRequest),
  ),
  'failed-requests-counted': permitted('8.2')(
    'Requests to free models that fail upstream count towards the limits too',
    actWhenRefused('inference', 'fault', countFreeRequest),
  ),
  'rate-limit-headers-in-other-shapes': permitted('7.4')(
    'X-RateLimit headers are lists, negative numbers and dates, their names in odd case',
    {
      platformHeaders: (_platform, now) => ({
        'x-ratelimit-LIMIT': '20, 20;w=60, 50;w=86400',
        'X-RATELIMIT-REMAINING': '-1',
        'x-RateLimit-Reset': new Date(now).toUTCString(),
      }),
    },
  ),
  'rate-limit-headers-elsewhere': permitted('7.4')(
    'X-RateLimit headers are on everything but successful inference',
    setHeaders(
      {
        when: ({ operation }, { status, headers }) =>
          (operation !== 'inference' || status >= 400) && headers['X-RateLimit-Limit'] === undefined,
      },
      { 'X-RateLimit-Limit': '100', 'X-RateLimit-Remaining': '99', 'X-RateLimit-Reset': '60' },
    ),
  ),
  'upstream-retry-after-always': permitted('7.4')(
    'Every upstream 429 carries Retry-After, hint or not',
    editFaults({ upstream_rate_limited: { headers: { 'Retry-After': '1' } } }),
  ),
  'provider-code-of-other-types': permitted('7.4')(
    "The provider's code is an object, or 0 where it gave a hint",
    setProviderMetadata({ provider_code: { type: 'rate_limit_error' } }, { provider_code: 0 }),
  ),
  'upstream-error-type': permitted('7.4')(
    'An upstream 429 has an error_type of its own',
    setProviderMetadata({ provider_code: 'rate_limit_reached', error_type: 'provider_error', raw: [] }),
  ),
  'bare-completions': permitted('1')(
    'Successful inference answers have next to nothing in them',
    editBody({ operation: 'inference', status: 200 }, () => ({})),
  ),
  'bad-response-before-the-stream': everyday('6')(
    "A provider's invalid response is answered with the status, also where a stream is asked for",
    setRule('provider_bad_response', ({ on, refusal }) => ({ on, refusal })),
  ),
  'timeout-after-words': permitted('6')(
    'A stream that times out has begun: 200, some words and the in-band event',
    setRule('inference_deadline', (rule) => ({ ...rule, midStream: 'streamed' })),
  ),
  'blocked-request-bare': permitted('7.3')(
    'What a guardrail blocks and what moderation flags is reported without metadata',
    editFaults({
      guardrail_blocks: { metadata: null },
      moderation_flags: { message: 'The request is blocked', metadata: undefined },
    }),
  ),
  'expired-session-403-at-guardrail': permitted('7.3')(
    'An expired session is refused at a guardrail for being no management key',
    setGateStatus('guardrail-read', 'session', 403),
  ),
  'every-foreign-origin-400': permitted('7.3')(
    'CORS blocks every origin but one',
    editGate('key-read', 'origin', ({ headers }) =>
      headers.origin === undefined || headers.origin === 'https://console.test'
        ? undefined
        : { status: 400, message: 'Blocked by CORS' },
    ),
  ),
  // The control protocol says that records of more than the limit exhaust the key.
  'limit-exactly-used': permitted('8.1')(
    'A key whose records add up to exactly its limit may go on',
    editGate('inference', 'key-limit', (call, original) => {
      const { key } = call;
      const isExact = key?.records !== undefined && conforming.limitUse(key) === key.information.limit;
      return isExact ? undefined : original(call);
    }),
  ),
  'own-keys-over-rolling-windows': permitted('2.2')(
    'Usage on own provider keys is counted over the last 24 hours, 7 and 30 days',
    editInformation((information, { records }, { server }) => {
      if (records === undefined) return information;
      const since = (days: number): number => server.now() - days * DAY_MS;
      const windows = { daily: since(1), weekly: since(7), monthly: since(30) };
      const { byok_usage_daily, byok_usage_weekly, byok_usage_monthly } = sumUsage(records, windows);
      return { ...information, byok_usage_daily, byok_usage_weekly, byok_usage_monthly };
    }),
  ),
  'guardrail-vendor-with-hyphen': permitted('2.1')(
    'The name of one of the four vendors has a hyphen and a digit',
    { guardrailView: (_call, { enforce_zdr_dune: dune, ...rest }) => ({ ...rest, 'enforce_zdr_d-9': dune }) },
  ),
};

/** Replaces the rule of one fault. */
function setRule(name: Fault, change: (rule: FaultRule) => FaultRule): Mutation {
  return { faults: { ...conforming.faults, [name]: change(conforming.faults[name]) } };
}

/** Sets the metadata of the two upstream 429, without and with a hint. */
function setProviderMetadata(metadata: JsonObject, hinted: JsonObject = metadata): Mutation {
  return editFaults({
    upstream_rate_limited: { metadata },
    upstream_rate_limited_hint: { metadata: hinted },
  });
}
