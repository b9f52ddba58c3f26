import { conforming } from '../conforming.js';
import { counted, keyField, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { JsonObject, Role } from '../vocabulary.js';
import type { Key } from '../world.js';

/** Variants of Key information (§2.2). Figures that the control may have set are left as they are. */
export const keyVariants: readonly Variant[] = [
  ...makeVariants('2.2', {
    'key-without-rate-limit': {
      description: 'No key reports rate_limit',
      override: keyField('rate_limit', () => undefined),
    },
    'key-rate-limit-in-many-shapes': {
      everyday: 'rate_limit has other members in every answer, and is left out in some',
      override: keyField('rate_limit', (_value, _information, call) => {
        return RATE_LIMIT_SHAPES[counted(call, 'rate limits') % RATE_LIMIT_SHAPES.length];
      }),
    },
    'key-more-members': {
      description: 'Key information has members that the document does not know',
      override: informationOf(undefined, (information) => ({
        ...information,
        is_management_key: false,
        creator_user_id: null,
        expires_at: '2030-01-01T00:00:00Z',
        usage_yearly: -1,
        byok: { usage: 'none' },
      })),
    },
    'key-weekly-more-than-monthly': {
      everyday: 'The usage of a week that straddles the start of a month is more than that of the month',
      override: informationOf(['overdrawn', 'exhausted'], (information) => ({
        ...information,
        ...straddling(information),
      })),
    },
    'key-remaining-unlike-difference': {
      description: 'limit_remaining is not limit less usage: the limit is reset, and usage is of all time',
      override: informationOf(['overdrawn'], (information) => ({
        ...information,
        limit: 25,
        limit_reset: 'fortnightly',
        limit_remaining: 24.5,
      })),
    },
  }),
  ...makeVariants('8.1', {
    'key-overspent': {
      description: 'A used-up key has less than nothing remaining',
      override: informationOf(['exhausted'], (information) => ({ ...information, limit_remaining: -0.25 })),
    },
  }),
  ...makeVariants('2.2', {
    'key-figures-within-tolerance': {
      description: "Sums of the day come out a float's error above those of the week and of all time",
      override: informationOf(['overdrawn'], (information) => ({
        ...information,
        usage: 103.5,
        usage_daily: 103.500000000001,
        usage_weekly: 103.50000000000099,
        usage_monthly: 103.5,
      })),
    },
    'key-figures-in-floats': {
      everyday: 'A figure that no binary number is equal to comes back with an error in its last digit',
      override: informationOf(undefined, (information) =>
        Object.fromEntries(Object.entries(information).map(([name, value]) => [name, withFloatError(value)])),
      ),
    },
    'key-label-hidden': {
      description: 'Keys that nobody has labelled have an empty label',
      override: informationOf(['overdrawn', 'exhausted'], (information) => ({ ...information, label: '' })),
    },
  }),
];

const RATE_LIMIT_SHAPES = [
  {},
  { requests: -1, interval: '10s' },
  { note: null, tiers: [1] },
  undefined,
] as const;

/** Key information is changed for some roles, or for all. */
function informationOf(
  roles: readonly Role[] | undefined,
  change: (information: JsonObject) => JsonObject,
): Override {
  const concerns = ({ role }: Key): boolean => roles === undefined || roles.includes(role);
  return {
    keyInformation: (call, key) => {
      const information = conforming.keyInformation(call, key);
      return concerns(key) ? change(information) : information;
    },
  };
}

function straddling({ usage_weekly, byok_usage_weekly }: JsonObject): JsonObject {
  return {
    usage_daily: 0.125,
    usage_monthly: Number(usage_weekly) / 2,
    byok_usage_daily: 0,
    byok_usage_monthly: Number(byok_usage_weekly) / 4,
  };
}

// Few binary digits after the point are the same in every number format.
function withFloatError(value: unknown): unknown {
  if (typeof value !== 'number' || Number.isInteger(value * 2 ** 20)) return value;
  return value * (1 + Number.EPSILON);
}
