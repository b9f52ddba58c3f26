import { fromBrowser, jsonInUtf8 } from '../generators/inputs.js';
import { judgeLimitPair } from '../judge/answer-rules.js';
import type { CheckContext } from '../judge/api.js';
import { awaitAll } from '../judge/attempt.js';
import { type Check, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Credit, Role } from '../spec/vocabulary.js';
import { isAnswered } from '../targets/exchange.js';
import { Unavailable } from '../targets/world.js';
import { makeRefusalStep, unauthorizedCallers } from './auth.js';
import { batchSteps, type Step } from './batches/batch.js';
import { isAccepted, setIfAccepted } from './field-values.js';
import { judgeServed, plainAndStreamed } from './inference.js';
import { judgeRemaining, judgeUsedUp, makeRecentUsage, makeUsage, yearMs } from './usage-windows.js';

// §8.1: a key or an account without credit gets 402, until it has some again.

const restored: RequirementId = 'credit-limit.balance-restored';
const raised: RequirementId = 'credit-limit.limit-restored';
const exhausted: RequirementId = 'credit-limit.exhausted';

/** The credit that a key is set to, and the status that its requests get from then on. */
type CreditStep = readonly [credit: Credit, status: 200 | 402, requirement: RequirementId];

/** A balance that is negative, zero, and positive. A paid model may need more than nothing; a free one does not. */
const balances = (model: 'free' | 'paid'): readonly CreditStep[] => [
  ...(model === 'free' ? [[{ balance: 0 }, 200, 'inference.routed'] as const] : []),
  // Beyond 32 bits, and less than a cent.
  [{ balance: model === 'free' ? -5_000_000_000 : -0.001 }, 402, `credit-limit.overdrawn.${model}`],
  [{ balance: 0 }, 402, restored],
  [{ balance: 0.004 }, 200, restored],
];

const nothingLeft: CreditStep = [{ limit_remaining: 0 }, 402, exhausted];
// The last request may have cost more than was left.
const overspent: CreditStep = [{ limit_remaining: -0.25 }, 402, exhausted];
// A server that rounds to credits or cents sees nothing left.
const hardlyAnythingLeft: CreditStep = [{ limit_remaining: 0.004 }, 200, raised];

interface CreditRequest {
  readonly as: Role;
  readonly model: 'free' | 'paid';
  readonly streams: readonly boolean[];
}

/** Sets the credit of a role step by step, and asserts what its requests get. */
async function judgeCredit(
  { world, api }: CheckContext,
  { as, model, streams }: CreditRequest,
  steps: readonly CreditStep[],
): Promise<void> {
  for (const [credit, status, requirement] of steps) {
    const because = `its ${JSON.stringify(credit).replace(/[{}"]/g, '').replace(':', ' is ')}`;
    for (const stream of streams) {
      // Anew each time, since a request that is served may cost more than is left.
      await world.setCredit(as, credit);
      const call = api.infer({ as, model, stream });
      if (status === 402) await call.expectRefusal(402, { requirement, because });
      else await judgeServed(call, requirement, because);
    }
  }
}

/** Gives a key credit, since a balance of zero may be too little for a paid model. Returns whether it is good for one. */
export async function enablePaidRequests({ world, api, offers }: CheckContext, as: Role): Promise<boolean> {
  if (offers('feature:credit'))
    try {
      await world.setCredit(as, { balance: 5 });
      return true;
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
    }
  const { answer } = await api.infer({ as, model: 'paid' }).send('any');
  return answer?.status !== 402;
}

const hasTwoKeys = (offers: CheckContext['offers']) =>
  offers('role:free_small') && offers('role:free_small_second');

/** Asserts that other keys, of the same account or not, are served although the limit of one key is used up. */
async function expectOtherKeysServed(context: CheckContext): Promise<void> {
  const { world, api, offers } = context;
  const because = 'the limit that is used up is that of another key';
  if (hasTwoKeys(offers)) await world.setCredit('free_small_second', { limit_remaining: 0 });
  for (const as of ['write_disabled', 'free_small'] as const)
    if (offers(`role:${as}`) && (await enablePaidRequests(context, as)))
      await judgeServed(api.infer({ as, model: 'paid' }), exhausted, because);
}

