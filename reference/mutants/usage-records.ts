import { FreeUsage } from '../accounts.js';
import type { Call, UsageWindows } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import type { Mutation } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';
import type { Key } from '../world.js';

const HOUR_MS = 3_600_000;

const DAY_MS = 24 * HOUR_MS;

/** Mutants of what usage is counted, for how long, and for which key (§2.2, §8.2). */
export const usageRecordsMutants: readonly Mutant[] = [
  ...makeMutants('key-info.windows', {
    'key-info.week-from-sunday': everyday.subtle(
      'usage_weekly begins on Sunday',
      editWindows(({ daily }) => ({ weekly: daily - new Date(daily).getUTCDay() * DAY_MS })),
    ),
    'key-info.week-of-seven-days': subtle(
      'usage_weekly is of the last seven days',
      editWindows((_windows, now) => ({ weekly: now - 7 * DAY_MS })),
    ),
    'key-info.day-of-24-hours': subtle(
      'usage_daily is of the last 24 hours',
      editWindows((_windows, now) => ({ daily: now - DAY_MS })),
    ),
    'key-info.day-in-berlin': subtle(
      'usage_daily begins at midnight two hours east of UTC',
      editWindows((_windows, now) => ({
        daily: Math.floor((now + 2 * HOUR_MS) / DAY_MS) * DAY_MS - 2 * HOUR_MS,
      })),
    ),
    'key-info.midnight-not-counted': subtle(
      'What is used at midnight counts into the day before',
      editWindows(({ daily }) => ({ daily: daily + 1 })),
    ),
    'key-info.month-of-30-days': subtle(
      'usage_monthly is of the last 30 days',
      editWindows((_windows, now) => ({ monthly: now - 30 * DAY_MS })),
    ),
    'key-info.month-from-the-second': subtle(
      'usage_monthly leaves out the first day of the month',
      editWindows(({ monthly }) => ({ monthly: monthly + DAY_MS })),
    ),
    'key-info.usage-of-a-year': subtle(
      'usage forgets what is older than a year',
      editFigures((key, { usage }, now) => ({
        usage: Number(usage) - sumOf(key, 'credits', ({ at }) => at < now - 365 * DAY_MS),
      })),
    ),
    'key-info.own-keys-counted-as-usage': subtle(
      'usage counts what own provider keys used too',
      editFigures((_key, { usage, byok_usage }) => ({ usage: Number(usage) + Number(byok_usage) })),
    ),
    'key-info.day-counts-no-fractions': subtle(
      'usage_daily is in whole credits',
      editFigures((_key, { usage_daily }) => ({ usage_daily: Math.floor(Number(usage_daily)) })),
    ),
  }),
  ...makeMutants('key-info.byok-counting', {
    'key-info.own-keys-not-counted': everyday.plain(
      'byok_usage is 0 whatever own provider keys used',
      editFigures(() => ({
        ...{ byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0 },
      })),
    ),
    'key-info.credits-counted-as-own-keys': subtle(
      'byok_usage counts all usage, own provider keys or not',
      editFigures((_key, { usage, byok_usage }) => ({
        byok_usage: Number(usage) + Number(byok_usage),
      })),
    ),
    'key-info.own-keys-count-toward-every-limit': subtle(
      'Usage on own provider keys counts toward a limit that is not to include it',
      { limitUse: (key) => sumOf(key, 'credits') + sumOf(key, 'byok') },
    ),
    'key-info.own-keys-count-toward-no-limit': subtle(
      'Usage on own provider keys never counts toward a limit',
      { limitUse: (key) => sumOf(key, 'credits') },
    ),
  }),
  ...makeMutants('rate-limit.global', {
    'rate-limit.an-allowance-for-each-key': everyday.plain(
      'Every key of an account has an allowance of free models of its own',
      {
        usageOf: (call, key) => (key.role === 'free_small_second' ? usageApart(call, key) : key.usage),
      },
    ),
    'rate-limit.second-key-not-counted': subtle(
      'Requests of a second key meet the limits of the account and do not count into them',
      {
        effects: {
          ...conforming.effects,
          inference: (call) =>
            conforming.effects.inference(call.key?.role === 'free_small_second' ? exempt(call) : call),
        },
      },
    ),
  }),
  ...makeMutants('rate-limit.day.large.allowed', {
    'rate-limit.more-than-ten-credits': subtle('The larger limit of a day takes more than 10 credits', {
      limits: { ...conforming.limits, boughtEnough: 10.01 },
    }),
  }),
];

/** Some windows of usage begin otherwise. */
function editWindows(change: (windows: UsageWindows, now: number) => Partial<UsageWindows>): Mutation {
  return {
    usageWindows: (now) => {
      const own = conforming.usageWindows(now);
      return { ...own, ...change(own, now) };
    },
  };
}

/** Some figures that are computed from records are others. */
function editFigures(change: (key: Key, information: JsonObject, now: number) => JsonObject): Mutation {
  return {
    keyInformation: (call, key) => {
      const information = conforming.keyInformation(call, key);
      return key.records === undefined
        ? information
        : { ...information, ...change(key, information, call.server.now()) };
    },
  };
}

function sumOf(
  { records = [] }: Key,
  kind: 'credits' | 'byok',
  when: (record: { readonly at: number }) => boolean = () => true,
): number {
  return records.filter(when).reduce((sum, record) => sum + record[kind], 0);
}

/** What a key alone has used of its account's allowance. */
function usageApart({ server }: Call, { text }: Key): FreeUsage {
  const known = server.memory.get(`usage of ${text}`);
  if (known instanceof FreeUsage) return known;
  const usage = new FreeUsage();
  server.memory.set(`usage of ${text}`, usage);
  return usage;
}

/** A call to a free model that is not taken down as such. */
function exempt(call: Call): Call {
  return { ...call, behaviour: { ...call.behaviour, isFreeModel: () => false } };
}
