import { type CredentialWord, spoiltCredentials } from '../../generators/credential.js';
import { oracle } from '../../generators/oracle.js';
import { plainKey } from '../../generators/situation.js';
import { platformLimitRows } from '../../judge/answer-rules.js';
import type { Check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Credit, Fault, Role } from '../../spec/vocabulary.js';
import { judgeCredit } from '../credit-limit.js';
import { judgeLaterFault, laterFaults } from '../inference.js';
import { judgeFallback, judgePlatform, judgeProviderCode, judgeRetryAfter } from '../rate-limit.js';
import { makeCredential } from '../requests.js';
import { breaksOff, judgeOtherError } from '../stream-error.js';
import { batchSteps, type Step } from './batch.js';

// §6 to §8: inference requests that are refused, one after another.

const control = 'inference';
const both = [false, true] as const;

/** A key without credit is refused, not the first time only. */
function refuseBroke(
  requirement: RequirementId,
  as: Role,
  model: 'free' | 'paid',
  streams: readonly boolean[] = both,
): Step {
  return {
    needs: [`role:${as}`, `inference:${model}`],
    rows: [requirement],
    run: async ({ api }) => {
      for (const stream of streams)
        await api.infer({ as, model, stream }).expectRefusal(402, { requirement, continueOnFailure: true });
    },
  };
}

/** What the key read answers to a credential, the inference route answers too. */
const rowOf = (as: CredentialWord): RequirementId => oracle({ ...plainKey, as }).due.requirement;

/** Who may not ask at all is refused. */
function refuseStranger(word: CredentialWord): Step {
  const requirement = rowOf(word);
  return {
    needs: word === 'disabled' ? ['role:disabled'] : [],
    rows: [requirement],
    run: ({ world, api }) =>
      api
        .infer({ as: makeCredential(word, 'member', world) })
        .expectStatus(401, { requirement, continueOnFailure: true }),
  };
}

const strangers: readonly CredentialWord[] = ['none', 'unknown', 'scheme-only', 'extended', 'disabled'];

/** A model is served; that it can be is its own positive control, and left to a check of its own. */
function serveModel(model: 'free' | 'paid'): Step {
  return {
    needs: [`inference:${model}`],
    rows: [],
    besides: ['inference.routed'],
    run: ({ api }) =>
      api.infer({ model }).expectStatus(200, { requirement: 'inference.routed', continueOnFailure: true }),
  };
}

/** A role that was made without credit is served once it has some. */
function serveOnceCredited(as: Role, credit: Credit, requirement: RequirementId): Step {
  return {
    needs: ['feature:credit', 'inference:paid', `role:${as}`],
    rows: [requirement],
    run: (context) =>
      judgeCredit(context, { as, model: 'paid', streams: [false] }, [{ credit, status: 200, requirement }]),
  };
}

/** While a fault is set, plain and streamed requests are refused. */
function refuseDuringFault(fault: Fault, status: 502 | 503, requirement: RequirementId): Step {
  return {
    fault,
    rows: [requirement],
    run: async ({ api }) => {
      for (const stream of both)
        await api.infer({ stream }).expectRefusal(status, { requirement, continueOnFailure: true });
    },
  };
}

/** A limit of the provider; of one for which every provider gave a hint a row more is decided. */
function limitUpstream(fault: Fault, hasHint: boolean): Step {
  const requirement = 'rate-limit.upstream.status';
  const always: readonly RequirementId[] = [requirement, 'rate-limit.upstream.provider-code'];
  return {
    fault,
    rows: hasHint ? ['rate-limit.upstream.retry-after'] : always,
    besides: always,
    run: async ({ api }) => {
      for (const stream of both) {
        const call = api.infer({ stream });
        const exchange = await call.expectRefusal(429, { requirement, continueOnFailure: true });
        // An in-band event has no headers to carry a hint in.
        if (exchange.answer.status !== 429 || exchange.inBand) continue;
        judgeProviderCode(call, exchange);
        if (hasHint) judgeRetryAfter(call, exchange);
      }
    },
  };
}

/** The refusals of §6 to §8. */
export const inferenceBatches: readonly Check[] = [
  batchSteps(
    'credit-limit.overdrawn.paid/chain',
    // The roles without credit have some at the end.
    { control, decidesAny: true, sideEffects: 'settings' },
    [
      refuseBroke('credit-limit.overdrawn.paid', 'overdrawn', 'paid', [false, true, false]),
      refuseBroke('credit-limit.overdrawn.free', 'overdrawn', 'free'),
      refuseBroke('credit-limit.exhausted', 'exhausted', 'paid'),
      ...strangers.map(refuseStranger),
      {
        needs: ['role:expired_session'],
        rows: ['auth.oauth-session'],
        run: ({ api }) =>
          api
            .infer({ as: 'expired_session' })
            .expectStatus(401, { requirement: 'auth.oauth-session', continueOnFailure: true }),
      },
      serveModel('free'),
      serveModel('paid'),
      serveOnceCredited('overdrawn', { balance: 1 }, 'credit-limit.balance-restored'),
      serveOnceCredited('exhausted', { limit_remaining: 5 }, 'credit-limit.limit-restored'),
    ],
  ),
  batchSteps(
    'auth.altered-key/inference',
    { control },
    spoiltCredentials.filter((word) => !strangers.includes(word)).map(refuseStranger),
  ),
  batchSteps(
    'inference.502.model-down/chain',
    { control, decidesAny: true },
    [
      // A stream that never ends keeps all that follow it from being asked, and others ask what these ask.
      {
        fault: 'mid_stream_error',
        rows: ['stream-error.status', 'stream-error.event', 'stream-error.media-type'],
        run: async ({ api }) => {
          // Not the first time only.
          for (const _time of both) await breaksOff(api.infer({ stream: true }));
        },
      },
      refuseDuringFault('model_down', 502, 'inference.502.model-down'),
      refuseDuringFault('no_provider', 503, 'inference.503.no-provider'),
      ...laterFaults.map(
        (later, at): Step => ({
          fault: later.fault,
          rows: [
            later.requirement,
            ...(later.also ?? []),
            ...(at === 0 ? (['stream-error.other-errors'] as const) : []),
          ],
          run: async ({ api }) => {
            const call = api.infer({ stream: at % 2 === 0 });
            const exchange = await judgeLaterFault(call, later);
            // Where its stream has started before, the stream tells of it.
            if (exchange.inBand) judgeOtherError(call, exchange, later.status);
          },
        }),
      ),
      {
        fault: 'one_provider_limited',
        rows: ['rate-limit.fallback'],
        run: ({ api }) => judgeFallback(api.infer()),
      },
    ],
    ({ api }) => api.infer().expectControl(200),
  ),
  batchSteps(
    'rate-limit.upstream.status/chain',
    { control, decidesAny: true },
    [
      limitUpstream('upstream_rate_limited', false),
      limitUpstream('upstream_rate_limited_hint', true),
      {
        fault: 'platform_rate_limited',
        needs: ['inference:free'],
        rows: ['rate-limit.platform.status', ...platformLimitRows],
        run: async ({ api }) => {
          for (const stream of both) {
            const call = api.infer({ model: 'free', stream });
            const exchange = await call.expectRefusal(429, {
              requirement: 'rate-limit.platform.status',
              continueOnFailure: true,
            });
            if (exchange.answer.status === 429) judgePlatform(call, exchange);
          }
        },
      },
    ],
    ({ api }) => api.infer().expectControl(200),
  ),
];