/** Makes a step in which a role without credit is refused. */
function makeStepWithoutCredit(
  requirement: RequirementId,
  as: Role,
  model: 'free' | 'paid',
  streams: readonly boolean[] = plainAndStreamed,
): Step {
  return {
    needs: [`role:${as}`, `inference:${model}`],
    decides: [requirement],
    run: async ({ api }) => {
      for (const stream of streams)
        await api
          .infer({ as, model, stream, ...(stream ? {} : fromBrowser) })
          .expectRefusal(402, { requirement, continueOnFailure: true });
    },
  };
}

/** Makes a step in which a model is served. That has a check of its own, since it is the positive control. */
function makeModelStep(model: 'free' | 'paid'): Step {
  const requirement = 'inference.routed';
  return {
    needs: [`inference:${model}`],
    decides: [],
    mayDecide: [requirement],
    run: ({ api }) =>
      api
        .infer({ model, bodyType: jsonInUtf8 })
        .expectStatus(200, { requirement, because: 'JSON is UTF-8 anyway', continueOnFailure: true }),
  };
}

/** Makes a step in which a role that has no credit by definition is served, once it is given some. */
function makeCreditedStep(as: Role, credit: Credit, requirement: RequirementId): Step {
  return {
    needs: ['feature:credit', 'inference:paid', `role:${as}`],
    decides: [requirement],
    run: (context) =>
      judgeCredit(context, { as, model: 'paid', streams: [false] }, [[credit, 200, requirement]]),
  };
}

/** The refusals of §8.1, one after another. */
export const creditBatch: Check = batchSteps(
  'credit-limit.overdrawn.paid/chain',
  {
    title: 'Requests without credit, then with some, and with invalid keys, one after another.',
    runsWithoutOwnNeeds: true,
    // At the end, the roles without credit have some.
    sideEffects: 'settings',
  },
  [
    makeStepWithoutCredit('credit-limit.overdrawn.paid', 'overdrawn', 'paid', [false, true, false]),
    makeStepWithoutCredit('credit-limit.overdrawn.free', 'overdrawn', 'free'),
    makeStepWithoutCredit(exhausted, 'exhausted', 'paid'),
    ...unauthorizedCallers.map((word) => makeRefusalStep(word, fromBrowser)),
    makeModelStep('free'),
    makeModelStep('paid'),
    makeCreditedStep('overdrawn', { balance: 1 }, restored),
    makeCreditedStep('exhausted', { limit_remaining: 5 }, raised),
  ],
);

