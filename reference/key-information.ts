import type { JsonObject } from './json.js';
import type { Role } from './vocabulary.js';

interface Figures {
  readonly usage: number;
  readonly monthly: number;
  readonly weekly: number;
  readonly daily: number;
  readonly limit: number | null;
  readonly remaining: number | null;
  readonly reset: string | null;
}

// No two rows share a figure of usage, so that one key's figures cannot pass for another's.
const FIGURES: Readonly<Record<Role, Figures>> = {
  member: { usage: 25.5, monthly: 12.25, weekly: 6.5, daily: 1.75, limit: 100, remaining: 74.5, reset: null },
  management: { usage: 3, monthly: 2, weekly: 1, daily: 0.5, limit: null, remaining: null, reset: null },
  provisioning: {
    usage: 4,
    monthly: 2.5,
    weekly: 1.5,
    daily: 0.25,
    limit: null,
    remaining: null,
    reset: null,
  },
  unscoped: { usage: 7.5, monthly: 5, weekly: 4.5, daily: 2.25, limit: null, remaining: null, reset: null },
  outsider: { usage: 9, monthly: 8, weekly: 3.5, daily: 1.25, limit: 20, remaining: 12, reset: 'monthly' },
  disabled: { usage: 11, monthly: 3, weekly: 2, daily: 0.75, limit: null, remaining: null, reset: null },
  write_disabled: { usage: 13, monthly: 6, weekly: 5, daily: 3, limit: 50, remaining: 45, reset: 'weekly' },
  exhausted: { usage: 30, monthly: 10, weekly: 7, daily: 4, limit: 10, remaining: 0, reset: 'monthly' },
  overdrawn: { usage: 103.5, monthly: 40, weekly: 20, daily: 8, limit: null, remaining: null, reset: null },
  free_small: { usage: 0, monthly: 0, weekly: 0, daily: 0, limit: null, remaining: null, reset: null },
  free_large: { usage: 14, monthly: 9, weekly: 5.5, daily: 2.5, limit: null, remaining: null, reset: null },
  free_large_exactly: {
    usage: 8,
    monthly: 7,
    weekly: 4.25,
    daily: 3.25,
    limit: null,
    remaining: null,
    reset: null,
  },
  free_small_second: {
    usage: 0.5,
    monthly: 0.375,
    weekly: 0.25,
    daily: 0.125,
    limit: null,
    remaining: null,
    reset: null,
  },
  expired_session: {
    usage: 12,
    monthly: 11,
    weekly: 6,
    daily: 5,
    limit: null,
    remaining: null,
    reset: null,
  },
};

/** Key information (§2.2) of a fresh key of this role; the caller may change it. */
export function startingKeyInformation(role: Role): JsonObject {
  const figures = FIGURES[role];
  const information: JsonObject = {
    label: `sk-...${role}`,
    limit: figures.limit,
    limit_reset: figures.reset,
    limit_remaining: figures.remaining,
    include_byok_in_limit: false,
    usage: figures.usage,
    usage_daily: figures.daily,
    usage_weekly: figures.weekly,
    usage_monthly: figures.monthly,
    byok_usage: figures.usage / 2,
    byok_usage_daily: figures.daily / 2,
    byok_usage_weekly: figures.weekly / 2,
    byok_usage_monthly: figures.monthly / 2,
    is_free_tier: role === 'free_small' || role === 'free_small_second',
  };
  // Deprecated (§2.2): present on some keys, absent on others.
  if (role === 'member') information.rate_limit = { requests: -1, interval: '10s' };
  return information;
}
