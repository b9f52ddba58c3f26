import { oracle } from '../../generators/oracle.js';
import type { KeySituation } from '../../generators/situation.js';
import { platformIds } from '../../judge/answer-rules.js';
import type { CheckContext } from '../../judge/api.js';
import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Fault } from '../../spec/vocabulary.js';
import { optionsOf } from '../generated/requests.js';
import { offeredWords } from '../generated/words.js';
import { judgePlatform, judgeProviderCode, judgeRetryAfter } from '../rate-limit.js';
import { breaksOff } from '../stream-error.js';

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

/** Who may not ask at all: what the key read answers to such a header, the inference route answers too. */
const strangers: readonly KeySituation[] = (
  ['none', 'unknown', 'unknown-same-shape', 'extended', 'scheme-only', 'disabled'] as const
).map((as) => ({ operation: 'key-info', as, host: 'global' }));

const rowOf = (situation: KeySituation): RequirementId => oracle(situation).due.requirement;

async function refusesStrangers({ world, api, offers }: CheckContext): Promise<void> {
  const { credentials } = offeredWords(offers);
  for (const situation of strangers.filter(({ as }) => credentials.includes(as))) {
    const { as } = optionsOf(situation, 'member', world, api);
    if (as === undefined) continue;
    await api.infer({ as }).answers(401, { requirement: rowOf(situation), goesOn: true });
  }
}

/** Makes a world suffer a fault and asks, where the target offers the fault. */
async function during(
  { world, offers }: CheckContext,
  fault: Fault,
  ask: () => Promise<void>,
): Promise<void> {
  if (!offers(`fault:${fault}`)) return;
  await world.setFaults(fault);
  await ask();
}

const streamRows: readonly RequirementId[] = [
  'stream-error.status',
  'stream-error.event',
  'stream-error.media-type',
];

/** What depth quick sends of §6 to §8 in place of a check for each refusal of the inference route. */
export const inferenceChains: readonly Check[] = [
  check(
    'credit-limit.overdrawn.paid/chain',
    {
      control,
      also: [
        ...broke.slice(1).map(({ requirement }) => requirement),
        ...new Set(strangers.map(rowOf)),
        'inference.routed',
      ],
      shows: (offers) =>
        broke.filter((one) => isBrokeOffered(one, offers)).map(({ requirement }) => requirement),
    },
    async (context) => {
      const { api, offers } = context;
      for (const one of broke.filter((candidate) => isBrokeOffered(candidate, offers))) {
        const { requirement, as, model, streams } = one;
        for (const stream of streams)
          await api.infer({ as, model, stream }).refuses(402, { requirement, goesOn: true });
      }
      await refusesStrangers(context);
      for (const model of ['free', 'paid'] as const) {
        if (offers(`inference:${model}`))
          await api.infer({ model }).answers(200, { requirement: 'inference.routed', goesOn: true });
      }
    },
  ),
  check(
    'inference.502.model-down/chain',
    {
      control,
      also: ['inference.503.no-provider', ...streamRows],
      shows: (offers) => [
        'inference.502.model-down',
        ...(offers('fault:no_provider') ? (['inference.503.no-provider'] as const) : []),
        ...(offers('fault:mid_stream_error') ? streamRows : []),
      ],
    },
    async (context) => {
      const { world, api } = context;
      await during(context, 'model_down', async () => {
        for (const stream of both) await api.infer({ stream }).refuses(502, { goesOn: true });
      });
      await during(context, 'no_provider', async () => {
        const requirement = 'inference.503.no-provider';
        for (const stream of both) await api.infer({ stream }).refuses(503, { requirement, goesOn: true });
      });
      await during(context, 'mid_stream_error', async () => {
        // Not the first time only.
        for (const _time of both) await breaksOff(api.infer({ stream: true }));
      });
      await world.setFaults();
      await api.infer().holds(200);
    },
  ),
  check(
    'rate-limit.upstream.status/chain',
    {
      control,
      also: [
        'rate-limit.upstream.provider-code',
        'rate-limit.upstream.retry-after',
        'rate-limit.platform.status',
        ...platformIds,
      ],
      shows: (offers) => [
        'rate-limit.upstream.status',
        'rate-limit.upstream.provider-code',
        ...(offers('fault:upstream_rate_limited_hint') ? (['rate-limit.upstream.retry-after'] as const) : []),
        ...(offers('fault:platform_rate_limited') && offers('inference:free')
          ? (['rate-limit.platform.status', ...platformIds] as const)
          : []),
      ],
    },
    async (context) => {
      const { world, api, offers } = context;
      await during(context, 'upstream_rate_limited', async () => {
        const call = api.infer();
        const exchange = await call.refuses(429, { goesOn: true });
        if (exchange.answer.status === 429) judgeProviderCode(call, exchange);
      });
      await during(context, 'upstream_rate_limited_hint', async () => {
        const call = api.infer();
        const exchange = await call.refuses(429, { goesOn: true });
        if (exchange.answer.status !== 429) return;
        judgeProviderCode(call, exchange);
        judgeRetryAfter(call, exchange);
      });
      await during(context, 'platform_rate_limited', async () => {
        if (!offers('inference:free')) return;
        const call = api.infer({ model: 'free' });
        const exchange = await call.refuses(429, { requirement: 'rate-limit.platform.status', goesOn: true });
        if (exchange.answer.status === 429) judgePlatform(call, exchange);
      });
      await world.setFaults();
      await api.infer().holds(200);
    },
  ),
];
