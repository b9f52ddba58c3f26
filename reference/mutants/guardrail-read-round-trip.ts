import { type Mutant, makeMutants } from '../mutant.js';
import { guardrailField } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';

/** Mutants of the guardrail read that lose a value on its way through a column, a parser or a formatter (§2.1). */
export const guardrailReadRoundTripMutants: readonly Mutant[] = [
  ...makeMutants('2.1', ['guardrail-read.200.values'], {
    'guardrail-read.name-in-composed-form': {
      subtle: 'name is brought into Unicode form NFC',
      override: guardrailField('name', (name) => (typeof name === 'string' ? name.normalize('NFC') : name)),
    },
    'guardrail-read.description-with-line-feeds': {
      subtle: 'The line ends of description become line feeds, and those at its end are taken away',
      override: guardrailField('description', (description) =>
        typeof description === 'string'
          ? description.replace(/\r\n?/g, '\n').replace(/\n+$/, '')
          : description,
      ),
    },
    'guardrail-read.reset-interval-unknown-as-monthly': {
      subtle: 'A reset_interval other than daily and weekly is told as monthly',
      override: guardrailField('reset_interval', (interval) =>
        interval === 'daily' || interval === 'weekly' ? interval : 'monthly',
      ),
    },
    'guardrail-read.negative-limit-as-zero': {
      subtle: 'A limit_usd below zero is told as 0',
      override: guardrailField('limit_usd', (limit) =>
        typeof limit === 'number' ? Math.max(0, limit) : limit,
      ),
    },
    'guardrail-read.limit-in-six-decimals': {
      subtle: 'limit_usd is rounded to six decimals: 1e-7 becomes 0',
      override: guardrailField('limit_usd', (limit) =>
        typeof limit === 'number' ? Math.round(limit * 1e6) / 1e6 : limit,
      ),
    },
    'guardrail-read.ignored-providers-empty-as-null': {
      subtle: 'A list of ignored providers that is empty is told as null',
      override: guardrailField('ignored_providers', (providers) =>
        Array.isArray(providers) && providers.length === 0 ? null : providers,
      ),
    },
    'guardrail-read.ignored-models-once-each': {
      subtle: 'ignored_models is told sorted and without what is there twice',
      override: guardrailField('ignored_models', (models) =>
        Array.isArray(models) ? [...new Set(models)].sort() : models,
      ),
    },
    'guardrail-read.filter-label-never-empty': {
      subtle: 'A built-in filter whose label is empty is told the label [REDACTED]',
      override: guardrailField('content_filter_builtins', (filters) =>
        Array.isArray(filters)
          ? filters.map((filter: unknown) =>
              isJsonObject(filter) && filter.label === '' ? { ...filter, label: '[REDACTED]' } : filter,
            )
          : filters,
      ),
    },
    'guardrail-read.content-filters-as-text': {
      subtle: 'content_filters, where it is an object, is told as the text [object Object]',
      override: guardrailField('content_filters', (filters) =>
        isJsonObject(filters) ? String(filters) : filters,
      ),
    },
    'guardrail-read.updated-an-hour-off-in-summer': {
      subtle: 'updated_at is the local time with a Z behind it: an hour off from April to October',
      override: guardrailField('updated_at', (updated) => {
        const moment = new Date(String(updated));
        const isSummer = moment.getUTCMonth() >= 3 && moment.getUTCMonth() <= 9;
        return isSummer ? new Date(moment.getTime() + 3_600_000).toISOString() : updated;
      }),
    },
    'guardrail-read.provider-words-dropped': {
      subtle: 'allowed_providers loses the words null, true and false, which its parser takes for values',
      override: guardrailField('allowed_providers', (providers) =>
        Array.isArray(providers)
          ? providers.filter((provider) => !/^(?:null|true|false)$/.test(String(provider)))
          : providers,
      ),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.limit_usd'], {
    'guardrail-read.large-limit-as-text': {
      subtle: 'A limit_usd of 2^53 or more is told as text',
      override: guardrailField('limit_usd', (limit) =>
        typeof limit === 'number' && limit >= 2 ** 53 ? String(limit) : limit,
      ),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.field.name'], {
    'guardrail-read.numeric-name-as-number': {
      subtle: 'A name of digits is told as a number: 0042 becomes 42',
      override: guardrailField('name', (name) => (/^\d+$/.test(String(name)) ? Number(name) : name)),
    },
    'guardrail-read.name-null-read-as-null': {
      subtle: 'The name null is told as null',
      override: guardrailField('name', (name) => (name === 'null' ? null : name)),
    },
  }),
];
