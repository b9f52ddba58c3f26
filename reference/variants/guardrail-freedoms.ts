import { isDeepStrictEqual } from 'node:util';
import { conforming } from '../behaviour.js';
import { startingGuardrail } from '../guardrail.js';
import type { JsonObject } from '../json.js';
import type { Override } from '../mutant.js';
import { foreignGuardrailStatus } from '../mutants/guardrail-of-any-world.js';
import { guardrailField } from '../override.js';
import type { Variant } from '../variant.js';

/** Variants of the guardrail read: which fields are always present is not shown (§2.1). */
export const guardrailVariants: readonly Variant[] = [
  {
    id: 'foreign-guardrail-403',
    section: '7.3',
    description: "Another workspace's guardrail gets 403: the key has insufficient permissions",
    override: foreignGuardrailStatus(403),
  },
  {
    id: 'sparse-guardrail',
    section: '2.1',
    description: 'The guardrail has few fields: which are always present is not shown',
    override: onlyFields((name) => ['id', 'workspace_id', 'name'].includes(name)),
  },
  {
    id: 'guardrail-without-fields',
    section: '2.1',
    description: 'The guardrail has no field at all',
    override: onlyFields(() => false),
  },
  {
    id: 'guardrail-without-ids',
    section: '2.1',
    description: 'The guardrail has neither id nor workspace_id',
    override: onlyFields((name) => !['id', 'workspace_id'].includes(name)),
  },
  {
    id: 'guardrail-without-lists',
    section: '2.1',
    description: 'The guardrail has no field that is an array or null',
    override: onlyFields((_name, value) => value !== null && !Array.isArray(value)),
  },
  {
    id: 'guardrail-without-flags',
    section: '2.1',
    description: 'The guardrail has no field that is a boolean or null',
    override: onlyFields((_name, value) => value !== null && typeof value !== 'boolean'),
  },
  {
    id: 'guardrail-without-texts',
    section: '2.1',
    description: 'The guardrail has no field that is a string',
    override: onlyFields((_name, value) => typeof value !== 'string'),
  },
  {
    id: 'guardrail-without-limit',
    section: '2.1',
    description: 'The guardrail has no spending limit and no interval',
    override: onlyFields(
      (name) => !['limit_usd', 'reset_interval', 'include_byok_in_budgets'].includes(name),
    ),
  },
  {
    id: 'guardrail-nulls-left-out',
    section: '2.1',
    description: 'Fields of the guardrail that are null are left out',
    override: onlyFields((_name, value) => value !== null),
  },
  {
    id: 'guardrail-more-vendors',
    section: '2.1',
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
  {
    id: 'guardrail-content-filters-object',
    section: '2.1',
    description: 'content_filters is an object until the guardrail is changed',
    override: guardrailField('content_filters', (value, guardrail) =>
      isUnchanged(guardrail, ['name']) ? { prompt: [{ level: 'high' }], strict: null } : value,
    ),
  },
  {
    id: 'guardrail-content-filters-text',
    section: '2.1',
    description: 'content_filters is a string until the guardrail is changed',
    override: guardrailField('content_filters', (value, guardrail) =>
      isUnchanged(guardrail, ['name']) ? 'none' : value,
    ),
  },
  {
    id: 'guardrail-builtins-of-other-kinds',
    section: '2.1',
    description:
      'Built-in filters have other actions and more members than those shown, until the guardrail is changed',
    override: guardrailField('content_filter_builtins', (value, guardrail) =>
      isUnchanged(guardrail, ['name', 'content_filter_builtins']) ? OTHER_BUILTINS : value,
    ),
  },
  {
    id: 'guardrail-ids-in-upper-case',
    section: '2.1',
    description: 'id and workspace_id are written in upper case',
    override: {
      guardrailView: (_call, { id, workspace_id, ...rest }) => ({
        ...rest,
        id: String(id).toUpperCase(),
        workspace_id: String(workspace_id).toUpperCase(),
      }),
    },
  },
  {
    id: 'timestamps-with-offset',
    section: '2.1',
    description: 'Timestamps end in +00:00',
    override: timestamps((text) => text.replace('Z', '+00:00')),
  },
  {
    id: 'timestamps-in-nanoseconds',
    section: '2.1',
    description: 'Timestamps have nine fractional digits',
    override: timestamps((text) => text.replace('Z', '000000Z')),
  },
  {
    id: 'timestamps-in-many-digits-with-offset',
    section: '2.1',
    description: 'Timestamps have twelve fractional digits and end in +00:00',
    override: timestamps((text) => text.replace('Z', '000000000+00:00')),
  },
  {
    id: 'timestamps-without-zeros',
    section: '2.1',
    description: 'Timestamps have no more fractional digits than they need, none where the second is whole',
    override: timestamps((text) => text.replace(/\.?0+Z$/, 'Z')),
  },
  {
    id: 'timestamps-in-whole-seconds',
    section: '2.1',
    description: 'Timestamps are kept in whole seconds',
    override: timestamps((text) => text.replace(/\.\d+/, '')),
  },
  {
    id: 'timestamps-without-seconds',
    section: '2.1',
    description: 'Timestamps have no seconds, as Java prints a whole minute, until the guardrail is changed',
    override: timestamps((text, guardrail) =>
      isUnchanged(guardrail, ['name']) ? text.replace(/:\d\d\.\d+Z$/, 'Z') : text,
    ),
  },
  {
    id: 'timestamps-in-decimal-minutes',
    section: '2.1',
    description: 'Timestamps have a fraction of the minute in place of seconds, with a comma',
    override: timestamps((text) =>
      text.replace(/:([\d.]+)Z$/, (_, seconds) => `${(Number(seconds) / 60).toFixed(9).replace('0.', ',')}Z`),
    ),
  },
  {
    id: 'timestamps-in-basic-format',
    section: '2.1',
    description: 'Timestamps are written in the basic format, with the zone +0000',
    override: timestamps((text) => text.replace(/[-:]/g, '').replace('Z', '+0000')),
  },
  {
    id: 'timestamps-with-offset-of-hours',
    section: '2.1',
    description: 'Timestamps end in +00',
    override: timestamps((text) => text.replace('Z', '+00')),
  },
  {
    id: 'timestamps-with-offset-without-colon',
    section: '2.1',
    description: 'Timestamps end in +0000, as Java libraries print the zone',
    override: timestamps((text) => text.replace('Z', '+0000')),
  },
  {
    id: 'timestamps-in-ordinal-dates',
    section: '2.1',
    description: 'Timestamps name the day of the year',
    override: timestamps((text) => `${text.slice(0, 4)}-${digits(dayOfYear(text), 3)}${text.slice(10)}`),
  },
  {
    id: 'timestamps-in-week-dates',
    section: '2.1',
    description: 'Timestamps name the week and its day',
    override: timestamps((text) => `${weekDate(text)}${text.slice(10)}`),
  },
  {
    id: 'timestamps-in-lower-case',
    section: '2.1',
    description: 'Timestamps are written with t and z',
    override: timestamps((text) => text.toLowerCase()),
  },
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
