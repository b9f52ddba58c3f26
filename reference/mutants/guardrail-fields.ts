import { everyday, type Mutant, makeFieldMutants, makeMutants, plain, subtle } from '../mutant.js';
import { editGuardrail } from '../mutation.js';
import { isJsonObject } from '../vocabulary.js';

/** The id of nothing in any world. */
const ANOTHER_ID = '6f0c1d2e-3a4b-4c5d-8e6f-7a8b9c0d1e2f';

const HOUR_MS = 3_600_000;

/** Mutants of the area guardrail-read: a field has another type than §2.1 says, or a value that is not its own. */
export const guardrailFieldsMutants: readonly Mutant[] = [
  ...makeFieldMutants('guardrail-read', editGuardrail, everyday.plain, [
    ['id', 'id-without-hyphens', 'is written without hyphens', (id) => String(id).replaceAll('-', '')],
    ['workspace_id', 'workspace-id-as-slug', 'is the name of the workspace and no UUID', () => 'production'],
    ['name', 'name-by-language', 'is an object with one name for each language', (name) => ({ en: name })],
    ['reset_interval', 'reset-interval-in-days', 'is a number of days', () => 30],
    ['include_byok_in_budgets', 'byok-in-budgets-as-string', 'is the string "true" or "false"', String],
    ['enforce_zdr', 'enforce-zdr-inherit', 'is the word "inherit" in place of null', (on) => on ?? 'inherit'],
    ['enable_free_model_publication', 'free-publication-as-number', 'is 1 or 0', Number],
    ['enable_free_model_training', 'free-training-null', 'is null in place of false', (on) => on || null],
    ['created_at', 'created-without-zone', 'has no zone', (at) => toIso(at).replace('Z', '')],
    ['updated_at', 'updated-two-hours-east', 'is in the zone +02:00: the same moment, not in UTC', toEast],
    ['allowed_providers', 'allowed-providers-as-objects', 'has objects for elements', toObjects],
    [
      'ignored_models',
      'ignored-models-as-object',
      'is an empty object in place of null',
      (list) => list ?? {},
    ],
    ['ignored_providers', 'ignored-providers-false', 'is false in place of null', (list) => list ?? false],
    ['content_filter_builtins', 'filters-by-slug', 'is an object keyed by slug', keyBySlug],
    ['id', 'id-of-another', 'is that of another guardrail', () => ANOTHER_ID, '200.same-id'],
    [
      'workspace_id',
      'workspace-of-another',
      'is that of another one',
      () => ANOTHER_ID,
      '200.same-workspace',
    ],
  ]),
  ...makeFieldMutants('guardrail-read', editGuardrail, everyday.subtle, [
    [
      'description',
      'description-null-when-empty',
      'is null in place of an empty text',
      (text) => text || null,
    ],
    ['limit_usd', 'limit-null-when-zero', 'is null in place of 0', (limit) => limit || null],
    ['enable_paid_model_training', 'paid-training-in-words', 'is "on" in place of true', (on) => on && 'on'],
    ['allowed_models', 'allowed-models-as-text', 'is one string with commas where it is a list', toText],
  ]),
  ...makeFieldMutants('guardrail-read', editGuardrail, subtle, [
    ['created_at', 'created-on-29-february', 'is 29 February of a common year', toLeapDay],
    ['content_filter_builtins', 'filter-slug-as-number', 'has a number for a slug', slugToNumber],
    ['description', 'description-cut', 'is cut at 32 characters', cutTo32, '200.values'],
    ['name', 'name-in-composed-form', 'is in Unicode form NFC', toNfc, '200.values'],
    ['allowed_providers', 'empty-list-null', 'is null in place of an empty list', emptyToNull, '200.values'],
    ['limit_usd', 'negative-limit-as-zero', 'is 0 where it is below', atLeastZero, '200.values'],
  ]),
  ...makeMutants('guardrail-read.field.enforce_zdr_vendor', {
    'guardrail-read.one-vendor-as-string': everyday.plain(
      'enforce_zdr_<vendor> is a string for one of the four vendors',
      editGuardrail('enforce_zdr_cobalt', String),
    ),
  }),
  ...makeMutants('guardrail-read.field.enforce_zdr_vendor-case', {
    'guardrail-read.one-vendor-capitalised': everyday.plain('One of the four vendors begins with a capital', {
      guardrailView: (_call, { enforce_zdr_cobalt, ...rest }) => ({
        ...rest,
        enforce_zdr_Cobalt: enforce_zdr_cobalt,
      }),
    }),
  }),
  ...makeMutants('guardrail-read.field.enforce_zdr_vendor-count', {
    'guardrail-read.fifth-vendor': plain(
      'There are fields of five vendors',
      editGuardrail('enforce_zdr_echo', () => false),
    ),
  }),
  ...makeMutants('guardrail-read.200.values', {
    'guardrail-read.never-fresh': everyday.plain('The first read of a guardrail is repeated for ever', {
      guardrailView: ({ server: { memory } }, guardrail) => {
        const first = memory.get(String(guardrail.id));
        if (isJsonObject(first)) return first;
        memory.set(String(guardrail.id), { ...guardrail });
        return guardrail;
      },
    }),
  }),
  ...makeMutants('guardrail-read.200.changes-nothing', {
    'guardrail-read.read-moves-updated-at': everyday.plain('Every read moves updated_at by a second', {
      guardrailView: (_call, guardrail) => {
        const before = { ...guardrail };
        guardrail.updated_at = new Date(Date.parse(String(guardrail.updated_at)) + 1000).toISOString();
        return before;
      },
    }),
  }),
];

function toIso(moment: unknown): string {
  return new Date(String(moment)).toISOString();
}

function toEast(moment: unknown): string {
  return new Date(Date.parse(String(moment)) + 2 * HOUR_MS).toISOString().replace('Z', '+02:00');
}

function toLeapDay(moment: unknown): string {
  return `2025-02-29${toIso(moment).slice(10)}`;
}

function cutTo32(text: unknown): string {
  return String(text).slice(0, 32);
}

function toNfc(text: unknown): string {
  return String(text).normalize('NFC');
}

function atLeastZero(amount: unknown): number {
  return Math.max(0, Number(amount));
}

function toObjects(list: unknown): unknown {
  return Array.isArray(list) ? list.map((slug: unknown) => ({ slug })) : list;
}

function toText(list: unknown): unknown {
  return Array.isArray(list) ? list.join(',') : list;
}

function emptyToNull(list: unknown): unknown {
  return Array.isArray(list) && list.length === 0 ? null : list;
}

function keyBySlug(filters: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(filters) ? filters : [];
  return Object.fromEntries(list.map((filter) => [isJsonObject(filter) ? filter.slug : '', filter]));
}

function slugToNumber(filters: unknown): unknown {
  const setSlug = (filter: unknown) => (isJsonObject(filter) ? { ...filter, slug: 17 } : filter);
  return Array.isArray(filters) ? filters.map(setSlug) : filters;
}
