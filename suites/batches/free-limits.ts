import { platformIds } from '../../judge/answer-rules.js';
import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import { isTimed, judgePlatform, perDay, perMinute, told } from '../rate-limit.js';

// §8.2: the last request within each limit of free models, and the first beyond it.

/** What an account is said to have used, and the rows of the request that is then served and of the next. */
interface Border {
  readonly as: keyof typeof perDay;
  readonly minute: number;
  readonly day: number;
  readonly served: RequirementId;
  /** Absent where the next request is within the limit too. */
  readonly refused?: RequirementId;
}

const lastOfMinute = { minute: perMinute - 1, day: perMinute - 1 };

const borders: readonly Border[] = [
  {
    as: 'free_small',
    ...lastOfMinute,
    served: 'rate-limit.minute.allowed',
    refused: 'rate-limit.minute.refused',
  },
  {
    as: 'free_large',
    ...lastOfMinute,
    served: 'rate-limit.minute.large-account',
    refused: 'rate-limit.minute.large-account',
  },
  {
    as: 'free_large',
    minute: 0,
    day: perDay.free_small,
    served: 'rate-limit.day.large.allowed',
  },
  {
    as: 'free_large',
    minute: 0,
    day: perDay.free_large - 1,
    served: 'rate-limit.day.large.allowed',
    refused: 'rate-limit.day.large.refused',
  },
  {
    as: 'free_small',
    minute: 0,
    day: perDay.free_small - 1,
    served: 'rate-limit.day.small.allowed',
    refused: 'rate-limit.day.small.refused',
  },
];

const rowsOf = (some: readonly Border[]): readonly RequirementId[] =>
  some.flatMap(({ served, refused }) => [served, ...(refused === undefined ? [] : [refused])]);

const bordersOffered = (offers: (need: Need) => boolean): readonly Border[] =>
  borders.filter(({ as }) => offers(`role:${as}`));

/** The limits of §8.2. */
export const freeLimitBatches: readonly Check[] = [false, true].map((streamed) =>
  check(
    streamed ? 'rate-limit.minute.allowed/chain-streamed' : 'rate-limit.minute.allowed/chain',
    {
      control: 'inference',
      altersWorld: 'free-usage',
      decidesAny: true,
      needs: ['feature:free_usage', 'inference:free'],
      also: [
        ...new Set(rowsOf(borders).slice(1)),
        ...platformIds,
        'rate-limit.paid',
        'rate-limit.free-variants',
        'rate-limit.global',
      ],
      shows: (offers) => {
        const offered = bordersOffered(offers);
        const isPaid = offers('inference:paid') && offers('role:free_small');
        return [
          ...new Set(rowsOf(offered)),
          ...(offered.length > 0 ? platformIds : []),
          ...(isPaid ? (['rate-limit.paid', 'rate-limit.free-variants'] as const) : []),
          ...(offers('role:free_small') && offers('role:free_small_second')
            ? (['rate-limit.global'] as const)
            : []),
        ];
      },
    },
    async ({ world, api, offers }) => {
      let isLimited = false;
      for (const { as, served, refused, ...used } of bordersOffered(offers)) {
        await world.setFreeUsage(as, used.minute, used.day);
        const { answer } = await api
          .infer({ as, model: 'free', stream: streamed })
          .answers(200, { requirement: served, because: told(used), goesOn: true });
        // A refusal proves something only where the request before it was served.
        if (refused === undefined || answer.status !== 200) continue;
        // Whatever address a client claims, it is the account that is counted.
        const headers = { 'X-Forwarded-For': '198.51.100.7' };
        const call = api.infer({ as, model: 'free', stream: streamed, headers });
        const exchange = await call.refuses(429, {
          requirement: refused,
          because: 'the limit was reached by the request before',
          timed: isTimed(used),
          goesOn: true,
        });
        isLimited = exchange.answer.status === 429 || exchange.inBand;
        if (isLimited) judgePlatform(call, exchange);
        // What one key of the account has used up is used up for the other.
        if (!isLimited || as !== 'free_small' || !offers('role:free_small_second')) continue;
        await api.infer({ as: 'free_small_second', model: 'free', stream: streamed }).refuses(429, {
          requirement: 'rate-limit.global',
          because: 'the other key of the account has reached the limit',
          timed: isTimed(used),
          goesOn: true,
        });
      }
      if (!offers('inference:paid') || !offers('role:free_small')) return;
      for (const stream of [false, true]) {
        const call = api.infer({ as: 'free_small', model: 'paid', stream });
        const exchange = await call.answers(200, {
          requirement: 'rate-limit.paid',
          because: 'the limits are of free models',
          goesOn: true,
        });
        // The last of the borders leaves this account at its limit of free models.
        if (!isLimited) continue;
        call.judges(exchange, 'rate-limit.free-variants', {
          holds: exchange.answer.status === 200,
          expected: '200, since the id of the model does not end in :free',
          actual: String(exchange.answer.status),
        });
      }
    },
  ),
);
