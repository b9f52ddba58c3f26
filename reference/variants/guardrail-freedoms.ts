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
      'Built-in filters have other actions, more members and fewer, until the guardrail is changed',
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
];

const OTHER_BUILTINS = [
  { slug: 'phone', label: '', action: 'block', locales: ['de', 'en'], severity: 2 },
  { slug: 'iban' },
  {},
];

function onlyFields(keeps: (name: string, value: unknown) => boolean): Override {
  return {
    guardrailView: (_call, guardrail) =>
      Object.fromEntries(Object.entries(guardrail).filter(([name, value]) => keeps(name, value))),
  };
}

function timestamps(rewrite: (text: string) => string): Override {
  return {
    guardrailView: (call, guardrail) => {
      const view = conforming.guardrailView(call, guardrail);
      return {
        ...view,
        created_at: rewrite(String(view.created_at)),
        updated_at: rewrite(String(view.updated_at)),
      };
    },
  };
}

// What was set must be read back; these fields tell whether the control has set anything of the kind.
function isUnchanged(guardrail: JsonObject, fields: readonly string[]): boolean {
  const fresh = startingGuardrail('', '', 0);
  return fields.every((field) => isDeepStrictEqual(guardrail[field], fresh[field]));
}
