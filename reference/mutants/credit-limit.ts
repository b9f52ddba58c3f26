import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import { countUp, dropGate, refuseInBandAs } from '../mutation.js';
import { all, isFree, isPaid, isStreamed } from './conditions.js';

/** Mutants of the area credit-limit. */
export const creditLimitMutants: readonly Mutant[] = [
  ...makeMutants('credit-limit.overdrawn.free', {
    'credit-limit.overdrawn-uses-free-models': everyday.plain(
      'An account with a negative balance may use free models',
      dropGate('inference', 'account-balance', isFree),
    ),
    'credit-limit.overdrawn-streams-free-models': everyday.subtle(
      'An account with a negative balance may stream from free models',
      dropGate('inference', 'account-balance', all(isStreamed, isFree)),
    ),
  }),
  ...makeMutants('credit-limit.overdrawn.paid', {
    'credit-limit.overdrawn-uses-paid-models': everyday.plain(
      'An account with a negative balance may use paid models',
      dropGate('inference', 'account-balance', isPaid),
      ['credit-limit.balance-restored'],
    ),
    'credit-limit.overdrawn-served-every-third-time': everyday.intermittent(
      'Every third request of overdrawn accounts to paid models is served',
      dropGate(
        'inference',
        'account-balance',
        (call) => isOverdrawn(call) && isPaid(call) && countUp(call, 'overdrawn') % 3 === 0,
      ),
      ['credit-limit.balance-restored'],
    ),
  }),
  ...makeMutants('credit-limit.exhausted', {
    'credit-limit.exhausted-served': everyday.plain(
      'A key whose credit limit is used up is served',
      dropGate('inference', 'key-limit'),
    ),
    'credit-limit.exhausted-in-band-429': subtle(
      'A streamed request of a used-up key gets the in-band event with the code 429',
      refuseInBandAs(429, 402, ({ key }) => key?.traits.limitUsedUp === true),
    ),
  }),
];

function isOverdrawn({ key }: Call): boolean {
  return key !== undefined && key.traits.balance < 0;
}
