import type { Answer, Refusal } from '../answer.js';
import { type Behaviour, conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import { completionHead } from '../completion.js';
import { stream } from '../effects.js';
import type { JsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { changedMember, envelopes, fault } from '../override.js';

/** Mutants of the area rate-limit: the 429 of an upstream provider, and Retry-After (§7.3, §7.4). */
export const rateLimitUpstreamMutants: readonly Mutant[] = [
  // the code of the provider
  {
    id: 'rate-limit.provider-code-missing',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.provider-code'],
    description: 'A 429 of an upstream provider has no provider_code',
    hardness: 'plain',
    override: fault('upstream_rate_limited', { metadata: { provider_name: 'Acme' } }),
  },
  {
    id: 'rate-limit.provider-code-missing-with-hint',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.provider-code'],
    description: 'A 429 of an upstream provider has no provider_code where it has Retry-After',
    hardness: 'subtle',
    override: fault('upstream_rate_limited_hint', { metadata: { provider_name: 'Acme' } }),
  },
  {
    id: 'rate-limit.provider-code-null',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.provider-code'],
    description: 'The provider_code of a 429 of an upstream provider is null',
    hardness: 'plain',
    override: fault('upstream_rate_limited', { metadata: { provider_name: 'Acme', provider_code: null } }),
  },
  {
    id: 'rate-limit.upstream-metadata-null',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.provider-code'],
    description: 'The metadata of a 429 of an upstream provider is null',
    hardness: 'plain',
    override: fault('upstream_rate_limited', { metadata: null }),
  },
  {
    id: 'rate-limit.upstream-metadata-missing',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.provider-code'],
    description: 'A 429 of an upstream provider has no metadata',
    hardness: 'plain',
    override: upstreamErrors(({ metadata: _metadata, ...error }) => error),
  },
  {
    id: 'rate-limit.provider-code-beside-metadata',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.provider-code'],
    description: 'The provider_code of a 429 of an upstream provider stands beside the metadata, not in it',
    hardness: 'plain',
    override: upstreamErrors(({ metadata: _metadata, ...error }) => ({
      ...error,
      provider_code: 'rate_limit_reached',
    })),
  },
  {
    id: 'rate-limit.provider-code-missing-streamed',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.provider-code'],
    description: 'A 429 of an upstream provider has no provider_code if a stream was asked for',
    hardness: 'subtle',
    override: upstreamErrors((error, call) =>
      isStreamed(call) ? changedMember(error, 'metadata', { provider_name: 'Acme' }) : error,
    ),
  },

  // Retry-After
  {
    id: 'rate-limit.retry-after-missing',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.retry-after'],
    description: 'A 429 has no Retry-After although every provider gave a hint',
    hardness: 'plain',
    override: fault('upstream_rate_limited_hint', { headers: {} }),
  },
  {
    id: 'rate-limit.retry-after-in-metadata',
    section: '7.4',
    turnsRed: ['rate-limit.upstream.retry-after'],
    description: 'The hint of the providers stands in the metadata, not in Retry-After',
    hardness: 'plain',
    override: fault('upstream_rate_limited_hint', {
      headers: {},
      metadata: { provider_code: 'rate_limit_reached', retry_after: 1 },
    }),
  },
  {
    id: 'rate-limit.retry-after-in-words',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After on the 429 of an upstream provider is a word',
    hardness: 'plain',
    override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': 'soon' } }),
  },
  {
    id: 'rate-limit.retry-after-negative',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After on the 429 of an upstream provider is a negative number',
    hardness: 'plain',
    override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '-1' } }),
  },
  {
    id: 'rate-limit.retry-after-fraction',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After on the 429 of an upstream provider is a fraction',
    hardness: 'subtle',
    override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '1.5' } }),
  },
  {
    id: 'rate-limit.retry-after-with-unit',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After on the 429 of an upstream provider is a number with a unit',
    hardness: 'plain',
    override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '1s' } }),
  },
  {
    id: 'rate-limit.retry-after-iso-date',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After on the 429 of an upstream provider is an ISO 8601 timestamp',
    hardness: 'plain',
    override: fault('upstream_rate_limited_hint', { headers: { 'Retry-After': '2030-01-01T00:00:00Z' } }),
  },
  {
    id: 'rate-limit.retry-after-other-zone',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After on the 429 of an upstream provider is a date that does not end with GMT',
    hardness: 'subtle',
    override: fault('upstream_rate_limited_hint', {
      headers: { 'Retry-After': 'Tue, 01 Jan 2030 00:00:00 +0000' },
    }),
  },
  {
    id: 'rate-limit.retry-after-empty',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After is empty on the 429 of the vault',
    hardness: 'plain',
    override: fault('vault_rate_limited', { headers: { 'Retry-After': '' } }),
  },
  {
    id: 'rate-limit.retry-after-milliseconds-on-503',
    section: '7.4',
    turnsRed: ['rate-limit.retry-after-form'],
    description: 'Retry-After on the 503 of an inference request is a number of milliseconds with its unit',
    hardness: 'subtle',
    override: fault('no_provider', { headers: { 'Retry-After': '500ms' } }),
  },

  // the status
  {
    id: 'rate-limit.upstream-503',
    section: '7.3',
    turnsRed: ['rate-limit.upstream.status'],
    description: 'A limit of an upstream provider is answered 503',
    hardness: 'plain',
    override: fault('upstream_rate_limited', { status: 503 }),
  },
  {
    id: 'rate-limit.upstream-502-with-hint',
    section: '7.3',
    turnsRed: ['rate-limit.upstream.status'],
    description: 'A limit of an upstream provider is answered 502 where every provider gave a hint',
    hardness: 'subtle',
    override: fault('upstream_rate_limited_hint', { status: 502 }),
  },
  {
    id: 'rate-limit.upstream-402',
    section: '7.3',
    turnsRed: ['rate-limit.upstream.status'],
    description: 'A limit of an upstream provider is answered 402',
    hardness: 'plain',
    override: fault('upstream_rate_limited', { status: 402 }),
  },
  {
    id: 'rate-limit.upstream-silent-stream',
    section: '7.3',
    turnsRed: ['rate-limit.upstream.status'],
    description: 'A streamed request that the upstream provider limits gets a stream that tells no error',
    hardness: 'subtle',
    override: { refuse: upstreamStreams(() => stream([{ data: '[DONE]' }])) },
  },
  {
    id: 'rate-limit.upstream-in-band-500',
    section: '7.3',
    turnsRed: ['rate-limit.upstream.status'],
    description:
      'A streamed request that the upstream provider limits gets the in-band event with the code 500',
    hardness: 'subtle',
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
