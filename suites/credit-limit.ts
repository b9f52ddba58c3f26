import { type Check, type CheckId, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Role } from '../spec/vocabulary.js';

// §8.1: who has no credit is refused with 402.

function refused(requirement: RequirementId, as: Role, model: 'free' | 'paid'): readonly Check[] {
  return ([false, true] as const).map((stream) =>
    check(
      `${requirement}/${stream ? 'streamed' : 'plain'}` satisfies CheckId,
      { control: 'inference' },
      async ({ api }) => {
        // Not the first time only.
        for (const _time of ['first', 'second', 'third']) await api.infer({ as, model, stream }).refuses(402);
        await api.infer({ model, stream }).holds(200);
      },
    ),
  );
}

/** The checks of §8.1. */
export const creditLimitChecks: readonly Check[] = [
  ...refused('credit-limit.overdrawn.paid', 'overdrawn', 'paid'),
  ...refused('credit-limit.overdrawn.free', 'overdrawn', 'free'),
  ...refused('credit-limit.exhausted', 'exhausted', 'paid'),
];
