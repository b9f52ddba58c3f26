import { isDeepStrictEqual } from 'node:util';
import { conforming } from '../conforming.js';
import { setForeignGuardrailStatus } from '../mutants/guardrail-read.js';
import { countUp, editGate, editGuardrail, editKey, type Mutation } from '../mutation.js';
import { everyday, makeVariants, permitted, type Variant } from '../variant.js';
import type { JsonObject, Role } from '../vocabulary.js';
import { type Key, makeGuardrail } from '../world.js';

const dayMs = 86_400_000;

const OTHER_BUILTINS = [
  { slug: 'phone', label: '', action: 'block', locales: ['de', 'en'], severity: 2 },
  { slug: 'iban', label: '[IBAN]', action: 'flag' },
];

const RATE_LIMIT_SHAPES = [
  {},
  { requests: -1, interval: '10s' },
  { note: null, tiers: [1] },
  undefined,
] as const;

/** Variants of the guardrail read: which fields are always present is not shown (§2.1). */
export const readsVariants: readonly Variant[] = [
  ...makeVariants('7.3', {
    'foreign-guardrail-403': everyday(
      "Another workspace's guardrail gets 403: the key has insufficient permissions",
      setForeignGuardrailStatus(403),
    ),
    'upper-case-guardrail-id-refused': permitted(
      'A guardrail id in upper case gets 400',
      editGate('guardrail-read', 'guardrail-exists', (call, original) =>
        /[A-F]/.test(call.parameters.id ?? '')
          ? { status: 400, message: 'The id must be in lower case' }
          : original(call),
      ),
    ),
  }),
  ...makeVariants('2.1', {
    'guardrail-stamped': permitted(
      'updated_at is the time of the last change, whatever it was set to',
      editGuardrail('updated_at', (_value, guardrail, { server: { memory } }) => {
        const name = `change to ${JSON.stringify(guardrail)}`;
        memory.set(name, memory.get(name) ?? new Date().toISOString());
        return memory.get(name);
      }),
    ),
    'sparse-guardrail': everyday(
      'The guardrail has few fields: which are always present is not shown',
      keepFields((name) => ['id', 'workspace_id', 'name'].includes(name)),
    ),
    'guardrail-without-fields': everyday(
      'The guardrail has no field at all',
      keepFields(() => false),
    ),
    'guardrail-without-ids': permitted(
      'The guardrail has neither id nor workspace_id',
      keepFields((name) => !['id', 'workspace_id'].includes(name)),
    ),
    'guardrail-nulls-left-out': permitted(
      'Fields of the guardrail that are null are left out',
      keepFields((_name, value) => value !== null),
    ),
    'guardrail-more-vendors': permitted(
      'The guardrail knows more vendors, and members that only begin like the field of a vendor',
      {
        guardrailView: (_call, guardrail) => ({
          ...guardrail,
          enforce_zdr_echo: true,
          enforce_zdr_updated_at: '2025-01-01T00:00:00Z',
          enforce_zdr_by_model: { 'acme/large': true },
          version: 3,
        }),
      },
    ),
    'guardrail-content-filters-object': permitted(
      'content_filters is an object until the guardrail is changed',
      editGuardrail('content_filters', (value, guardrail) =>
        isUnchanged(guardrail, ['name', 'content_filters'])
          ? { prompt: [{ level: 'high' }], strict: null }
          : value,
      ),
    ),
    'guardrail-builtins-of-other-kinds': permitted(
      'Built-in filters have other actions and more members than those shown, until the guardrail is changed',
      editGuardrail('content_filter_builtins', (value, guardrail) =>
        isUnchanged(guardrail, ['name', 'content_filter_builtins']) ? OTHER_BUILTINS : value,
      ),
    ),
    'guardrail-ids-in-upper-case': permitted('id and workspace_id are written in upper case', {
      guardrailView: (_call, { id, workspace_id, ...rest }) => ({
        ...rest,
        id: String(id).toUpperCase(),
        workspace_id: String(workspace_id).toUpperCase(),
      }),
    }),
    'timestamps-in-many-digits-with-offset': permitted(
      'Timestamps have twelve fractional digits and end in +00:00',
      editTimestamps((text) => `${padFraction(text, 12)}+00:00`),
    ),
    'timestamps-without-zeros': permitted(
      'Timestamps have no more fractional digits than they need, none where the second is whole',
      editTimestamps((text) =>
        text.replace(/(\.\d*?)0*Z$/, (_, kept: string) => `${kept === '.' ? '' : kept}Z`),
      ),
    ),
    'timestamps-in-whole-seconds': everyday(
      'Timestamps are kept in whole seconds',
      editTimestamps((text) => text.replace(/\.\d+/, '')),
    ),
    'timestamps-without-seconds': everyday(
      'Timestamps have no seconds, as Java prints a whole minute, until the guardrail is changed',
      editTimestamps((text, guardrail) =>
        isUnchanged(guardrail, ['name']) ? text.replace(/:\d\d\.\d+Z$/, 'Z') : text,
      ),
    ),
    'timestamps-in-decimal-minutes': permitted(
      'Timestamps have a fraction of the minute in place of seconds, with a comma',
      editTimestamps((text) =>
        text.replace(
          /:([\d.]+)Z$/,
          (_, seconds) => `${(Number(seconds) / 60).toFixed(9).replace('0.', ',')}Z`,
        ),
      ),
    ),
    'timestamps-in-basic-format': everyday(
      'Timestamps are written in the basic format, with the zone +0000',
      editTimestamps((text) => text.replace(/[-:]/g, '').replace('Z', '+0000')),
    ),
    'timestamps-with-offset-of-hours': permitted(
      'Timestamps end in +00',
      editTimestamps((text) => text.replace('Z', '+00')),
    ),
    'timestamps-with-offset-without-colon': permitted(
      'Timestamps end in +0000, as Java libraries print the zone',
      editTimestamps((text) => text.replace('Z', '+0000')),
    ),
    'timestamps-in-ordinal-dates': permitted(
      'Timestamps name the day of the year',
      editTimestamps((text) => `${text.slice(0, 4)}-${digits(dayOfYear(text), 3)}${text.slice(10)}`),
    ),
    'timestamps-in-week-dates': everyday(
      'Timestamps name the week and its day',
      editTimestamps((text) => `${weekDate(text)}${text.slice(10)}`),
    ),
    'timestamps-in-lower-case': permitted(
      'Timestamps are written with t and z',
      editTimestamps((text) => text.toLowerCase()),
    ),
  }),
  ...makeVariants('2.2', {
    'key-without-rate-limit': permitted(
      'No key reports rate_limit',
      editKey('rate_limit', () => undefined),
    ),
    'key-rate-limit-in-many-shapes': everyday(
      'rate_limit has other members in every answer, and is left out in some',
      editKey('rate_limit', (_value, _information, call) => {
        return RATE_LIMIT_SHAPES[countUp(call, 'rate limits') % RATE_LIMIT_SHAPES.length];
      }),
    ),
    'key-more-members': permitted(
      'Key information has members that the document does not know',
      editInformation(undefined, (information) => ({
        ...information,
        is_management_key: false,
        creator_user_id: null,
        expires_at: '2030-01-01T00:00:00Z',
        usage_yearly: -1,
        byok: { usage: 'none' },
      })),
    ),
    'key-weekly-more-than-monthly': everyday(
      'The usage of a week that straddles the start of a month is more than that of the month',
      editInformation(['overdrawn', 'exhausted'], (information) => ({
        ...information,
        ...straddleMonth(information),
      })),
    ),
    'key-remaining-unlike-difference': permitted(
      'limit_remaining is not limit less usage: the limit is reset, and usage is of all time',
      editInformation(['overdrawn'], (information) => ({
        ...information,
        limit: 25,
        limit_reset: 'fortnightly',
        limit_remaining: 24.5,
      })),
    ),
    'key-figures-within-tolerance': permitted(
      "Sums of the day come out a float's error above those of the week and of all time",
      editInformation(['overdrawn'], (information) => ({
        ...information,
        usage: 103.5,
        usage_daily: 103.500000000001,
        usage_weekly: 103.50000000000099,
        usage_monthly: 103.5,
      })),
    ),
    'key-figures-in-floats': everyday(
      'A figure that no binary number is equal to comes back with an error in its last digit',
      editInformation(undefined, (information) =>
        Object.fromEntries(Object.entries(information).map(([name, value]) => [name, withFloatError(value)])),
      ),
    ),
    'key-label-hidden': permitted(
      'Keys that nobody has labelled have an empty label',
      editInformation(['overdrawn', 'exhausted'], (information) => ({ ...information, label: '' })),
    ),
  }),
  ...makeVariants('8.1', {
    'key-overspent': permitted(
      'A used-up key has less than nothing remaining',
      editInformation(['exhausted'], (information) => ({ ...information, limit_remaining: -0.25 })),
    ),
  }),
];

