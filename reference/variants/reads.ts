import { isDeepStrictEqual } from 'node:util';
import { DAY_MS } from '../accounts.js';
import { setForeignGuardrailStatus } from '../mutants/guardrail-read.js';
import {
  countUp,
  editGuardrail,
  editInformation,
  editKey,
  everyNth,
  type Mutation,
  mapMembers,
  remember,
} from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import type { JsonObject } from '../vocabulary.js';
import { makeGuardrail, type Role } from '../world.js';

const OTHER_FILTERS: JsonObject = {
  content_filters: { prompt: [{ level: 'high' }], strict: null },
  content_filter_builtins: [
    { slug: 'phone', label: '', action: 'block', locales: ['de', 'en'], severity: 2 },
    { slug: 'iban', label: '[IBAN]', action: 'flag' },
  ],
};

// Other ways to write the same moment, as ISO 8601 allows them.
const TIMESTAMP_FORMS: readonly ((text: string) => string)[] = [
  (text) => `${padFraction(text, 12)}+00:00`,
  (text) => text.replace(/\.(\d*?)0*Z$/, (_, kept) => (kept === '' ? 'Z' : `.${kept}Z`)),
  (text) => text.replace(/:([\d.]+)Z$/, (_, seconds) => `${decimalMinutes(seconds)}Z`),
  (text) => text.replace('Z', '+00'),
  (text) => text.replace('Z', '+0000'),
  (text) => `${text.slice(0, 4)}-${digits(dayOfYear(text), 3)}${text.slice(10)}`,
  (text) => `${weekDate(text)}${text.slice(10)}`,
  (text) => text.replace(/[-:]/g, '').replace('Z', '+0000'),
  (text) => text.toLowerCase(),
];

const RATE_LIMITS = [{}, { requests: -1, interval: '10s' }, { note: null, tiers: [1] }, undefined] as const;

const leavesOut = everyNth(2, 'reads of a guardrail');

/** Variants of the guardrail read: which fields are always present is not shown (§2.1). */
export const readsVariants: VariantRows = {
  'foreign-guardrail-403': everyday('7.3')(
    "Another workspace's guardrail gets 403: the key has insufficient permissions",
    setForeignGuardrailStatus(403),
  ),
  'guardrail-stamped': permitted('2.1')(
    'updated_at is the time of the last change, whatever it was set to',
    editGuardrail('updated_at', (_value, guardrail, call) =>
      remember(call, `change to ${JSON.stringify(guardrail)}`, () => new Date().toISOString()),
    ),
  ),
  'guardrail-without-fields': everyday('2.1')('The guardrail has no field at all', {
    guardrailView: () => ({}),
  }),
  'guardrail-field-by-turns': permitted('2.1')(
    'Every second read leaves a field out: two versions of the service answer by turns',
    editGuardrail('content_filters', (value, _guardrail, call) => (leavesOut(call) ? undefined : value)),
  ),
  'guardrail-lists-sorted': permitted('2.1')(
    'The lists of models, providers and filters are kept as sets, and read back in order',
    {
      guardrailView: (_call, guardrail) =>
        mapMembers(guardrail, (value, name) =>
          /^(?:allowed_|ignored_|content_filter_builtins$)/.test(name) && Array.isArray(value)
            ? [...new Set(value)].toSorted(byJson)
            : value,
        ),
    },
  ),
  'guardrail-lists-unordered': permitted('2.1')(
    'The lists of a guardrail are sets, which come in another order each time',
    {
      guardrailView: (call, guardrail) => {
        const nth = countUp(call, 'reads of lists');
        const turn = (list: readonly unknown[]) => [
          ...list.slice(nth % list.length),
          ...list.slice(0, nth % list.length),
        ];
        return mapMembers(guardrail, (value) => (Array.isArray(value) ? turn(value) : value));
      },
    },
  ),
  'guardrail-filters-numbered': permitted('2.1')(
    'Each built-in filter of a guardrail has an id of its own',
    editGuardrail('content_filter_builtins', (filters) =>
      Array.isArray(filters) ? filters.map((filter, at) => ({ ...filter, id: at + 1 })) : filters,
    ),
  ),
  'guardrail-more-vendors': permitted('2.1')(
    'The guardrail knows more vendors, and members that only begin like the field of a vendor',
    {
      guardrailView: (_call, guardrail) => ({
        ...guardrail,
        enforce_zdr_echo: true,
        enforce_zdr_updated_at: '2025-01-01T00:00:00Z',
        enforce_zdr_by_model: { 'acme/large': true },
        enforce_zdr_Policy: { mode: 'strict' },
        enforce_zdr_: null,
        version: 3,
      }),
    },
  ),
  'guardrail-filters-of-other-kinds': permitted('2.1')(
    'Filters have other actions, members and shapes than those shown, until the guardrail is changed',
    {
      guardrailView: (_call, guardrail) =>
        isUnchanged(guardrail, ['name', 'content_filters', 'content_filter_builtins'])
          ? { ...guardrail, ...OTHER_FILTERS }
          : guardrail,
    },
  ),
  'guardrail-ids-in-upper-case': permitted('2.1')('id and workspace_id are written in upper case', {
    guardrailView: (_call, { id, workspace_id, ...rest }) => ({
      ...rest,
      id: String(id).toUpperCase(),
      workspace_id: String(workspace_id).toUpperCase(),
    }),
  }),
  'timestamps-in-other-forms': everyday('2.1')(
    'Timestamps have other digits, fractions, zones or letters, ordinal or week dates or the basic format, by guardrail',
    editTimestamps((text, { id }) => {
      const form = TIMESTAMP_FORMS[Number.parseInt(String(id).slice(0, 8), 16) % TIMESTAMP_FORMS.length];
      return form?.(text) ?? text;
    }),
  ),
  'timestamps-in-whole-seconds': everyday('2.1')(
    'Timestamps are rounded to whole seconds, as in a DATETIME column of MySQL',
    editTimestamps((text) =>
      new Date(Math.round(Date.parse(text) / 1_000) * 1_000).toISOString().replace('.000', ''),
    ),
  ),
  'timestamps-without-seconds': everyday('2.1')(
    'Timestamps have no seconds, as Java prints a whole minute, until the guardrail is changed',
    editTimestamps((text, guardrail) =>
      isUnchanged(guardrail, ['name']) ? text.replace(/:\d\d\.\d+Z$/, 'Z') : text,
    ),
  ),
  'key-rate-limit-in-many-shapes': everyday('2.2')(
    'rate_limit has other members in every answer, and is left out in some',
    editKey('rate_limit', (_, _all, call) => RATE_LIMITS[countUp(call, 'rate limits') % RATE_LIMITS.length]),
  ),
  'key-weekly-more-than-monthly': everyday('2.2')(
    'The usage of a week that straddles the start of a month is more than that of the month',
    editKeysOf(['overdrawn', 'exhausted'], straddleMonth),
  ),
  'key-remaining-unlike-difference': permitted('2.2')(
    'limit_remaining is not limit less usage: the limit is reset, and usage is of all time',
    editKeysOf(['overdrawn'], () => ({ limit: 25, limit_reset: 'fortnightly', limit_remaining: 24.5 })),
  ),
  'key-figures-within-tolerance': permitted('2.2')(
    "Sums of the day come out a float's error above those of the week and of all time",
    editKeysOf(['overdrawn'], () => ({
      usage: 103.5,
      usage_daily: 103.500000000001,
      usage_weekly: 103.50000000000099,
      usage_monthly: 103.5,
    })),
  ),
  'key-figures-in-floats': everyday('2.2')(
    'A figure that no binary number is equal to comes back with an error in its last digit',
    editInformation((information) => mapMembers(information, withFloatError)),
  ),
  'key-remaining-computed': permitted('2.2')(
    'limit_remaining is what the usage since the last reset leaves of the limit, whatever it was set to',
    editKey(
      'limit_remaining',
      (_remaining, { limit, limit_reset: reset, include_byok_in_limit: both, ...figures }) => {
        if (typeof limit !== 'number') return null;
        const span = ['daily', 'weekly', 'monthly'].includes(String(reset)) ? `_${reset}` : '';
        const byok = both === true ? Number(figures[`byok_usage${span}`]) : 0;
        return limit - Number(figures[`usage${span}`]) - byok;
      },
    ),
  ),
  'key-without-limit-never-resets': permitted('2.2')(
    'limit_reset is null where there is no limit, whatever it was set to',
    editKey('limit_reset', (reset, { limit }) => (limit === null ? null : reset)),
  ),
  'key-used-by-others': permitted('2.2')(
    'A key whose usage was never set is in use elsewhere too, so that every read reports more',
    editKey('usage', (usage, { usage_monthly: monthly }, call) =>
      call.key?.role === 'free_large' && monthly === 9
        ? Number(usage) + countUp(call, 'used by others')
        : usage,
    ),
  ),
  'key-overspent': permitted('8.1')(
    'A used-up key has less than nothing remaining',
    editKeysOf(['exhausted'], () => ({ limit_remaining: -0.25 })),
  ),
};

