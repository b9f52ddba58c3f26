import type { GateName } from '../behaviour.js';
import { everyday, type MutantRows, plain, subtle, tabulate } from '../mutant.js';
import {
  dropGate,
  editAnswer,
  editFaults,
  editGate,
  everyNth,
  type Mutation,
  refuseFirst,
  refuseInBandAs,
  setFaultStatus,
  setGateStatus,
  setStatus,
  type When,
} from '../mutation.js';
import { parseBody } from '../wire.js';
import { all, as, during, isFree, isPaid, isStreamed } from './conditions.js';

const isOverdrawn: When = ({ key }) => key?.balance.isOwed === true;
const isUsedWithoutLimit: When = ({ key }) => key?.information.limit === null && key.records !== undefined;
const isEmpty = (parameters: object | undefined): boolean =>
  parameters !== undefined && Object.keys(parameters).length === 0;

/** Mutants of the areas inference and credit-limit. */
export const inferenceMutants: MutantRows = {
  ...tabulate('inference', everyday.plain, setFaultStatus, [
    ['502.model-down', 'model-down-500', 'A model that is down gets 500', ['model_down', 500]],
    ['503.no-provider', 'no-provider-502', 'A request without a provider gets 502', ['no_provider', 502]],
    ['408.timeout', 'timeout-504', 'A request that times out gets 504', ['inference_deadline', 504]],
  ]),
  'inference.model-down-504-streamed': everyday.subtle('inference.502.model-down')(
    'A streamed request to a model that is down gets 504',
    setStatus({ operation: 'inference', status: 502, when: isStreamed }, 504),
  ),
  'inference.model-down-in-band-500': subtle('inference.502.model-down', 'stream-error.other-errors')(
    'A streamed request to a model that is down gets the in-band event with the code 500',
    refuseInBandAs(500, 502),
  ),
  'inference.charset-415': subtle('inference.routed')(
    'A request whose media type names its charset gets 415',
    refuseFirst('inference', 415, ({ headers }) => /; *charset/.test(headers['content-type'] ?? '')),
  ),
  'inference.paid-models-unknown': everyday.plain('inference.routed')(
    'Requests to paid models are refused with 400, as if there were no such model',
    editAnswer({ operation: 'inference', status: 200, when: isPaid }, (_answer, call) =>
      call.behaviour.refuse(call, { status: 400, message: 'There is no such model' }),
    ),
  ),
  'credit-limit.overdrawn-uses-free-models': everyday.plain('credit-limit.overdrawn.free')(
    'An account with a negative balance may use free models',
    dropGate('inference', 'account-balance', isFree),
  ),
  'credit-limit.overdrawn-streams-free-models': everyday.subtle('credit-limit.overdrawn.free')(
    'An account with a negative balance may stream from free models',
    dropGate('inference', 'account-balance', all(isStreamed, isFree)),
  ),
  'credit-limit.overdrawn-uses-paid-models': everyday.plain('credit-limit.overdrawn.paid')(
    'An account with a negative balance may use paid models',
    dropGate('inference', 'account-balance', isPaid),
  ),
  'credit-limit.overdrawn-served-every-third-time': everyday.intermittent('credit-limit.overdrawn.paid')(
    'Every third request of overdrawn accounts to paid models is served',
    dropGate('inference', 'account-balance', all(isOverdrawn, isPaid, everyNth(3, 'overdrawn'))),
  ),
  'credit-limit.exhausted-served': everyday.plain('credit-limit.exhausted')(
    'A key whose credit limit is used up is served',
    dropGate('inference', 'key-limit'),
  ),
  'credit-limit.exhausted-in-band-429': subtle('credit-limit.exhausted')(
    'A streamed request of a used-up key gets the in-band event with the code 429',
    refuseInBandAs(429, 402, ({ key }) => key?.traits.limitUsedUp === true),
  ),
  'inference.down-with-vault': subtle('inference.routed')(
    'Inference gets 502 while the vault is unreachable',
    refuseFirst('inference', 502, during('vault_unreachable')),
  ),
  'inference.bad-response-500': everyday.plain(
    'inference.502.provider-response',
    'stream-error.other-errors',
  )("A provider's invalid response gets 500", editFaults({ provider_bad_response: { status: 500 } })),
  'inference.guardrail-not-enforced': everyday.plain('inference.403.blocked', 'guardrail-read.enforcement')(
    'A request that a guardrail blocks is served',
    dropGate('inference', 'fault', during('guardrail_blocks')),
  ),
  'inference.moderation-without-effect': plain('inference.403.blocked')(
    'A request that moderation flags is served',
    dropGate('inference', 'fault', during('moderation_flags')),
  ),
  'inference.no-parameters-500': subtle('inference.malformed-body')(
    'An inference request without parameters leads to 500',
    setGateStatus('inference', 'inference-request', 500, ({ body }) => isEmpty(parseBody(body))),
  ),
  'inference.no-object-500': subtle('inference.malformed-body')(
    'An inference request whose body is JSON but no object leads to 500',
    refuseFirst(
      'inference',
      500,
      ({ body }) => body.state === 'complete' && /^\s*(?:null|\[)/.test(body.text),
    ),
  ),
  'inference.unknown-model-500': subtle('inference.malformed-body')(
    'An inference request for a model that does not exist leads to 500',
    setGateStatus('inference', 'known-model', 500, ({ inference }) => typeof inference?.model === 'string'),
  ),
  'inference.messages-no-list-500': subtle('inference.malformed-body')(
    'An inference request whose messages are no list leads to 500',
    refuseFirst('inference', 500, ({ body }) => {
      const { messages = [] } = parseBody(body) ?? {};
      return !Array.isArray(messages);
    }),
  ),
  'inference.blocked-origin-served': everyday.plain('inference.400.cors')(
    'A request from an origin that CORS blocks is served',
    dropGate(['vault-delete', 'guardrail-read', 'key-read', 'inference'], 'origin'),
  ),
  'inference.blocked-origin-streams': subtle('inference.400.cors')(
    'A streamed request from an origin that CORS blocks is served',
    dropGate('inference', 'origin', isStreamed),
  ),
  'credit-limit.rounded-to-cents': subtle('credit-limit.overdrawn.paid')(
    'A balance is rounded to cents before it is compared',
    dropGate('inference', 'account-balance', ({ key }) => (key?.balance.amount ?? 0) > -0.005),
  ),
  'credit-limit.zero-balance-is-debt': subtle('inference.routed')(
    'A balance of zero gets 402 on free models as a negative one does',
    refuseFirst(
      'inference',
      402,
      all(as('member'), isFree, ({ key }) => key?.balance.amount === 0),
    ),
  ),
  'credit-limit.zero-balance-suffices': subtle('credit-limit.balance-restored')(
    'A balance of zero lifts the 402 of a negative one',
    editGate('inference', 'account-balance', (call, original) =>
      (call.key?.balance.amount ?? 0) < 0 ? original(call) : undefined,
    ),
  ),
  'credit-limit.zero-is-unlimited': subtle('credit-limit.exhausted')(
    'A limit of 0 is taken for no limit',
    dropGate('inference', 'key-limit', ({ key }) => key?.information.limit === 0),
  ),
  'credit-limit.resetting-limit-ignored': subtle('credit-limit.exhausted')(
    'A key whose limit resets is served although the limit is used up, except the key of the role exhausted',
    dropGate(
      'inference',
      'key-limit',
      ({ key }) => key?.role !== 'exhausted' && key?.information.limit_reset !== null,
    ),
  ),
  'credit-limit.one-key-stops-all': subtle('credit-limit.exhausted')(
    'Once the limit of a key is used up, the others of its workspace are refused too',
    editGate('inference', 'key-limit', (call, original) => {
      const isUsedUp = call.key?.world.keys.get('member')?.limitRemaining === 0;
      return original(isUsedUp && call.key ? { ...call, key: { ...call.key, limitRemaining: 0 } } : call);
    }),
  ),
  'credit-limit.one-key-stops-its-account': subtle('credit-limit.exhausted')(
    'Once the limit of a key is used up, the other key of its account is refused too',
    editGate('inference', 'key-limit', (call, original) => {
      const second =
        call.key?.role === 'free_small' ? call.key.world.keys.get('free_small_second') : undefined;
      return original(second === undefined ? call : { ...call, key: second });
    }),
  ),
  'credit-limit.second-key-has-no-debt': subtle('credit-limit.overdrawn.free', 'credit-limit.overdrawn.paid')(
    'The second key of an account with a negative balance is served',
    dropGate('inference', 'account-balance', ({ key }) => key?.role === 'free_small_second'),
  ),
  'credit-limit.debt-forgiven': subtle('credit-limit.overdrawn.paid')(
    'A balance that was raised once is not enforced any more',
    dropGate('inference', 'account-balance', ({ key, server }) => {
      if (key === undefined) return false;
      const paid = `paid ${key.text}`;
      if (key.balance.amount > 0 && key.balance.isOwed === false && server.memory.has(`owed ${key.text}`))
        server.memory.set(paid, true);
      if (key.balance.isOwed) server.memory.set(`owed ${key.text}`, true);
      return server.memory.has(paid);
    }),
  ),
  'credit-limit.below-zero-served': subtle('credit-limit.exhausted')(
    'A key with less than nothing remaining is served',
    dropGate('inference', 'key-limit', ({ key }) => (key?.limitRemaining ?? 0) < 0),
  ),
  'credit-limit.debt-for-good': everyday.plain('credit-limit.balance-restored')(
    'An account that was refused once for its balance stays refused',
    refuseForGood('account-balance'),
  ),
  'credit-limit.counts-the-last-request': subtle('credit-limit.limit-restored')(
    'Only the last request of a key counts toward its limit',
    { limitUse: ({ records = [] }) => records.at(-1)?.credits ?? 0 },
  ),
  'credit-limit.no-limit-used-up': subtle('credit-limit.limit-restored')(
    'A key without a limit gets 402 once it has been used',
    refuseFirst('inference', 402, all(isPaid, isUsedWithoutLimit)),
  ),
  'credit-limit.remaining-rounded': subtle('credit-limit.limit-restored')(
    'What is left of a limit is rounded to whole credits before it is enforced',
    editGate('inference', 'key-limit', (call, original) => {
      const { key } = call;
      if (key?.limitRemaining === undefined) return original(call);
      return original({ ...call, key: { ...key, limitRemaining: Math.round(key.limitRemaining) } });
    }),
  ),
  'credit-limit.used-up-for-good': everyday.plain('credit-limit.limit-restored')(
    'A key that was refused once for its limit stays refused',
    refuseForGood('key-limit'),
  ),
};

function refuseForGood(name: GateName): Mutation {
  return editGate('inference', name, (call, original) => {
    const refusal = original(call);
    const { memory } = call.server;
    const about = `${name} ${call.key?.text}`;
    if (refusal !== undefined) memory.set(about, refusal);
    return refusal ?? (memory.get(about) as typeof refusal);
  });
}
