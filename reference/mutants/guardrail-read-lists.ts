import { type Mutant, makeMutants } from '../mutant.js';
import { guardrailField, type Override } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';

/** Mutants of the area guardrail-read: a list, or an element of it, has another type than §2.1 says. */
export const guardrailReadListMutants: readonly Mutant[] = [
  ...makeMutants('2.1', ['guardrail-read.field.allowed_models'], {
    'guardrail-read.allowed-models-as-text': {
      everydaySubtle: 'allowed_models, where it is no null, is one string with commas',
      alsoRed: ['guardrail-read.200.values'],
      override: guardrailField('allowed_models', (models) =>
        Array.isArray(models) ? models.join(',') : models,
      ),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.allowed_providers'], {
    'guardrail-read.allowed-providers-as-objects': {
      everydayPlain: 'The elements of allowed_providers are objects',
      override: guardrailField('allowed_providers', (providers) => mapped(providers, (slug) => ({ slug }))),
    },
    'guardrail-read.allowed-providers-as-numbers': {
      subtle: 'The elements of allowed_providers after the first are numbers',
      override: guardrailField('allowed_providers', (providers) =>
        mapped(providers, (slug, at) => (at === 0 ? slug : at)),
      ),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.ignored_models'], {
    'guardrail-read.ignored-models-as-object': {
      everydayPlain: 'ignored_models is an empty object where it should be null',
      override: guardrailField('ignored_models', (models) => models ?? {}),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.ignored_providers'], {
    'guardrail-read.ignored-providers-false': {
      everydayPlain: 'ignored_providers is false where it should be null',
      alsoRed: ['guardrail-read.200.values'],
      override: guardrailField('ignored_providers', (providers) => providers ?? false),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.content_filter_builtins'], {
    'guardrail-read.filters-by-slug': {
      everydayPlain: 'content_filter_builtins is an object keyed by slug',
      override: guardrailField('content_filter_builtins', (filters) =>
        Object.fromEntries(listed(filters).map((filter) => [slugOf(filter), filter])),
      ),
    },
    'guardrail-read.filters-null-when-none': {
      subtle: 'content_filter_builtins is null where there is no filter',
      override: guardrailField('content_filter_builtins', (filters) =>
        listed(filters).length === 0 ? null : filters,
      ),
    },
    'guardrail-read.filters-as-slugs': {
      plain: 'The elements of content_filter_builtins are slugs, not objects',
      override: guardrailField('content_filter_builtins', (filters) => mapped(filters, slugOf)),
    },
    'guardrail-read.filter-slug-as-number': {
      plain: 'The slug of a built-in filter is a number',
      override: filterMember('slug', 17),
    },
    'guardrail-read.filter-label-null': {
      plain: 'The label of a built-in filter is null',
      override: filterMember('label', null),
    },
    'guardrail-read.filter-action-null': {
      plain: 'The action of a built-in filter is null',
      override: filterMember('action', null),
    },
  }),
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
