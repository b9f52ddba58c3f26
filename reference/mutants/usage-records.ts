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
    'key-info.midnight-not-counted': subtle(
      'What is used at midnight counts into the day before',
      editWindows(({ daily }) => ({ daily: daily + 1 })),
    ),
    'key-info.month-of-30-days': subtle(
      'usage_monthly is of the last 30 days',
      editWindows((_windows, now) => ({ monthly: now - 30 * DAY_MS })),
    ),
    'key-info.own-keys-counted-as-usage': subtle(
      'usage counts what own provider keys used too',
      editFigures((_key, { usage, byok_usage }) => ({ usage: Number(usage) + Number(byok_usage) })),
    ),
  }),
  ...makeMutants('key-info.byok-counting', {
    'key-info.own-keys-not-counted': everyday.plain(
      'byok_usage is 0 whatever own provider keys used',
      editFigures(() => ({
        ...{ byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0 },
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

/**
 * Some windows of usage begin otherwise. The server's clock stands at Wednesday noon, as its Date says too: at the border of
 * a day, week or month a suite that allows for clocks that are off cannot tell one window from another.
 */
function editWindows(change: (windows: UsageWindows, now: number) => Partial<UsageWindows>): Mutation {
  return {
    usageWindows: (now) => {
      const noon = findNoonOfWednesday(now);
      const own = conforming.usageWindows(noon);
      return { ...own, ...change(own, noon) };
    },
    answer: (answer, { server }) => ({
      ...answer,
      headers: { ...answer.headers, Date: new Date(findNoonOfWednesday(server.now())).toUTCString() },
    }),
  };
}

function findNoonOfWednesday(now: number): number {
  return conforming.usageWindows(now).weekly + 2.5 * DAY_MS;
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
