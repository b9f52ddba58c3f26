import { platformLimitRows } from '../../judge/answer-rules.js';
import { type Check, type CheckId, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Role } from '../../spec/vocabulary.js';
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
const [small, large] = ['free_small', 'free_large'] as const;
const ofLargeDay: RequirementId = 'rate-limit.day.large.allowed';

/** More than a small account may have used, and the last request of a large one. */
const largeDay = (as: Border['as']): readonly Border[] => [
  { as, minute: 0, day: perDay.free_small, served: ofLargeDay },
  { as, minute: 0, day: perDay[as] - 1, served: ofLargeDay, refused: 'rate-limit.day.large.refused' },
];

const borders: readonly Border[] = [
  { as: small, ...lastOfMinute, served: 'rate-limit.minute.allowed', refused: 'rate-limit.minute.refused' },
  {
    as: large,
    ...lastOfMinute,
    served: 'rate-limit.minute.large-account',
    refused: 'rate-limit.minute.large-account',
  },
  ...largeDay(large),
  {
    as: small,
    minute: 0,
    day: perDay.free_small - 1,
    served: 'rate-limit.day.small.allowed',
    refused: 'rate-limit.day.small.refused',
  },
];

const offeredOf = (some: readonly Border[], offers: (need: Need) => boolean): readonly Border[] =>
  some.filter(({ as }) => offers(`role:${as}`));

/** A check of borders one after another, and that paid models are beyond all of them. */
function batchBorders(id: CheckId, all: readonly Border[], streamed: boolean): Check {
  const rowsOf = (some: readonly Border[], offers: (need: Need) => boolean): readonly RequirementId[] => {
    const own = some.flatMap(({ served, refused }) => [served, ...(refused === undefined ? [] : [refused])]);
    const isSmall = some.some(({ as }) => as === small);
    return [
      ...new Set([
        ...own,
        ...(own.length > 0 ? platformLimitRows : []),
        ...(isSmall && offers('inference:paid')
          ? (['rate-limit.paid', 'rate-limit.free-variants'] as const)
          : []),
        ...(isSmall && offers('role:free_small_second') ? (['rate-limit.global'] as const) : []),
      ]),
    ];
  };
  return check(
    id,
    {
      control: 'inference',
      sideEffects: 'free-usage',
      decidesAny: true,
      needs: ['feature:free_usage', 'inference:free'],
      also: rowsOf(all, () => true).filter((row) => !id.startsWith(`${row}/`)),
      decidesWhen: (offers) => rowsOf(offeredOf(all, offers), offers),
    },
    async ({ world, api, offers }) => {
      let isLimited = false;
      const offered = offeredOf(all, offers);
      for (const { as, served, refused, ...used } of offered) {
        await world.setFreeUsage(as, used.minute, used.day);
        const ask = (role: Role, headers: Readonly<Record<string, string>> = {}) =>
          api.infer({ as: role, model: 'free', stream: streamed, headers });
        const { answer } = await ask(as).expectStatus(200, {
          requirement: served,
          because: told(used),
          continueOnFailure: true,
        });
        // A refusal proves something only where the request before it was served.
        if (refused === undefined || answer.status !== 200) continue;
        const timed = isTimed(used);
        // Whatever address a client claims, it is the account that is counted.
        const call = ask(as, { 'X-Forwarded-For': '198.51.100.7' });
        const exchange = await call.expectRefusal(429, {
          requirement: refused,
          because: 'the limit was reached by the request before',
          timed,
          continueOnFailure: true,
        });
        isLimited = exchange.answer.status === 429 || exchange.inBand;
        if (isLimited) judgePlatform(call, exchange);
        // What one key of the account has used up is used up for the other.
        if (!isLimited || as !== small || !offers('role:free_small_second')) continue;
        await ask('free_small_second').expectRefusal(429, {
          requirement: 'rate-limit.global',
          because: 'the other key of the account has reached the limit',
          timed,
          continueOnFailure: true,
        });
      }
      if (!offers('inference:paid') || !offered.some(({ as }) => as === small)) return;
      for (const stream of [false, true]) {
        const call = api.infer({ as: small, model: 'paid', stream });
        const exchange = await call.expectStatus(200, {
          requirement: 'rate-limit.paid',
          because: 'the limits are of free models',
          continueOnFailure: true,
        });
        // The last of the borders leaves this account at its limit of free models.
        if (!isLimited) continue;
        call.expect(exchange, 'rate-limit.free-variants', {
          ok: exchange.answer.status === 200,
          expected: '200, since the id of the model does not end in :free',
          actual: String(exchange.answer.status),
        });
      }
    },
  );
}

/** The limits of §8.2. */
export const freeLimitBatches: readonly Check[] = [
  batchBorders('rate-limit.minute.allowed/chain', borders, false),
  batchBorders('rate-limit.minute.allowed/chain-streamed', borders, true),
  // An account that has bought exactly 10 credits has bought at least 10.
  batchBorders('rate-limit.day.large.allowed/exactly-ten', largeDay('free_large_exactly'), false),
];