function dayOfYear(text: string): number {
  return Math.floor((Date.parse(text) - Date.UTC(Number(text.slice(0, 4)), 0, 0)) / dayMs);
}

/** A week belongs to the year of its Thursday. */
function weekDate(text: string): string {
  const weekday = new Date(text).getUTCDay() || 7;
  const thursday = new Date(Date.parse(text) + (4 - weekday) * dayMs).toISOString();
  return `${thursday.slice(0, 4)}-W${digits(Math.ceil(dayOfYear(thursday) / 7), 2)}-${weekday}`;
}

function digits(number: number, count: number): string {
  return String(number).padStart(count, '0');
}

function keepFields(keeps: (name: string, value: unknown) => boolean): Mutation {
  return {
    guardrailView: (_call, guardrail) =>
      Object.fromEntries(Object.entries(guardrail).filter(([name, value]) => keeps(name, value))),
  };
}

function editTimestamps(rewrite: (text: string, guardrail: JsonObject) => string): Mutation {
  return {
    guardrailView: (call, guardrail) => {
      const view = conforming.guardrailView(call, guardrail);
      return {
        ...view,
        created_at: rewrite(String(view.created_at), guardrail),
        updated_at: rewrite(String(view.updated_at), guardrail),
      };
    },
  };
}

/** A timestamp without its Z, with so many fractional digits. */
function padFraction(text: string, digits: number): string {
  const [whole = '', fraction = ''] = text.replace('Z', '').split('.');
  return `${whole}.${fraction.padEnd(digits, '0')}`;
}

// What was set must be read back; these fields tell whether the control has set anything of the kind.
function isUnchanged(guardrail: JsonObject, fields: readonly string[]): boolean {
  const fresh = makeGuardrail('', '', 0);
  return fields.every((field) => isDeepStrictEqual(guardrail[field], fresh[field]));
}

/** Key information is changed for some roles, or for all. */
function editInformation(
  roles: readonly Role[] | undefined,
  change: (information: JsonObject) => JsonObject,
): Mutation {
  const concerns = ({ role }: Key): boolean => roles === undefined || roles.includes(role);
  return {
    keyInformation: (call, key) => {
      const information = conforming.keyInformation(call, key);
      return concerns(key) ? change(information) : information;
    },
  };
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
