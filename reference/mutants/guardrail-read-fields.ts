import { everyday, intermittent, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { countUp, editGuardrail, type Mutation } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';

const TWO_HOURS_MS = 7_200_000;

/** Mutants of the area guardrail-read: a field that is no list has another type than §2.1 says. */
export const guardrailReadFieldsMutants: readonly Mutant[] = [
  ...makeMutants('guardrail-read.field.id', {
    'guardrail-read.id-without-hyphens': everyday.plain(
      'id is written without hyphens',
      editGuardrail('id', (id) => String(id).replaceAll('-', '')),
    ),
    'guardrail-read.id-as-urn': plain(
      'id is a URN, urn:uuid: and the UUID',
      editGuardrail('id', (id) => `urn:uuid:${String(id)}`),
    ),
  }),
  ...makeMutants('guardrail-read.field.workspace_id', {
    'guardrail-read.workspace-id-as-slug': everyday.plain(
      'workspace_id is the name of the workspace and no UUID',
      editGuardrail('workspace_id', () => 'production'),
    ),
  }),
  ...makeMutants('guardrail-read.field.name', {
    'guardrail-read.name-by-language': everyday.plain(
      'name is an object with one name for each language',
      editGuardrail('name', (name) => ({ en: name })),
    ),
    'guardrail-read.name-null-now-and-then': intermittent(
      'name is null on every seventh read',
      editGuardrail('name', (name, _guardrail, call) =>
        countUp(call, 'guardrail names told') % 7 === 0 ? null : name,
      ),
    ),
  }),
  ...makeMutants('guardrail-read.field.description', {
    'guardrail-read.description-null-when-empty': everyday.subtle(
      'An empty description becomes null',
      editGuardrail('description', (description) => (description === '' ? null : description)),
      ['guardrail-read.200.values'],
    ),
  }),
  ...makeMutants('guardrail-read.field.limit_usd', {
    'guardrail-read.limit-null-when-zero': everyday.subtle(
      'A limit_usd of 0 becomes null',
      editGuardrail('limit_usd', (limit) => (limit === 0 ? null : limit)),
      ['guardrail-read.200.values'],
    ),
  }),
  ...makeMutants('guardrail-read.field.reset_interval', {
    'guardrail-read.reset-interval-in-days': everyday.plain(
      'reset_interval is a number of days',
      editGuardrail('reset_interval', () => 30),
    ),
    'guardrail-read.reset-interval-null': subtle(
      'reset_interval is null where limit_usd is 0',
      editGuardrail('reset_interval', (interval, { limit_usd }) => (limit_usd === 0 ? null : interval)),
    ),
  }),
  ...makeMutants('guardrail-read.field.include_byok_in_budgets', {
    'guardrail-read.byok-in-budgets-as-string': everyday.plain(
      'include_byok_in_budgets is the string "true" or "false"',
      editGuardrail('include_byok_in_budgets', String),
    ),
  }),
  ...makeMutants('guardrail-read.field.enforce_zdr', {
    'guardrail-read.enforce-zdr-inherit': everyday.plain(
      'enforce_zdr is the word "inherit" where it should be null',
      editGuardrail('enforce_zdr', (enforced) => enforced ?? 'inherit'),
    ),
  }),
  ...makeMutants('guardrail-read.field.enforce_zdr_vendor-case', {
    'guardrail-read.one-vendor-capitalised': everyday.plain(
      'One of the four vendors begins with a capital',
      renameVendor('cobalt', 'Cobalt'),
    ),
    'guardrail-read.vendor-in-mixed-case': subtle(
      'The name of one vendor has a capital inside',
      renameVendor('dune', 'duNe'),
    ),
    'guardrail-read.other-capitalised': subtle(
      'enforce_zdr_other is written with a capital',
      renameVendor('other', 'Other'),
    ),
  }),
  ...makeMutants('guardrail-read.field.enforce_zdr_vendor-count', {
    'guardrail-read.fifth-vendor': plain(
      'There are fields of five vendors',
      editGuardrail('enforce_zdr_echo', () => false),
    ),
  }),
  ...makeMutants('guardrail-read.field.enforce_zdr_vendor', {
    'guardrail-read.one-vendor-as-string': everyday.plain(
      'enforce_zdr_<vendor> is a string for one of the four vendors',
      editGuardrail('enforce_zdr_cobalt', String),
    ),
  }),
  ...makeMutants('guardrail-read.field.enable_free_model_publication', {
    'guardrail-read.free-publication-as-number': everyday.plain(
      'enable_free_model_publication is 1 or 0',
      editGuardrail('enable_free_model_publication', Number),
      ['guardrail-read.200.values'],
    ),
  }),
  ...makeMutants('guardrail-read.field.enable_free_model_training', {
    'guardrail-read.free-training-null': everyday.plain(
      'enable_free_model_training is null in place of false',
      editGuardrail('enable_free_model_training', nullForFalse),
    ),
  }),
  ...makeMutants('guardrail-read.field.enable_paid_model_training', {
    'guardrail-read.paid-training-in-words': everyday.subtle(
      'enable_paid_model_training is the word "on" where it should be true',
      editGuardrail('enable_paid_model_training', (enabled) => (enabled === true ? 'on' : enabled)),
      ['guardrail-read.200.values'],
    ),
  }),
  ...makeMutants('guardrail-read.field.created_at', {
    'guardrail-read.created-without-zone': everyday.plain(
      'created_at has no zone',
      editGuardrail('created_at', (moment) => iso(moment).replace('Z', '')),
    ),
    'guardrail-read.created-as-date': plain(
      'created_at is a date without a time',
      editGuardrail('created_at', (moment) => iso(moment).slice(0, 10)),
    ),
    'guardrail-read.created-on-29-february': subtle(
      'created_at is 29 February of a common year',
      editGuardrail('created_at', (moment) => `2025-02-29${iso(moment).slice(10)}`),
    ),
  }),
  ...makeMutants('guardrail-read.field.updated_at', {
    'guardrail-read.updated-in-week-53': subtle(
      'updated_at is in week 53 of a year of 52',
      editGuardrail('updated_at', (moment) => `2025-W53-1${iso(moment).slice(10)}`),
    ),
    'guardrail-read.updated-after-midnight-of-24': subtle(
      'updated_at counts hours beyond the end of the day',
      editGuardrail('updated_at', (moment) => iso(moment).replace(/T\d\d:/, 'T24:')),
    ),
    'guardrail-read.updated-two-hours-east-in-basic-format': subtle(
      'updated_at is in the basic format and the zone +0200',
      editGuardrail('updated_at', (moment) => {
        const east = new Date(Date.parse(String(moment)) + TWO_HOURS_MS).toISOString();
        return east.replace(/[-:]/g, '').replace('Z', '+0200');
      }),
    ),
    'guardrail-read.updated-two-hours-east': everyday.plain(
      'updated_at is in the zone +02:00: the same moment, not in UTC',
      editGuardrail('updated_at', (moment) =>
        new Date(Date.parse(String(moment)) + TWO_HOURS_MS).toISOString().replace('Z', '+02:00'),
      ),
    ),
    'guardrail-read.updated-with-blank': plain(
      'updated_at has a blank in place of the T',
      editGuardrail('updated_at', (moment) => iso(moment).replace('T', ' ')),
    ),
    'guardrail-read.updated-null-when-never': subtle(
      'updated_at is null on a guardrail that was not changed since it was made',
      editGuardrail('updated_at', (updated, { created_at: created }) =>
        updated === created ? null : updated,
      ),
    ),
  }),
  ...makeMutants('guardrail-read.field.allowed_models', {
    'guardrail-read.allowed-models-as-text': everyday.subtle(
      'allowed_models, where it is no null, is one string with commas',
      editGuardrail('allowed_models', (models) => (Array.isArray(models) ? models.join(',') : models)),
      ['guardrail-read.200.values'],
    ),
  }),
  ...makeMutants('guardrail-read.field.allowed_providers', {
    'guardrail-read.allowed-providers-as-objects': everyday.plain(
      'The elements of allowed_providers are objects',
      editGuardrail('allowed_providers', (providers) => mapList(providers, (slug) => ({ slug }))),
    ),
    'guardrail-read.allowed-providers-as-numbers': subtle(
      'The elements of allowed_providers after the first are numbers',
      editGuardrail('allowed_providers', (providers) =>
        mapList(providers, (slug, at) => (at === 0 ? slug : at)),
      ),
    ),
  }),
  ...makeMutants('guardrail-read.field.ignored_models', {
    'guardrail-read.ignored-models-as-object': everyday.plain(
      'ignored_models is an empty object where it should be null',
      editGuardrail('ignored_models', (models) => models ?? {}),
    ),
  }),
  ...makeMutants('guardrail-read.field.ignored_providers', {
    'guardrail-read.ignored-providers-false': everyday.plain(
      'ignored_providers is false where it should be null',
      editGuardrail('ignored_providers', (providers) => providers ?? false),
      ['guardrail-read.200.values'],
    ),
  }),
  ...makeMutants('guardrail-read.field.content_filter_builtins', {
    'guardrail-read.filters-by-slug': everyday.plain(
      'content_filter_builtins is an object keyed by slug',
      editGuardrail('content_filter_builtins', (filters) =>
        Object.fromEntries(toList(filters).map((filter) => [slugOf(filter), filter])),
      ),
    ),
    'guardrail-read.filters-null-when-none': subtle(
      'content_filter_builtins is null where there is no filter',
      editGuardrail('content_filter_builtins', (filters) => (toList(filters).length === 0 ? null : filters)),
    ),
    'guardrail-read.filter-slug-as-number': plain(
      'The slug of a built-in filter is a number',
      setFilterMember('slug', 17),
    ),
  }),
];

function iso(moment: unknown): string {
  return new Date(String(moment)).toISOString();
}

/** The field of one vendor has another name. */
function renameVendor(vendor: string, other: string): Mutation {
  return {
    guardrailView: (_call, { [`enforce_zdr_${vendor}`]: enforced, ...rest }) => ({
      ...rest,
      [`enforce_zdr_${other}`]: enforced,
    }),
  };
}

function nullForFalse(value: unknown): unknown {
  return value === false ? null : value;
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function mapList(value: unknown, change: (element: unknown, at: number) => unknown): unknown {
  return Array.isArray(value) ? value.map(change) : value;
}

function slugOf(filter: unknown): string {
  return isJsonObject(filter) ? String(filter.slug) : '';
}

function setFilterMember(member: 'slug' | 'label' | 'action', value: unknown): Mutation {
  return editGuardrail('content_filter_builtins', (filters) =>
    mapList(filters, (filter) => (isJsonObject(filter) ? { ...filter, [member]: value } : filter)),
  );
}
