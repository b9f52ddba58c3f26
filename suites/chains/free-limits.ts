import { platformIds } from '../../judge/answer-rules.js';
import { type Check, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
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

const rows = borders.flatMap(({ served, refused }) => [served, ...(refused === undefined ? [] : [refused])]);

/** What depth quick sends of §8.2 in place of a check for each side of each limit. */
export const freeLimitChains: readonly Check[] = [
  check(
    'rate-limit.minute.allowed/chain',
    {
      control: 'inference',
      altersWorld: 'free-usage',
      needs: ['feature:free_usage', 'role:free_large'],
      also: [
        ...new Set(rows.slice(1)),
        ...platformIds,
        'rate-limit.paid',
        'rate-limit.free-variants',
        'rate-limit.global',
      ],
      shows: (offers) => [
        ...new Set(rows),
        ...platformIds,
        ...(offers('inference:paid') ? (['rate-limit.paid', 'rate-limit.free-variants'] as const) : []),
        ...(offers('role:free_small_second') ? (['rate-limit.global'] as const) : []),
      ],
    },
    async ({ world, api, offers }) => {
      let isLimited = false;
      for (const { as, served, refused, ...used } of borders) {
        await world.setFreeUsage(as, used.minute, used.day);
        const { answer } = await api
          .infer({ as, model: 'free' })
          .answers(200, { requirement: served, because: told(used), goesOn: true });
        // A refusal proves something only where the request before it was served.
        if (refused === undefined || answer.status !== 200) continue;
        const call = api.infer({ as, model: 'free' });
        const exchange = await call.refuses(429, {
          requirement: refused,
          because: 'the limit was reached by the request before',
          timed: isTimed(used),
          goesOn: true,
        });
        isLimited = exchange.answer.status === 429;
        if (isLimited) judgePlatform(call, exchange);
        // What one key of the account has used up is used up for the other.
        if (!isLimited || as !== 'free_small' || !offers('role:free_small_second')) continue;
        await api.infer({ as: 'free_small_second', model: 'free' }).refuses(429, {
          requirement: 'rate-limit.global',
          because: 'the other key of the account has reached the limit',
          timed: isTimed(used),
          goesOn: true,
        });
      }
      if (!offers('inference:paid')) return;
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
];
