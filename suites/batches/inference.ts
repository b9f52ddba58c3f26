import { type CredentialWord, spoiltCredentials } from '../../generators/credential.js';
import { oracle } from '../../generators/oracle.js';
import type { KeySituation } from '../../generators/situation.js';
import { platformIds, streamMediaType } from '../../judge/answer-rules.js';
import type { CheckContext } from '../../judge/api.js';
import type { Call } from '../../judge/call.js';
import { type Check, check } from '../../judge/check.js';
import { errorChunk } from '../../judge/stream.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Fault } from '../../spec/vocabulary.js';
import { optionsOf } from '../generated/requests.js';
import { offeredWords } from '../generated/words.js';
import { judgePlatform, judgeProviderCode, judgeRetryAfter } from '../rate-limit.js';

// §6 to §8: inference requests that are refused, one after another.

const control = 'inference';
const both = [false, true] as const;

/** A key without credit, and what it may not ask. */
interface Broke {
  readonly requirement: RequirementId;
  readonly as: 'overdrawn' | 'exhausted';
  readonly model: 'free' | 'paid';
}

// Not the first time only.
const streams = [false, true, false] as const;

const broke: readonly Broke[] = [
  { requirement: 'credit-limit.overdrawn.paid', as: 'overdrawn', model: 'paid' },
  { requirement: 'credit-limit.overdrawn.free', as: 'overdrawn', model: 'free' },
  { requirement: 'credit-limit.exhausted', as: 'exhausted', model: 'paid' },
];

const isBrokeOffered = ({ as, model }: Broke, offers: (need: Need) => boolean): boolean =>
  offers(`role:${as}`) && offers(`inference:${model}`);

/** Who may not ask at all. */
const strangers: readonly CredentialWord[] = [
  'none',
  'unknown',
  'unknown-same-shape',
  'extended',
  'scheme-only',
  'disabled',
];
const moreStrangers = spoiltCredentials.filter((word) => !strangers.includes(word));

/** What the key read answers to a credential, the inference route answers too. */
const asAtKeyRead = (as: CredentialWord): KeySituation => ({ operation: 'key-info', as, host: 'global' });
const rowOf = (as: CredentialWord): RequirementId => oracle(asAtKeyRead(as)).due.requirement;

const isCredentialOffered = (word: CredentialWord, offers: (need: Need) => boolean): boolean =>
  offeredWords(offers).credentials.includes(word);

async function refusesStrangers(
  words: readonly CredentialWord[],
  { world, api, offers }: CheckContext,
): Promise<void> {
  for (const word of words.filter((one) => isCredentialOffered(one, offers))) {
    const { as } = optionsOf(asAtKeyRead(word), 'member', world, api);
    if (as === undefined) continue;
    await api.infer({ as }).answers(401, { requirement: rowOf(word), goesOn: true });
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

/** Asserts that a stream begins as one, and ends with the error in it (§6). */
async function breaksOff(call: Call): Promise<void> {
  const exchange = await call.answers(200, {
    requirement: 'stream-error.status',
    because: 'the stream has started before the error',
  });
  call.judges(exchange, 'stream-error.media-type', streamMediaType(exchange));
  call.judges(exchange, 'stream-error.event', {
    holds: errorChunk(exchange.answer.text) !== undefined,
    expected: 'a data line that holds a JSON chunk of the error',
    actual: 'no such line',
  });
}

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
      ],
      shows: (offers) => [
        ...broke.filter((one) => isBrokeOffered(one, offers)).map(({ requirement }) => requirement),
        ...new Set(strangers.filter((word) => isCredentialOffered(word, offers)).map(rowOf)),
      ],
    },
    async (context) => {
      const { api, offers } = context;
      for (const one of broke.filter((candidate) => isBrokeOffered(candidate, offers))) {
        const { requirement, as, model } = one;
        for (const stream of streams)
          await api.infer({ as, model, stream }).refuses(402, { requirement, goesOn: true });
      }
      await refusesStrangers(strangers, context);
      for (const model of ['free', 'paid'] as const) {
        if (offers(`inference:${model}`))
          await api.infer({ model }).answers(200, { requirement: 'inference.routed', goesOn: true });
      }
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
      also: ['inference.503.no-provider', ...streamRows],
      shows: (offers) => [
        ...(offers('fault:model_down') ? (['inference.502.model-down'] as const) : []),
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
      const { world, api, offers } = context;
      await during(context, 'upstream_rate_limited', async () => {
        for (const stream of both) {
          const call = api.infer({ stream });
          const exchange = await call.refuses(429, { goesOn: true });
          if (exchange.answer.status === 429 && !exchange.inBand) judgeProviderCode(call, exchange);
        }
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
        for (const stream of both) {
          const call = api.infer({ model: 'free', stream });
          const exchange = await call.refuses(429, {
            requirement: 'rate-limit.platform.status',
            goesOn: true,
          });
          if (exchange.answer.status === 429) judgePlatform(call, exchange);
        }
      });
      await world.setFaults();
      await api.infer().holds(200);
    },
  ),
  ...(
    [
      ['inference.502.model-down', 'model_down', 502],
      ['inference.503.no-provider', 'no_provider', 503],
    ] as const
  ).map(([requirement, fault, status]) =>
    check(`${requirement}/paid`, { control, needs: ['inference:paid'] }, async ({ world, api }) => {
      await world.setFaults(fault);
      for (const stream of both) await api.infer({ model: 'paid', stream }).refuses(status, { goesOn: true });
      await world.setFaults();
      await api.infer({ model: 'paid' }).holds(200);
    }),
  ),
];
