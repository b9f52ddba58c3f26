import { isJsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { guardrailField } from '../override.js';

/** Mutants of the area guardrail-read: a list, or an element of it, has another type than §2.1 says. */
export const guardrailReadListMutants: readonly Mutant[] = [
  {
    id: 'guardrail-read.allowed-models-as-text',
    section: '2.1',
    turnsRed: ['guardrail-read.field.allowed_models'],
    description: 'allowed_models, where it is no null, is one string with commas',
    hardness: 'subtle',
    override: guardrailField('allowed_models', (models) =>
      Array.isArray(models) ? models.join(',') : models,
    ),
  },
  {
    id: 'guardrail-read.allowed-providers-as-objects',
    section: '2.1',
    turnsRed: ['guardrail-read.field.allowed_providers'],
    description: 'The elements of allowed_providers are objects',
    hardness: 'plain',
    override: guardrailField('allowed_providers', (providers) => mapped(providers, (slug) => ({ slug }))),
  },
  {
    id: 'guardrail-read.allowed-providers-as-numbers',
    section: '2.1',
    turnsRed: ['guardrail-read.field.allowed_providers'],
    description: 'The elements of allowed_providers after the first are numbers',
    hardness: 'subtle',
    override: guardrailField('allowed_providers', (providers) =>
      mapped(providers, (slug, at) => (at === 0 ? slug : at)),
    ),
  },
  {
    id: 'guardrail-read.ignored-models-as-object',
    section: '2.1',
    turnsRed: ['guardrail-read.field.ignored_models'],
    description: 'ignored_models is an empty object where it should be null',
    hardness: 'plain',
    override: guardrailField('ignored_models', (models) => models ?? {}),
  },
  {
    id: 'guardrail-read.ignored-providers-false',
    section: '2.1',
    turnsRed: ['guardrail-read.field.ignored_providers'],
    description: 'ignored_providers is false where it should be null',
    hardness: 'plain',
    override: guardrailField('ignored_providers', (providers) => providers ?? false),
  },
  {
    id: 'guardrail-read.filters-by-slug',
    section: '2.1',
    turnsRed: ['guardrail-read.field.content_filter_builtins'],
    description: 'content_filter_builtins is an object keyed by slug',
    hardness: 'plain',
    override: guardrailField('content_filter_builtins', (filters) =>
      Object.fromEntries(listed(filters).map((filter) => [slugOf(filter), filter])),
    ),
  },
  {
    id: 'guardrail-read.filters-null-when-none',
    section: '2.1',
    turnsRed: ['guardrail-read.field.content_filter_builtins'],
    description: 'content_filter_builtins is null where there is no filter',
    hardness: 'subtle',
    override: guardrailField('content_filter_builtins', (filters) =>
      listed(filters).length === 0 ? null : filters,
    ),
  },
  {
    id: 'guardrail-read.filters-as-slugs',
    section: '2.1',
    turnsRed: ['guardrail-read.field.content_filter_builtins'],
    description: 'The elements of content_filter_builtins are slugs, not objects',
    hardness: 'plain',
    override: guardrailField('content_filter_builtins', (filters) => mapped(filters, slugOf)),
  },
  {
    id: 'guardrail-read.filter-slug-as-number',
    section: '2.1',
    turnsRed: ['guardrail-read.field.content_filter_builtins'],
    description: 'The slug of a built-in filter is a number',
    hardness: 'plain',
    override: filterMember('slug', 17),
  },
  {
    id: 'guardrail-read.filter-label-null',
    section: '2.1',
    turnsRed: ['guardrail-read.field.content_filter_builtins'],
    description: 'The label of a built-in filter is null',
    hardness: 'plain',
    override: filterMember('label', null),
  },
  {
    id: 'guardrail-read.filter-action-null',
    section: '2.1',
    turnsRed: ['guardrail-read.field.content_filter_builtins'],
    description: 'The action of a built-in filter is null',
    hardness: 'plain',
    override: filterMember('action', null),
  },
];

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function mapped(value: unknown, change: (element: unknown, at: number) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : value;
}

function slugOf(filter: unknown): string {
  return isJsonObject(filter) ? String(filter.slug) : '';
}

function filterMember(member: 'slug' | 'label' | 'action', value: unknown): Override {
  return guardrailField('content_filter_builtins', (filters) =>
    mapped(filters, (filter) => (isJsonObject(filter) ? { ...filter, [member]: value } : filter)),
  );
}
