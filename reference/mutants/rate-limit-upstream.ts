import { stream } from '../answers.js';
import type { Answer, Behaviour, Call, Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { completionHead } from '../inference.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { changedMember, envelopes, fault, type Override } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';

/** Mutants of the area rate-limit: the 429 of an upstream provider, and Retry-After (§7.3, §7.4). */
export const rateLimitUpstreamMutants: readonly Mutant[] = [
  // the code of the provider
  ...makeMutants('7.4', ['rate-limit.upstream.provider-code'], {
    'rate-limit.provider-code-missing': {
      everydayPlain: 'A 429 of an upstream provider has no provider_code',
      override: fault('upstream_rate_limited', { metadata: { provider_name: 'Acme' } }),
    },
    'rate-limit.provider-code-missing-with-hint': {
      subtle: 'A 429 of an upstream provider has no provider_code where it has Retry-After',
      override: fault('upstream_rate_limited_hint', { metadata: { provider_name: 'Acme' } }),
    },
    'rate-limit.provider-code-null': {
      plain: 'The provider_code of a 429 of an upstream provider is null',
      override: fault('upstream_rate_limited', { metadata: { provider_name: 'Acme', provider_code: null } }),
    },
    'rate-limit.upstream-metadata-null': {
      plain: 'The metadata of a 429 of an upstream provider is null',
      override: fault('upstream_rate_limited', { metadata: null }),
    },
    'rate-limit.upstream-metadata-missing': {
      plain: 'A 429 of an upstream provider has no metadata',
      override: upstreamErrors(({ metadata: _metadata, ...error }) => error),
    },
    'rate-limit.provider-code-beside-metadata': {
      plain: 'The provider_code of a 429 of an upstream provider stands beside the metadata, not in it',
      override: upstreamErrors(({ metadata: _metadata, ...error }) => ({
        ...error,
        provider_code: 'rate_limit_reached',
      })),
    },
    'rate-limit.provider-code-missing-streamed': {
      subtle: 'A 429 of an upstream provider has no provider_code if a stream was asked for',
      override: upstreamErrors((error, call) =>
        isStreamed(call) ? changedMember(error, 'metadata', { provider_name: 'Acme' }) : error,
      ),
    },
  }),

  // Retry-After
  ...makeMutants('7.4', ['rate-limit.upstream.retry-after'], {
    'rate-limit.retry-after-missing': {
      everydayPlain: 'A 429 has no Retry-After although every provider gave a hint',
      override: fault('upstream_rate_limited_hint', { headers: {} }),
    },
    'rate-limit.retry-after-in-metadata': {
      plain: 'The hint of the providers stands in the metadata, not in Retry-After',
      override: fault('upstream_rate_limited_hint', {
        headers: {},
        metadata: { provider_code: 'rate_limit_reached', retry_after: 1 },
      }),
    },
  }),
  ...makeMutants('7.4', ['rate-limit.retry-after-form'], {
    'rate-limit.retry-after-in-words': {
      everydayPlain: 'Retry-After on the 429 of an upstream provider is a word',
      override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': 'soon' } }),
    },
    'rate-limit.retry-after-negative': {
      plain: 'Retry-After on the 429 of an upstream provider is a negative number',
      override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '-1' } }),
    },
    'rate-limit.retry-after-fraction': {
      subtle: 'Retry-After on the 429 of an upstream provider is a fraction',
      override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '1.5' } }),
    },
    'rate-limit.retry-after-with-unit': {
      plain: 'Retry-After on the 429 of an upstream provider is a number with a unit',
      override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '1s' } }),
    },
    'rate-limit.retry-after-iso-date': {
      plain: 'Retry-After on the 429 of an upstream provider is an ISO 8601 timestamp',
      override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '2030-01-01T00:00:00Z' } }),
    },
    'rate-limit.retry-after-other-zone': {
      subtle: 'Retry-After on the 429 of an upstream provider is a date that does not end with GMT',
      override: fault('upstream_rate_limited_hint', {
        headers: { 'Retry-After': 'Tue, 01 Jan 2030 00:00:00 +0000' },
      }),
    },
    'rate-limit.retry-after-empty': {
      plain: 'Retry-After is empty on the 429 of the vault',
      override: fault('vault_rate_limited', { headers: { 'Retry-After': '' } }),
    },
    'rate-limit.retry-after-milliseconds-on-503': {
      subtle: 'Retry-After on the 503 of an inference request is a number of milliseconds with its unit',
      override: fault('no_provider', { headers: { 'Retry-After': '500ms' } }),
    },
  }),

  // the status
  ...makeMutants('7.3', ['rate-limit.upstream.status'], {
    'rate-limit.upstream-503': {
      everydayPlain: 'A limit of an upstream provider is answered 503',
      override: fault('upstream_rate_limited', { status: 503 }),
    },
    'rate-limit.upstream-502-with-hint': {
      subtle: 'A limit of an upstream provider is answered 502 where every provider gave a hint',
      override: fault('upstream_rate_limited_hint', { status: 502 }),
    },
    'rate-limit.upstream-402': {
      plain: 'A limit of an upstream provider is answered 402',
      override: fault('upstream_rate_limited', { status: 402 }),
    },
    'rate-limit.upstream-silent-stream': {
      subtle: 'A streamed request that the upstream provider limits gets a stream that tells no error',
      override: { refuse: upstreamStreams(() => stream([{ data: '[DONE]' }])) },
    },
    'rate-limit.upstream-in-band-500': {
      subtle: 'A streamed request that the upstream provider limits gets the in-band event with the code 500',
      override: {
        refuse: upstreamStreams(({ behaviour, inference, server }, refusal) =>
          stream([
            {
              data: behaviour.streamErrorEvent(completionHead(inference?.model ?? '', server.now()), {
                ...refusal,
                status: 500,
              }),
            },
          ]),
        ),
      },
    },
  }),
];

function isStreamed({ inference }: Call): boolean {
  return inference?.stream === true;
}

/** The error object of an upstream provider's 429 is another. */
function upstreamErrors(change: (error: JsonObject, call: Call) => JsonObject): Override {
  return envelopes({ operation: 'inference', status: 429 }, (body, { platform }, call) =>
    platform === undefined ? { ...body, error: change(body.error, call) } : body,
  );
}

/** Streamed requests that an upstream provider limits are answered otherwise. */
function upstreamStreams(answer: (call: Call, refusal: Refusal) => Answer): Behaviour['refuse'] {
  return (call, refusal) => {
    const isUpstream = refusal.status === 429 && refusal.platform === undefined && isStreamed(call);
    return isUpstream ? answer(call, refusal) : conforming.refuse(call, refusal);
  };
}
