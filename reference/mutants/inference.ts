import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, dropGate, editAnswer, editFault, refuseInBandAs, setStatus } from '../mutation.js';
import { all, during, isFree, isPaid, isStreamed } from './conditions.js';

/** Mutants of the areas inference and credit-limit. */
export const inferenceMutants: readonly Mutant[] = [
  ...makeMutants('inference.502.model-down', {
    'inference.model-down-500': everyday.plain(
      'A model that is down gets 500',
      editFault('model_down', { status: 500 }),
    ),
    'inference.model-down-200-with-envelope': plain(
      'A model that is down gets 200 with the error in the body',
      editAnswer({ operation: 'inference', status: 502, when: during('model_down') }, (answer) => ({
        ...answer,
        status: 200,
      })),
    ),
    'inference.model-down-504-streamed': everyday.subtle(
      'A streamed request to a model that is down gets 504',
      setStatus({ operation: 'inference', status: 502, when: isStreamed }, 504),
    ),
  }),
  ...makeMutants(['inference.502.model-down', 'stream-error.other-errors'], {
    'inference.model-down-in-band-500': subtle(
      'A streamed request to a model that is down gets the in-band event with the code 500',
      refuseInBandAs(500, 502),
    ),
  }),
  ...makeMutants('inference.503.no-provider', {
    'inference.no-provider-502': everyday.plain(
      'A request that no provider can serve gets 502',
      editFault('no_provider', { status: 502 }),
    ),
  }),
  ...makeMutants('inference.routed', {
    'inference.paid-models-unknown': everyday.plain(
      'Requests to paid models are refused with 400, as if there were no such model',
      editAnswer({ operation: 'inference', status: 200, when: isPaid }, (_answer, call) =>
        call.behaviour.refuse(call, { status: 400, message: 'There is no such model' }),
      ),
      [
        'key-info.byok-counting',
        'inference.502.provider-response',
        'credit-limit.balance-restored',
        'credit-limit.limit-restored',
        'rate-limit.free-variants',
        'rate-limit.paid',
        'rate-limit.fallback',
      ],
    ),
  }),
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
