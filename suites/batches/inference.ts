import { type CredentialWord, spoiltCredentials } from '../../generators/credential.js';
import { offeredWords } from '../../generators/inputs.js';
import { oracle } from '../../generators/oracle.js';
import { plainKey } from '../../generators/situation.js';
import { platformIds } from '../../judge/answer-rules.js';
import type { Api, CheckContext } from '../../judge/api.js';
import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Fault } from '../../spec/vocabulary.js';
import { type CreditStep, judgeCredit } from '../credit-limit.js';
import { judgeLaterFault, type LaterFault, laterFaults } from '../inference.js';
import { judgeFallback, judgePlatform, judgeProviderCode, judgeRetryAfter } from '../rate-limit.js';
import { credentialOf } from '../requests.js';
import { breaksOff, judgeOtherError } from '../stream-error.js';
import { askForFault } from './vault-batch.js';

// §6 to §8: inference requests that are refused, one after another.

const control = 'inference';
const both = [false, true] as const;

/** A key without credit, and what it may not ask. */
interface Broke {
  readonly requirement: RequirementId;
  readonly as: 'overdrawn' | 'exhausted';
  readonly model: 'free' | 'paid';
  readonly streams: readonly boolean[];
}

const broke: readonly Broke[] = [
  // Not the first time only.
  {
    requirement: 'credit-limit.overdrawn.paid',
    as: 'overdrawn',
    model: 'paid',
    streams: [false, true, false],
  },
  { requirement: 'credit-limit.overdrawn.free', as: 'overdrawn', model: 'free', streams: both },
  { requirement: 'credit-limit.exhausted', as: 'exhausted', model: 'paid', streams: both },
];

const isBrokeOffered = ({ as, model }: Broke, offers: (need: Need) => boolean): boolean =>
  offers(`role:${as}`) && offers(`inference:${model}`);

/** Asserts what a fault is answered, and where its stream has started before, that the stream tells of it. */
async function judgeLater(api: Api, later: LaterFault, stream: boolean): Promise<void> {
  const call = api.infer({ stream });
  const exchange = await judgeLaterFault(call, later);
  if (exchange.inBand) judgeOtherError(call, exchange, later.status);
}

/** What lifts the 402 of a role that was made without credit, and the row that says so. */
const lifted: readonly { readonly as: Broke['as']; readonly step: CreditStep }[] = [
  {
    as: 'overdrawn',
    step: { credit: { balance: 1 }, status: 200, requirement: 'credit-limit.balance-restored' },
  },
  {
    as: 'exhausted',
    step: { credit: { limit_remaining: 5 }, status: 200, requirement: 'credit-limit.limit-restored' },
  },
];

function liftedOn(offers: (need: Need) => boolean): typeof lifted {
  const isSet = offers('feature:credit') && offers('inference:paid');
  return isSet ? lifted.filter(({ as }) => offers(`role:${as}`)) : [];
}

/** Who may not ask at all. */
const strangers: readonly CredentialWord[] = ['none', 'unknown', 'scheme-only', 'extended', 'disabled'];
const moreStrangers = spoiltCredentials.filter((word) => !strangers.includes(word));

/** What the key read answers to a credential, the inference route answers too. */
const rowOf = (as: CredentialWord): RequirementId => oracle({ ...plainKey, as }).due.requirement;

const isCredentialOffered = (word: CredentialWord, offers: (need: Need) => boolean): boolean =>
  offeredWords(offers).credentials.includes(word);

async function refusesStrangers(
  words: readonly CredentialWord[],
  { world, api, offers }: CheckContext,
): Promise<void> {
  for (const word of words.filter((one) => isCredentialOffered(one, offers))) {
    await api
      .infer({ as: credentialOf(word, 'member', world) })
      .answers(401, { requirement: rowOf(word), goesOn: true });
  }
}

/** A fault, and what is asked while it holds. */
type DuringFault = readonly [fault: Fault, ask: () => Promise<void>];

/** Makes a world suffer one fault after another and asks, where the target offers the fault. */
async function askDuring({ world, offers }: CheckContext, steps: readonly DuringFault[]): Promise<void> {
  const offered = steps.filter(([fault]) => offers(`fault:${fault}`));
  const chain = offered.map(([fault]) => fault);
  for (const [fault, ask] of offered) {
    await askForFault(world, fault, chain);
    await ask();
  }
  await world.setFaults();
}

/** Rows that each take a fault of their own, as many as the target offers. */
const faultRows: readonly (readonly [Fault, RequirementId])[] = [
  ['model_down', 'inference.502.model-down'],
  ['no_provider', 'inference.503.no-provider'],
  ...laterFaults.map(({ fault, requirement }) => [fault, requirement] as const),
  ['provider_bad_response', 'stream-error.other-errors'],
  ['guardrail_blocks', 'guardrail-read.enforcement'],
  ['one_provider_limited', 'rate-limit.fallback'],
  ['mid_stream_error', 'stream-error.status'],
  ['mid_stream_error', 'stream-error.event'],
  ['mid_stream_error', 'stream-error.media-type'],
];
const rowsUnder = (isSuffered: (fault: Fault) => boolean) => [
  ...new Set(faultRows.flatMap(([fault, row]) => (isSuffered(fault) ? [row] : []))),
];

