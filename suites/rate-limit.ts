import {
  findWrongMetadata,
  judgeHeader,
  judgePlatformLimit,
  platformLimitRows,
  readErrorMetadata,
} from '../judge/answer-rules.js';
import type { Assertion, Call } from '../judge/call.js';
import { type Check, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Answered } from '../targets/exchange.js';
import { batchSteps, type Step } from './batches/batch.js';
import { inferDuringFault, judgeFallback, plainAndStreamed } from './inference.js';

// §7.4: the headers and metadata of a 429 of the platform or of a provider.

const limited: RequirementId = 'rate-limit.upstream.status';

/** What a request to a paid model gets while a limit of free ones is reached. */
export const paidIsServed = {
  requirement: 'rate-limit.paid',
  because: 'the limits are of free models',
  continueOnFailure: true,
} as const;

/** Asserts a refusal for a limit of the platform, and judges headers and metadata of the 429; an in-band event has none. */
export async function expectPlatformLimit(call: Call, assertion: Assertion) {
  const refusal = await call.expectRefusal(429, { ...assertion, continueOnFailure: true });
  const { exchange } = refusal;
  if (exchange.answer.status === 429)
    for (const ruling of judgePlatformLimit(exchange)) call.expect(exchange, ruling.requirement, ruling);
  return refusal;
}

/** Asserts that an upstream 429 has the code of the provider and, if every provider gave one, the hint (§7.4). */
function judgeUpstream(call: Call, exchange: Answered, hasHint: boolean): void {
  const code = readErrorMetadata(exchange).provider_code;
  call.expect(exchange, 'rate-limit.upstream.provider-code', {
    ok: code !== undefined && code !== null && code !== '',
    expected: 'error.metadata.provider_code',
    actual: code === undefined ? 'no provider_code' : JSON.stringify(code),
    mismatch: findWrongMetadata(exchange, 'provider_code'),
  });
  if (!hasHint) return;
  const requirement = 'rate-limit.upstream.retry-after';
  const why = ', since every provider gave a hint';
  call.expect(exchange, requirement, judgeHeader(exchange, requirement, 'Retry-After', why));
}

async function judgeLimited(call: Call, hasHint: boolean): Promise<void> {
  const { exchange } = await call.expectRefusal(429, { requirement: limited, continueOnFailure: true });
  if (exchange.answer.status === 429) judgeUpstream(call, exchange, hasHint);
}

/** Sends requests that a provider limits; if every provider gives a retry hint, they decide a further requirement. */
function makeUpstreamLimitStep(fault: 'upstream_rate_limited' | 'upstream_rate_limited_hint'): Step {
  const hasHint = fault === 'upstream_rate_limited_hint';
  const always: readonly RequirementId[] = [limited, 'rate-limit.upstream.provider-code'];
  return {
    fault,
    decides: hasHint ? ['rate-limit.upstream.retry-after'] : always,
    mayDecide: always,
    run: async ({ api, offers }) => {
      for (const stream of plainAndStreamed) {
        // With both faults together, each model is tried plain and streamed.
        const isPaid = hasHint !== stream && offers('inference:paid');
        await judgeLimited(api.infer(isPaid ? { stream, model: 'paid' } : { stream }), hasHint);
      }
    },
  };
}

const platformLimitStep: Step = {
  fault: 'platform_rate_limited',
  needs: ['inference:free'],
  decides: ['rate-limit.platform.status', ...platformLimitRows],
  mayDecide: ['rate-limit.paid'],
  run: async ({ api, offers }) => {
    const requirement = 'rate-limit.platform.status';
    for (const stream of plainAndStreamed)
      await expectPlatformLimit(api.infer({ model: 'free', stream }), { requirement });
    if (offers('inference:paid'))
      await api.infer({ model: 'paid', stream: true }).expectStatus(200, paidIsServed);
  },
};

/** The refusals of §7.4, one after another. */
export const rateLimitBatch: Check = batchSteps(
  `${limited}/chain`,
  { title: 'Requests that a provider or the platform limits, one after another.', runsWithoutOwnNeeds: true },
  [
    makeUpstreamLimitStep('upstream_rate_limited'),
    makeUpstreamLimitStep('upstream_rate_limited_hint'),
    platformLimitStep,
  ],
  ({ api }) => api.infer().expectControl(200),
);

/** The checks of §7.4 for each kind of request, and that another provider serves one that one of them limits. */
export const rateLimitChecks: readonly Check[] = [
  check('rate-limit.upstream.provider-code/of-each-kind', { alsoDecides: [limited] }, (context) =>
    inferDuringFault(context, 'upstream_rate_limited', (call) => judgeLimited(call, false)),
  ),
  check(
    'rate-limit.upstream.retry-after/of-each-kind',
    { alsoDecides: ['rate-limit.upstream.provider-code', limited] },
    (context) => inferDuringFault(context, 'upstream_rate_limited_hint', (call) => judgeLimited(call, true)),
  ),
  check('rate-limit.fallback', (context) => inferDuringFault(context, 'one_provider_limited', judgeFallback)),
];
