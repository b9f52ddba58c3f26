import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, dropGate, editAnswer, refuseInBandAs, setGateStatus } from '../mutation.js';
import { all, endSilently, isFree, isPaid, isStreamed } from './conditions.js';

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
    'credit-limit.overdrawn-silent-stream': subtle(
      'A streamed request of an overdrawn account to a free model gets a stream without an error',
      editAnswer(
        { operation: 'inference', status: 402, when: all(isOverdrawn, isFree, isStreamed) },
        endSilently,
      ),
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
  ...makeMutants(['credit-limit.overdrawn.paid', 'credit-limit.overdrawn.free'], {
    'credit-limit.overdrawn-403': plain(
      'An account with a negative balance gets 403',
      setGateStatus('inference', 'account-balance', 403),
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
    'credit-limit.exhausted-refused-once': subtle(
      'A used-up key is refused the first time and served from then on',
      dropGate(
        'inference',
        'key-limit',
        (call) =>
          call.key?.traits.limitUsedUp === true &&
          isPaid(call) &&
          countUp(call, `used up ${call.key.text}`) > 1,
      ),
    ),
  }),
];

function isOverdrawn({ key }: Call): boolean {
  return key !== undefined && key.traits.balance < 0;
}