/** The checks of §8.1 that change the credit of a key. */
export const creditLimitChecks: readonly Check[] = [
  // A server may keep the caller where all requests find it.
  ...(
    [
      ['overdrawn', 'credit-limit.overdrawn.paid'],
      ['exhausted', exhausted],
    ] as const
  ).map(([as, requirement]) =>
    check(`${requirement}/at-once`, { needs: [`role:${as}`, 'inference:paid'] }, async ({ api }) => {
      // Alone first, since a server may take a moment to know what a key may not do.
      await api.infer({ as, model: 'paid' }).expectRefusal(402);
      for (const _round of ['first', 'second', 'third'])
        await awaitAll([
          api.infer({ model: 'paid' }).expectControl(200),
          // A pause before a repetition would part them.
          api
            .infer({ as, model: 'paid' })
            .expectRefusal(402, { because: 'another key is served at the same time', timed: true }),
        ]);
    }),
  ),
  ...(['free', 'paid'] as const).map((model) =>
    check(
      `${restored}/${model}`,
      {
        sideEffects: 'settings',
        needs: [`inference:${model}`],
        alsoDecides: [
          `credit-limit.overdrawn.${model}`,
          ...(model === 'free' ? (['inference.routed'] as const) : []),
        ],
      },
      async (context) => {
        await context.api.infer({ model }).expectControl(200);
        await judgeCredit(context, { as: 'member', model, streams: plainAndStreamed }, balances(model));
        // A balance that was raised once counts again.
        const owedAgain: CreditStep = [{ balance: -1 }, 402, 'credit-limit.overdrawn.paid'];
        if (model === 'paid')
          await judgeCredit(context, { as: 'member', model, streams: [false] }, [owedAgain]);
        const { world, api, offers } = context;
        if (!hasTwoKeys(offers)) return;
        await world.setCredit('free_small', { balance: -2.5 });
        await api.infer({ as: 'free_small_second', model }).expectRefusal(402, {
          requirement: `credit-limit.overdrawn.${model}`,
          because: 'the balance is that of its account, set with the other key',
        });
      },
    ),
  ),
  check(
    `${raised}/set`,
    { sideEffects: 'settings', alsoDecides: [exhausted, 'key-info.limit-pair', 'key-info.exhausted'] },
    async (context) => {
      const { world, api, offers } = context;
      const request = { as: 'member', model: 'paid', streams: plainAndStreamed } as const;
      await api.infer({ model: 'paid' }).expectControl(200);
      const isBelowAccepted = await isAccepted(() => world.setCredit('member', overspent[0]));
      const isUsedUp = isBelowAccepted ? overspent : nothingLeft;
      await judgeCredit(context, request, [isUsedUp, hardlyAnythingLeft]);
      // A limit that resets is used up until then.
      if (offers('feature:key_info'))
        await world.setKeyInfo('member', { limit: 10, limit_remaining: 10, limit_reset: 'monthly' });
      await judgeCredit(context, request, [nothingLeft]);
      // What a refused request leaves behind must not show in Key information.
      const read = api.readKey();
      const exchange = await read.send();
      // An exhausted key may be refused.
      if (isAnswered(exchange) && exchange.answer.status === 200) {
        read.expect(exchange, 'key-info.limit-pair', judgeLimitPair(exchange));
        // Elsewhere the key may have no limit.
        if (offers('feature:key_info')) judgeUsedUp(read, exchange);
      }
      await expectOtherKeysServed(context);
    },
  ),
  check(
    `${exhausted}/limit-of-zero`,
    { sideEffects: 'settings', needs: ['feature:usage', 'feature:key_info'] },
    async ({ world, api }) => {
      await setIfAccepted(() => world.setKeyInfo('member', { limit: 0, limit_remaining: 0 }));
      await world.setUsage('member', [makeRecentUsage(1, 0)]);
      await api.infer({ model: 'paid' }).expectRefusal(402, { because: 'a limit of 0 is used up' });
    },
  ),
  // A limit that never resets stays used up by old requests until it is raised or removed (§2.2).
  check(
    `${raised}/never-resets`,
    { sideEffects: 'settings', needs: ['feature:usage', 'feature:key_info'] },
    async (context) => {
      const { world, api } = context;
      const used = [5, 7].map((credits) => makeUsage(Date.now() - yearMs, credits, 0));
      for (const [at, limit] of [10, 11, 12.25, null].entries()) {
        await world.setKeyInfo('member', { limit, limit_remaining: limit, limit_reset: null });
        await world.setUsage('member', used);
        const of = limit === null ? 'without a limit' : `of a limit of ${limit} that never resets`;
        const because = `12 credits were used a year ago ${of}`;
        const call = api.infer({ model: 'paid', stream: at % 2 === 1 });
        if (limit !== null && limit < 12) await call.expectRefusal(402, { because });
        else {
          await judgeServed(call, raised, because);
          await judgeRemaining(context, raised);
        }
      }
      await world.setKeyInfo('member', { limit: 11, limit_remaining: 11, limit_reset: null });
      await world.setUsage('member', []);
      await judgeServed(api.infer({ model: 'paid' }), raised, 'nothing is used of a limit of 11');
    },
  ),
];