function byJson(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

function dayOfYear(text: string): number {
  return Math.floor((Date.parse(text) - Date.UTC(Number(text.slice(0, 4)), 0, 0)) / DAY_MS);
}

/** Writes the week date of a timestamp; a week belongs to the year of its Thursday. */
function weekDate(text: string): string {
  const weekday = new Date(text).getUTCDay() || 7;
  const thursday = new Date(Date.parse(text) + (4 - weekday) * DAY_MS).toISOString();
  return `${thursday.slice(0, 4)}-W${digits(Math.ceil(dayOfYear(thursday) / 7), 2)}-${weekday}`;
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, '0');
}

function editTimestamps(rewrite: (text: string, guardrail: JsonObject) => string): Mutation {
  return {
    guardrailView: (_call, guardrail) => ({
      ...guardrail,
      created_at: rewrite(String(guardrail.created_at), guardrail),
      updated_at: rewrite(String(guardrail.updated_at), guardrail),
    }),
  };
}

/** Writes seconds as a fraction of a minute, with a comma: `,5`. */
function decimalMinutes(seconds: string): string {
  return (Number(seconds) / 60).toFixed(9).replace('0.', ',');
}

/** Writes a timestamp without its Z, with a number of fractional digits. */
function padFraction(text: string, digits: number): string {
  const [whole = '', fraction = ''] = text.replace('Z', '').split('.');
  return `${whole}.${fraction.padEnd(digits, '0')}`;
}

// What was set must be read back; these fields tell whether the control has set anything of the kind.
function isUnchanged(guardrail: JsonObject, fields: readonly string[]): boolean {
  const fresh = makeGuardrail('', '', 0);
  return fields.every((field) => isDeepStrictEqual(guardrail[field], fresh[field]));
}

/** Replaces members of Key information for some roles. */
function editKeysOf(roles: readonly Role[], change: (information: JsonObject) => JsonObject): Mutation {
  return editInformation((information, { role }) =>
    roles.includes(role) ? { ...information, ...change(information) } : information,
  );
}

function straddleMonth({ usage_weekly, byok_usage_weekly }: JsonObject): JsonObject {
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
