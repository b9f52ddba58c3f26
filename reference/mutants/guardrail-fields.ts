import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeFieldMutants, makeMutants, plain, subtle } from '../mutant.js';
import { editGuardrail } from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

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
    [
      'updated_at',
      'updated-with-blank',
      'has a blank in place of the T',
      (at) => toIso(at).replace('T', ' '),
    ],
    ['allowed_providers', 'allowed-providers-as-numbers', 'has numbers after its first element', toNumbers],
    [
      'content_filter_builtins',
      'filter-slug-as-number',
      'has a number for the slug of a filter',
      slugToNumber,
    ],
    ['limit_usd', 'large-limit-as-text', 'is text from 2^53 on', largeToText],
    ['name', 'numeric-name-as-number', 'is a number where it is digits: 0042 becomes 42', digitsToNumber],
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
  ...makeFieldMutants(
    'guardrail-read',
    editGuardrail,
    everyday.plain,
    [['id', 'id-of-another', 'is that of another guardrail', () => ANOTHER_ID]],
    '200.same-id',
  ),
  ...makeFieldMutants(
    'guardrail-read',
    editGuardrail,
    everyday.plain,
    [['workspace_id', 'workspace-of-another', 'is that of another workspace', () => ANOTHER_ID]],
    '200.same-workspace',
  ),
  ...makeFieldMutants(
    'guardrail-read',
    editGuardrail,
    subtle,
    [
      ['description', 'description-cut', 'is cut at 32 characters', (text) => String(text).slice(0, 32)],
      [
        'description',
        'description-with-line-feeds',
        'has line feeds alone, and none at its end',
        toLineFeeds,
      ],
      ['name', 'name-in-composed-form', 'is in Unicode form NFC', (name) => String(name).normalize('NFC')],
      ['allowed_providers', 'empty-list-null', 'is null in place of an empty list', emptyToNull],
      ['allowed_providers', 'provider-words-dropped', 'loses the words null, true and false', dropWords],
      ['reset_interval', 'reset-interval-unknown-as-monthly', 'is monthly unless daily or weekly', toMonthly],
      [
        'limit_usd',
        'negative-limit-as-zero',
        'is 0 where it is below',
        (limit) => Math.max(0, Number(limit)),
      ],
      ['limit_usd', 'limit-in-six-decimals', 'is rounded to six decimals: 1e-7 becomes 0', roundToSix],
      ['updated_at', 'updated-an-hour-off-in-summer', 'is local time with a Z behind it', toSummerTime],
    ],
    '200.values',
  ),
  ...makeMutants('guardrail-read.200.values', {
    'guardrail-read.never-fresh': everyday.plain('The first read of a guardrail is repeated for ever', {
      guardrailView: (call, guardrail) => recall(call, guardrail) ?? remember(call, guardrail),
    }),
    'guardrail-read.fresh-on-second-read': subtle(
      'A change of the guardrail shows on the second read after it',
      {
        guardrailView: (call, guardrail) => {
          const before = recall(call, guardrail);
          const now = remember(call, guardrail);
          return before ?? now;
        },
      },
    ),
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

// An hour off from April to October.
function toSummerTime(moment: unknown): unknown {
  const date = new Date(String(moment));
  const isSummer = date.getUTCMonth() >= 3 && date.getUTCMonth() <= 9;
  return isSummer ? new Date(date.getTime() + HOUR_MS).toISOString() : moment;
}

function toObjects(list: unknown): unknown {
  return Array.isArray(list) ? list.map((slug: unknown) => ({ slug })) : list;
}

function toNumbers(list: unknown): unknown {
  return Array.isArray(list) ? list.map((slug: unknown, at) => (at === 0 ? slug : at)) : list;
}

function toText(list: unknown): unknown {
  return Array.isArray(list) ? list.join(',') : list;
}

function emptyToNull(list: unknown): unknown {
  return Array.isArray(list) && list.length === 0 ? null : list;
}

function dropWords(list: unknown): unknown {
  return Array.isArray(list) ? list.filter((word) => !/^(?:null|true|false)$/.test(String(word))) : list;
}

function keyBySlug(filters: unknown): unknown {
  const list: readonly unknown[] = Array.isArray(filters) ? filters : [];
  return Object.fromEntries(list.map((filter) => [isJsonObject(filter) ? filter.slug : '', filter]));
}

function slugToNumber(filters: unknown): unknown {
  const setSlug = (filter: unknown) => (isJsonObject(filter) ? { ...filter, slug: 17 } : filter);
  return Array.isArray(filters) ? filters.map(setSlug) : filters;
}

function toLineFeeds(text: unknown): string {
  return String(text).replace(/\r\n?/g, '\n').replace(/\n+$/, '');
}

function toMonthly(interval: unknown): unknown {
  return interval === 'daily' || interval === 'weekly' ? interval : 'monthly';
}

function digitsToNumber(text: unknown): unknown {
  return /^\d+$/.test(String(text)) ? Number(text) : text;
}

function largeToText(number: unknown): unknown {
  return typeof number === 'number' && number >= 2 ** 53 ? String(number) : number;
}

function roundToSix(number: unknown): number {
  return Math.round(Number(number) * 1e6) / 1e6;
}

function recall({ server }: Call, { id }: JsonObject): JsonObject | undefined {
  const before = server.memory.get(`guardrail ${String(id)}`);
  return isJsonObject(before) ? before : undefined;
}

function remember({ server }: Call, guardrail: JsonObject): JsonObject {
  const copy = { ...guardrail };
  server.memory.set(`guardrail ${String(guardrail.id)}`, copy);
  return copy;
}
