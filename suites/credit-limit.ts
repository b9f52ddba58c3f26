import type { CheckContext } from '../judge/api.js';
import { type Check, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Credit, Role } from '../spec/vocabulary.js';
import { judgeServed } from './inference.js';

// §8.1: who has no credit is refused with 402, until there is some again.

const control = 'inference';

/** What the credit of a key is set to, and what its requests get from then on. */
export interface CreditStep {
  readonly credit: Credit;
  readonly status: 200 | 402;
  readonly requirement: RequirementId;
}

const restored: RequirementId = 'credit-limit.balance-restored';
const raised: RequirementId = 'credit-limit.limit-restored';

/** A balance that is owed until it is above zero. */
const balances = (model: 'free' | 'paid'): readonly CreditStep[] => [
  { credit: { balance: -2.5 }, status: 402, requirement: `credit-limit.overdrawn.${model}` },
  { credit: { balance: 0 }, status: 402, requirement: restored },
  { credit: { balance: 0.5 }, status: 200, requirement: restored },
];

/** What is left of the limit of a key: nothing, something, and nothing again. */
const limits: readonly CreditStep[] = [
  { credit: { limit_remaining: 0 }, status: 402, requirement: 'credit-limit.exhausted' },
  { credit: { limit_remaining: 2.5 }, status: 200, requirement: raised },
  { credit: { limit_remaining: 0 }, status: 402, requirement: 'credit-limit.exhausted' },
];

/** Sets the credit of a role step by step, and asserts what its requests get. */
export async function judgeCredit(
  { world, api }: CheckContext,
  {
    as,
    model,
    streams,
  }: { readonly as: Role; readonly model: 'free' | 'paid'; readonly streams: readonly boolean[] },
  steps: readonly CreditStep[],
): Promise<void> {
  for (const { credit, status, requirement } of steps) {
    await world.setCredit(as, credit);
    const because = `its ${JSON.stringify(credit).replace(/[{}"]/g, '').replace(':', ' is ')}`;
    for (const stream of streams) {
      const call = api.infer({ as, model, stream });
      if (status === 402) await call.expectRefusal(402, { requirement, because });
      else await judgeServed(call, requirement, because);
    }
  }
}

const both = [false, true] as const;

function restoresBalance(model: 'free' | 'paid'): Check {
  return check(
    `credit-limit.balance-restored/${model}`,
    {
      control,
      sideEffects: 'settings',
      needs: [`inference:${model}`],
      also: [`credit-limit.overdrawn.${model}`],
    },
    async (context) => {
      await context.api.infer({ model }).expectControl(200);
      await judgeCredit(context, { as: 'member', model, streams: both }, balances(model));
    },
  );
}

const yearMs = 365 * 86_400_000;

/** A check that a limit which never resets stays used up by what was used long ago, until it is raised (§2.2). */
const neverResets: Check = check(
  'credit-limit.limit-restored/never-resets',
  { control, sideEffects: 'settings', needs: ['feature:usage', 'feature:key_info'] },
  async ({ world, api }) => {
    const used = [{ at: new Date(Date.now() - yearMs).toISOString(), credits: 12, byok: 0 }];
    for (const [limit, status] of [
      [10, 402],
      [20, 200],
    ] as const) {
      await world.setKeyInfo('member', { limit, limit_remaining: limit, limit_reset: null });
      await world.setUsage('member', used);
      const because = `12 credits were used a year ago of a limit of ${limit} that never resets`;
      const call = api.infer({ model: 'paid' });
      if (status === 402) await call.expectRefusal(402, { because });
      else await judgeServed(call, raised, because);
    }
  },
);

/** The checks of §8.1 that change the credit of a key; what is refused without it is judged in the chains. */
export const creditLimitChecks: readonly Check[] = [
  restoresBalance('free'),
  restoresBalance('paid'),
  check(
    'credit-limit.limit-restored/set',
    { control, sideEffects: 'settings', also: ['credit-limit.exhausted'] },
    async (context) => {
      await context.api.infer({ model: 'paid' }).expectControl(200);
      await judgeCredit(context, { as: 'member', model: 'paid', streams: both }, limits);
    },
  ),
  neverResets,
];