/** The refusals of §6 to §8. */
export const inferenceBatches: readonly Check[] = [
  check(
    'credit-limit.overdrawn.paid/chain',
    {
      control,
      decidesAny: true,
      also: [
        ...broke.slice(1).map(({ requirement }) => requirement),
        ...new Set(strangers.map(rowOf)),
        'inference.routed',
        'auth.oauth-session',
        'credit-limit.balance-restored',
        'credit-limit.limit-restored',
      ],
      // The roles without credit have some at the end.
      altersWorld: 'settings',
      shows: (offers) => [
        ...broke.filter((one) => isBrokeOffered(one, offers)).map(({ requirement }) => requirement),
        ...new Set(strangers.filter((word) => isCredentialOffered(word, offers)).map(rowOf)),
        ...(offers('role:expired_session') ? (['auth.oauth-session'] as const) : []),
        ...liftedOn(offers).map(({ step }) => step.requirement),
      ],
    },
    async (context) => {
      const { api, offers } = context;
      for (const one of broke.filter((candidate) => isBrokeOffered(candidate, offers))) {
        const { requirement, as, model, streams } = one;
        for (const stream of streams)
          await api.infer({ as, model, stream }).refuses(402, { requirement, goesOn: true });
      }
      await refusesStrangers(strangers, context);
      if (offers('role:expired_session'))
        await api
          .infer({ as: 'expired_session' })
          .answers(401, { requirement: 'auth.oauth-session', goesOn: true });
      for (const model of ['free', 'paid'] as const) {
        if (offers(`inference:${model}`))
          await api.infer({ model }).answers(200, { requirement: 'inference.routed', goesOn: true });
      }
      for (const { as, step } of liftedOn(offers))
        await judgeCredit(context, { as, model: 'paid', streams: [false] }, [step]);
    },
  ),
  check(
    'auth.altered-key/inference',
    {
      control,
      also: [...new Set(moreStrangers.map(rowOf))].filter((id) => id !== 'auth.altered-key'),
    },
    (context) => refusesStrangers(moreStrangers, context),
  ),
  check(
    'inference.502.model-down/chain',
    {
      control,
      decidesAny: true,
      also: rowsUnder(() => true).slice(1),
      shows: (offers) => rowsUnder((fault) => offers(`fault:${fault}`)),
    },
    async (context) => {
      const { api } = context;
      const refuses = async (status: 502 | 503, requirement: RequirementId): Promise<void> => {
        for (const stream of both) await api.infer({ stream }).refuses(status, { requirement, goesOn: true });
      };
      await askDuring(context, [
        // A stream that never ends keeps all that follow it from being asked, and others ask what these ask.
        [
          'mid_stream_error',
          async () => {
            // Not the first time only.
            for (const _time of both) await breaksOff(api.infer({ stream: true }));
          },
        ],
        ['model_down', () => refuses(502, 'inference.502.model-down')],
        ['no_provider', () => refuses(503, 'inference.503.no-provider')],
        ...laterFaults.map(
          (later, at): DuringFault => [later.fault, () => judgeLater(api, later, at % 2 === 0)],
        ),
        ['one_provider_limited', () => judgeFallback(api.infer())],
      ]);
      await api.infer().holds(200);
    },
  ),
  check(
    'rate-limit.upstream.status/chain',
    {
      control,
      decidesAny: true,
      also: [
        'rate-limit.upstream.provider-code',
        'rate-limit.upstream.retry-after',
        'rate-limit.platform.status',
        ...platformIds,
      ],
      shows: (offers) => [
        ...(offers('fault:upstream_rate_limited')
          ? (['rate-limit.upstream.status', 'rate-limit.upstream.provider-code'] as const)
          : []),
        ...(offers('fault:upstream_rate_limited_hint') ? (['rate-limit.upstream.retry-after'] as const) : []),
        ...(offers('fault:platform_rate_limited') && offers('inference:free')
          ? (['rate-limit.platform.status', ...platformIds] as const)
          : []),
      ],
    },
    async (context) => {
      const { api, offers } = context;
      const upstream = async (hasHint: boolean): Promise<void> => {
        for (const stream of both) {
          const call = api.infer({ stream });
          const exchange = await call.refuses(429, { goesOn: true });
          // An in-band event has no headers to carry a hint in.
          if (exchange.answer.status !== 429 || exchange.inBand) continue;
          judgeProviderCode(call, exchange);
          if (hasHint) judgeRetryAfter(call, exchange);
        }
      };
      const platform = async (): Promise<void> => {
        for (const stream of offers('inference:free') ? both : []) {
          const call = api.infer({ model: 'free', stream });
          const exchange = await call.refuses(429, {
            requirement: 'rate-limit.platform.status',
            goesOn: true,
          });
          if (exchange.answer.status === 429) judgePlatform(call, exchange);
        }
      };
      await askDuring(context, [
        ['upstream_rate_limited', () => upstream(false)],
        ['upstream_rate_limited_hint', () => upstream(true)],
        ['platform_rate_limited', platform],
      ]);
      await api.infer().holds(200);
    },
  ),
];
