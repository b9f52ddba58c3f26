import { FreeUsage } from '../accounts.js';
import type { Call, UsageWindows } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import type { Mutation } from '../mutation.js';
import type { Key } from '../world.js';

const DAY_MS = 86_400_000;

const UNCOUNTED = { byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0 };

/** Mutants of what usage is counted, for how long, and for which key (§2.2, §8.2). */
export const usageRecordsMutants: readonly Mutant[] = [
  ...makeMutants('key-info.windows', {
    'key-info.week-from-sunday': everyday.subtle(
      'usage_weekly begins on Sunday',
      editWindows(({ daily }) => ({ weekly: daily - new Date(daily).getUTCDay() * DAY_MS })),
    ),
    'key-info.midnight-not-counted': subtle(
      'What is used at midnight counts into the day before',
      editWindows(({ daily }) => ({ daily: daily + 1 })),
    ),
    'key-info.first-page-of-usage': subtle(
      'The figures are sums of the first hundred requests of a key',
      {
        keyInformation: (call, key) =>
          conforming.keyInformation(
            call,
            key.records === undefined ? key : { ...key, records: key.records.slice(0, 100) },
          ),
      },
      ['key-info.byok-counting'],
    ),
  }),
  ...makeMutants('key-info.byok-counting', {
    'key-info.own-keys-not-counted': everyday.plain('byok_usage is 0 whatever own provider keys used', {
      keyInformation: (call, key) => {
        const information = conforming.keyInformation(call, key);
        return key.records === undefined ? information : { ...information, ...UNCOUNTED };
      },
    }),
    'key-info.own-keys-count-toward-every-limit': subtle(
      'Usage on own provider keys counts toward a limit that is not to include it',
      {
        limitUse: ({ records = [] }) => records.reduce((sum, { credits, byok }) => sum + credits + byok, 0),
      },
    ),
  }),
  ...makeMutants('rate-limit.global', {
    'rate-limit.an-allowance-for-each-key': everyday.plain(
      'Every key of an account has an allowance of free models of its own',
      {
        usageOf: (call, key) => (key.role === 'free_small_second' ? usageApart(call, key) : key.usage),
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
function editWindows(change: (windows: UsageWindows) => Partial<UsageWindows>): Mutation {
  return {
    usageWindows: (now) => {
      const own = conforming.usageWindows(findNoonOfWednesday(now));
      return { ...own, ...change(own) };
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

/** What a key alone has used of its account's allowance. */
function usageApart({ server }: Call, { text }: Key): FreeUsage {
  const known = server.memory.get(`usage of ${text}`);
  if (known instanceof FreeUsage) return known;
  const usage = new FreeUsage();
  server.memory.set(`usage of ${text}`, usage);
  return usage;
}
