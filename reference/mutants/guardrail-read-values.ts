import type { Call } from '../behaviour.js';
import { everyday, type Mutant, makeMutants, plain, subtle } from '../mutant.js';
import { editGuardrail, type Mutation, setMember } from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

/** The id of nothing in any world. */
const ANOTHER_ID = '6f0c1d2e-3a4b-4c5d-8e6f-7a8b9c0d1e2f';

/** Mutants of the area guardrail-read: a field has a value of the right type that is not its own. */
export const guardrailReadValuesMutants: readonly Mutant[] = [
  ...makeMutants('guardrail-read.200.same-id', {
    'guardrail-read.id-of-another': everyday.plain(
      'id is that of another guardrail',
      editGuardrail('id', () => ANOTHER_ID),
    ),
    'guardrail-read.id-of-workspace': plain(
      'id is the id of the workspace',
      editGuardrail('id', (_id, guardrail) => guardrail.workspace_id),
    ),
  }),
  ...makeMutants('guardrail-read.200.same-workspace', {
    'guardrail-read.workspace-of-another': everyday.plain(
      'workspace_id is that of another workspace',
      editGuardrail('workspace_id', () => ANOTHER_ID),
    ),
  }),
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
    'guardrail-read.limit-of-another-workspace': subtle(
      "limit_usd is that of another workspace's guardrail",
      editGuardrail('limit_usd', (limit, guardrail, call) => {
        const another = [...call.server.store.worlds()].findLast(
          (world) => world.guardrailId !== guardrail.id,
        );
        return another === undefined ? limit : another.guardrail.limit_usd;
      }),
    ),
    'guardrail-read.description-cut': subtle(
      'description is cut at 32 characters',
      editGuardrail('description', (description) => String(description).slice(0, 32)),
    ),
    'guardrail-read.name-in-ascii': subtle(
      'Letters of name beyond ASCII become question marks',
      editGuardrail('name', (name) => String(name).replace(/\P{ASCII}/gu, '?')),
    ),
    'guardrail-read.name-escaped': subtle(
      'Angle brackets in name become HTML entities',
      editGuardrail('name', (name) => String(name).replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
    ),
    'guardrail-read.limit-rounded': subtle(
      'limit_usd is rounded to whole dollars',
      editGuardrail('limit_usd', (limit) => Math.round(Number(limit))),
    ),
    'guardrail-read.limit-capped': subtle(
      'A limit_usd of more than a million becomes a million',
      editGuardrail('limit_usd', (limit) => Math.min(Number(limit), 1_000_000)),
    ),
    'guardrail-read.empty-list-null': subtle(
      'An allow-list of no provider becomes null, as if there were no list',
      editGuardrail('allowed_providers', (providers) =>
        Array.isArray(providers) && providers.length === 0 ? null : providers,
      ),
    ),
    'guardrail-read.no-list-empty': subtle(
      'allowed_models is empty where it should be null: no allow-list becomes one that allows nothing',
      editGuardrail('allowed_models', (models) => models ?? []),
    ),
    'guardrail-read.list-cut-to-first': subtle(
      'allowed_providers has its first element only',
      editGuardrail('allowed_providers', (providers) =>
        Array.isArray(providers) ? providers.slice(0, 1) : providers,
      ),
    ),
    'guardrail-read.zdr-false-as-null': subtle(
      'An enforce_zdr of false becomes null',
      editGuardrail('enforce_zdr', (enforced) => (enforced === false ? null : enforced)),
    ),
    'guardrail-read.zdr-null-as-false': subtle(
      'An enforce_zdr of null becomes false',
      editGuardrail('enforce_zdr', (enforced) => enforced ?? false),
    ),
    'guardrail-read.free-training-of-paid': subtle(
      'enable_free_model_training has the value of enable_paid_model_training',
      editGuardrail(
        'enable_free_model_training',
        (_enabled, guardrail) => guardrail.enable_paid_model_training,
      ),
    ),
    'guardrail-read.filter-without-label': plain(
      'The label of a built-in filter is left out',
      setFilterLabel(() => undefined),
    ),
    'guardrail-read.filter-label-of-slug': subtle(
      'The label of a built-in filter is made from its slug, whatever was set',
      setFilterLabel(({ slug }) => `[${String(slug).toUpperCase()}]`),
    ),
    'guardrail-read.created-when-updated': subtle(
      'created_at has the value of updated_at',
      editGuardrail('created_at', (_created, guardrail) => guardrail.updated_at),
    ),
    'guardrail-read.name-in-composed-form': subtle(
      'name is brought into Unicode form NFC',
      editGuardrail('name', (name) => (typeof name === 'string' ? name.normalize('NFC') : name)),
    ),
    'guardrail-read.description-with-line-feeds': subtle(
      'The line ends of description become line feeds, and those at its end are taken away',
      editGuardrail('description', (description) =>
        typeof description === 'string'
          ? description.replace(/\r\n?/g, '\n').replace(/\n+$/, '')
          : description,
      ),
    ),
    'guardrail-read.reset-interval-unknown-as-monthly': subtle(
      'A reset_interval other than daily and weekly becomes monthly',
      editGuardrail('reset_interval', (interval) =>
        interval === 'daily' || interval === 'weekly' ? interval : 'monthly',
      ),
    ),
    'guardrail-read.negative-limit-as-zero': subtle(
      'A limit_usd below zero becomes 0',
      editGuardrail('limit_usd', (limit) => (typeof limit === 'number' ? Math.max(0, limit) : limit)),
    ),
    'guardrail-read.limit-in-six-decimals': subtle(
      'limit_usd is rounded to six decimals: 1e-7 becomes 0',
      editGuardrail('limit_usd', (limit) =>
        typeof limit === 'number' ? Math.round(limit * 1e6) / 1e6 : limit,
      ),
    ),
    'guardrail-read.ignored-providers-empty-as-null': subtle(
      'A list of ignored providers that is empty becomes null',
      editGuardrail('ignored_providers', (providers) =>
        Array.isArray(providers) && providers.length === 0 ? null : providers,
      ),
    ),
    'guardrail-read.ignored-models-once-each': subtle(
      'ignored_models is sorted and loses its duplicates',
      editGuardrail('ignored_models', (models) =>
        Array.isArray(models) ? [...new Set(models)].sort() : models,
      ),
    ),
    'guardrail-read.filter-label-never-empty': subtle(
      'A built-in filter with an empty label gets the label [REDACTED]',
      editGuardrail('content_filter_builtins', (filters) =>
        Array.isArray(filters)
          ? filters.map((filter: unknown) =>
              isJsonObject(filter) && filter.label === '' ? { ...filter, label: '[REDACTED]' } : filter,
            )
          : filters,
      ),
    ),
    'guardrail-read.content-filters-as-text': subtle(
      'content_filters, where it is an object, becomes the text [object Object]',
      editGuardrail('content_filters', (filters) => (isJsonObject(filters) ? String(filters) : filters)),
    ),
    'guardrail-read.updated-an-hour-off-in-summer': subtle(
      'updated_at is the local time with a Z behind it: an hour off from April to October',
      editGuardrail('updated_at', (updated) => {
        const moment = new Date(String(updated));
        const isSummer = moment.getUTCMonth() >= 3 && moment.getUTCMonth() <= 9;
        return isSummer ? new Date(moment.getTime() + 3_600_000).toISOString() : updated;
      }),
    ),
    'guardrail-read.provider-words-dropped': subtle(
      'allowed_providers loses the words null, true and false, which its parser takes for values',
      editGuardrail('allowed_providers', (providers) =>
        Array.isArray(providers)
          ? providers.filter((provider) => !/^(?:null|true|false)$/.test(String(provider)))
          : providers,
      ),
    ),
  }),
  ...makeMutants('guardrail-read.200.changes-nothing', {
    'guardrail-read.read-moves-updated-at': everyday.plain(
      'Every read moves updated_at by a second',
      afterRead((guardrail) => {
        guardrail.updated_at = new Date(Date.parse(String(guardrail.updated_at)) + 1000).toISOString();
      }),
    ),
    'guardrail-read.read-turns-flag': subtle(
      'A read sets enforce_zdr to false where it was null',
      afterRead((guardrail) => {
        guardrail.enforce_zdr ??= false;
      }),
    ),
  }),
  ...makeMutants('guardrail-read.field.limit_usd', {
    'guardrail-read.large-limit-as-text': subtle(
      'A limit_usd of 2^53 or more becomes text',
      editGuardrail('limit_usd', (limit) =>
        typeof limit === 'number' && limit >= 2 ** 53 ? String(limit) : limit,
      ),
    ),
  }),
  ...makeMutants('guardrail-read.field.name', {
    'guardrail-read.numeric-name-as-number': subtle(
      'A name of digits becomes a number: 0042 becomes 42',
      editGuardrail('name', (name) => (/^\d+$/.test(String(name)) ? Number(name) : name)),
    ),
    'guardrail-read.name-null-read-as-null': subtle(
      'The name "null" becomes null',
      editGuardrail('name', (name) => (name === 'null' ? null : name)),
    ),
  }),
];

function recall({ server }: Call, { id }: JsonObject): JsonObject | undefined {
  const before = server.memory.get(`guardrail ${String(id)}`);
  return isJsonObject(before) ? before : undefined;
}

function remember({ server }: Call, guardrail: JsonObject): JsonObject {
  const copy = { ...guardrail };
  server.memory.set(`guardrail ${String(guardrail.id)}`, copy);
  return copy;
}

// What is told is as it was before the change.
function afterRead(change: (guardrail: JsonObject) => void): Mutation {
  return {
    guardrailView: (_call, guardrail) => {
      const told = { ...guardrail };
      change(guardrail);
      return told;
    },
  };
}

function setFilterLabel(label: (filter: JsonObject) => unknown): Mutation {
  return editGuardrail('content_filter_builtins', (filters) => {
    if (!Array.isArray(filters)) return filters;
    const elements: readonly unknown[] = filters;
    return elements.map((filter) =>
      isJsonObject(filter) ? setMember(filter, 'label', label(filter)) : filter,
    );
  });
}
