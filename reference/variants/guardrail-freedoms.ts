import { isDeepStrictEqual } from 'node:util';
import { conforming } from '../conforming.js';
import { foreignGuardrailStatus } from '../mutants/guardrail-of-any-world.js';
import { gate, guardrailField, type Override } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import type { JsonObject } from '../vocabulary.js';
import { startingGuardrail } from '../world.js';

/** Variants of the guardrail read: which fields are always present is not shown (§2.1). */
export const guardrailVariants: readonly Variant[] = [
  ...makeVariants('7.3', {
    'foreign-guardrail-403': {
      everyday: "Another workspace's guardrail gets 403: the key has insufficient permissions",
      override: foreignGuardrailStatus(403),
    },
    'upper-case-guardrail-id-refused': {
      description: 'A guardrail id in upper case is refused with 400',
      override: gate('guardrail-read', 'guardrail-exists', (call, original) =>
        /[A-F]/.test(call.parameters.id ?? '')
          ? { status: 400, message: 'The id must be in lower case' }
          : original(call),
      ),
    },
  }),
  ...makeVariants('2.1', {
    'guardrail-stamped': {
      description: 'updated_at is the time of the last change, whatever it was set to',
      override: guardrailField('updated_at', (_value, guardrail, { server: { memory } }) => {
        const name = `change to ${JSON.stringify(guardrail)}`;
        memory.set(name, memory.get(name) ?? new Date().toISOString());
        return memory.get(name);
      }),
    },
    'sparse-guardrail': {
      everyday: 'The guardrail has few fields: which are always present is not shown',
      override: onlyFields((name) => ['id', 'workspace_id', 'name'].includes(name)),
    },
    'guardrail-without-fields': {
      everyday: 'The guardrail has no field at all',
      override: onlyFields(() => false),
    },
    'guardrail-without-ids': {
      description: 'The guardrail has neither id nor workspace_id',
      override: onlyFields((name) => !['id', 'workspace_id'].includes(name)),
    },
    'guardrail-without-lists': {
      description: 'The guardrail has no field that is an array or null',
      override: onlyFields((_name, value) => value !== null && !Array.isArray(value)),
    },
    'guardrail-without-flags': {
      description: 'The guardrail has no field that is a boolean or null',
      override: onlyFields((_name, value) => value !== null && typeof value !== 'boolean'),
    },
    'guardrail-without-texts': {
      description: 'The guardrail has no field that is a string',
      override: onlyFields((_name, value) => typeof value !== 'string'),
    },
    'guardrail-without-limit': {
      description: 'The guardrail has no spending limit and no interval',
      override: onlyFields(
        (name) => !['limit_usd', 'reset_interval', 'include_byok_in_budgets'].includes(name),
      ),
    },
    'guardrail-nulls-left-out': {
      description: 'Fields of the guardrail that are null are left out',
      override: onlyFields((_name, value) => value !== null),
    },
    'guardrail-more-vendors': {
      description: 'The guardrail knows more vendors, and members that only begin like the field of a vendor',
      override: {
        guardrailView: (_call, guardrail) => ({
          ...guardrail,
          enforce_zdr_echo: true,
          enforce_zdr_updated_at: '2025-01-01T00:00:00Z',
          enforce_zdr_by_model: { 'acme/large': true },
          version: 3,
        }),
      },
    },
    'guardrail-content-filters-object': {
      description: 'content_filters is an object until the guardrail is changed',
      override: guardrailField('content_filters', (value, guardrail) =>
        isUnchanged(guardrail, ['name']) ? { prompt: [{ level: 'high' }], strict: null } : value,
      ),
    },
    'guardrail-content-filters-text': {
      description: 'content_filters is a string until the guardrail is changed',
      override: guardrailField('content_filters', (value, guardrail) =>
        isUnchanged(guardrail, ['name']) ? 'none' : value,
      ),
    },
    'guardrail-builtins-of-other-kinds': {
      description:
        'Built-in filters have other actions and more members than those shown, until the guardrail is changed',
      override: guardrailField('content_filter_builtins', (value, guardrail) =>
        isUnchanged(guardrail, ['name', 'content_filter_builtins']) ? OTHER_BUILTINS : value,
      ),
    },
    'guardrail-ids-in-upper-case': {
      description: 'id and workspace_id are written in upper case',
      override: {
        guardrailView: (_call, { id, workspace_id, ...rest }) => ({
          ...rest,
          id: String(id).toUpperCase(),
          workspace_id: String(workspace_id).toUpperCase(),
        }),
      },
    },
    'timestamps-with-offset': {
      description: 'Timestamps end in +00:00',
      override: timestamps((text) => text.replace('Z', '+00:00')),
    },
    'timestamps-in-nanoseconds': {
      description: 'Timestamps have nine fractional digits',
      override: timestamps((text) => text.replace('Z', '000000Z')),
    },
    'timestamps-in-many-digits-with-offset': {
      description: 'Timestamps have twelve fractional digits and end in +00:00',
      override: timestamps((text) => text.replace('Z', '000000000+00:00')),
    },
    'timestamps-without-zeros': {
      description: 'Timestamps have no more fractional digits than they need, none where the second is whole',
      override: timestamps((text) => text.replace(/\.?0+Z$/, 'Z')),
    },
    'timestamps-in-whole-seconds': {
      everyday: 'Timestamps are kept in whole seconds',
      override: timestamps((text) => text.replace(/\.\d+/, '')),
    },
    'timestamps-without-seconds': {
      everyday: 'Timestamps have no seconds, as Java prints a whole minute, until the guardrail is changed',
      override: timestamps((text, guardrail) =>
        isUnchanged(guardrail, ['name']) ? text.replace(/:\d\d\.\d+Z$/, 'Z') : text,
      ),
    },
    'timestamps-in-decimal-minutes': {
      description: 'Timestamps have a fraction of the minute in place of seconds, with a comma',
      override: timestamps((text) =>
        text.replace(
          /:([\d.]+)Z$/,
          (_, seconds) => `${(Number(seconds) / 60).toFixed(9).replace('0.', ',')}Z`,
        ),
      ),
    },
    'timestamps-in-basic-format': {
      everyday: 'Timestamps are written in the basic format, with the zone +0000',
      override: timestamps((text) => text.replace(/[-:]/g, '').replace('Z', '+0000')),
    },
    'timestamps-with-offset-of-hours': {
      description: 'Timestamps end in +00',
      override: timestamps((text) => text.replace('Z', '+00')),
    },
    'timestamps-with-offset-without-colon': {
      description: 'Timestamps end in +0000, as Java libraries print the zone',
      override: timestamps((text) => text.replace('Z', '+0000')),
    },
    'timestamps-in-ordinal-dates': {
      description: 'Timestamps name the day of the year',
      override: timestamps((text) => `${text.slice(0, 4)}-${digits(dayOfYear(text), 3)}${text.slice(10)}`),
    },
    'timestamps-in-week-dates': {
      everyday: 'Timestamps name the week and its day',
      override: timestamps((text) => `${weekDate(text)}${text.slice(10)}`),
    },
    'timestamps-in-lower-case': {
      description: 'Timestamps are written with t and z',
      override: timestamps((text) => text.toLowerCase()),
    },
  }),
];

const dayMs = 86_400_000;

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

const OTHER_BUILTINS = [
  { slug: 'phone', label: '', action: 'block', locales: ['de', 'en'], severity: 2 },
  { slug: 'iban', label: '[IBAN]', action: 'flag' },
];

function onlyFields(keeps: (name: string, value: unknown) => boolean): Override {
  return {
    guardrailView: (_call, guardrail) =>
      Object.fromEntries(Object.entries(guardrail).filter(([name, value]) => keeps(name, value))),
  };
}

function timestamps(rewrite: (text: string, guardrail: JsonObject) => string): Override {
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

// What was set must be read back; these fields tell whether the control has set anything of the kind.
function isUnchanged(guardrail: JsonObject, fields: readonly string[]): boolean {
  const fresh = startingGuardrail('', '', 0);
  return fields.every((field) => isDeepStrictEqual(guardrail[field], fresh[field]));
}
