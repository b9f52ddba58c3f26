import type { Call } from '../behaviour.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { changedMember, guardrailField, type Override } from '../mutation.js';
import { isJsonObject, type JsonObject } from '../vocabulary.js';

/** Mutants of the area guardrail-read: a field has a value of the right type that is not its own. */
export const guardrailReadValueMutants: readonly Mutant[] = [
  ...makeMutants('4.2', ['guardrail-read.200.same-id'], {
    'guardrail-read.id-of-another': {
      everydayPlain: 'id is that of another guardrail',
      override: guardrailField('id', () => ANOTHER_ID),
    },
    'guardrail-read.id-of-workspace': {
      plain: 'id is the id of the workspace',
      override: guardrailField('id', (_id, guardrail) => guardrail.workspace_id),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.200.same-workspace'], {
    'guardrail-read.workspace-of-another': {
      everydayPlain: 'workspace_id is that of another workspace',
      override: guardrailField('workspace_id', () => ANOTHER_ID),
    },
  }),
  ...makeMutants('2.1', ['guardrail-read.200.values'], {
    'guardrail-read.never-fresh': {
      everydayPlain: 'What the first read of a guardrail told is told for ever',
      override: {
        guardrailView: (call, guardrail) => remembered(call, guardrail) ?? remember(call, guardrail),
      },
    },
    'guardrail-read.fresh-on-second-read': {
      subtle: 'A change of the guardrail shows on the second read after it',
      override: {
        guardrailView: (call, guardrail) => {
          const before = remembered(call, guardrail);
          const now = remember(call, guardrail);
          return before ?? now;
        },
      },
    },
    'guardrail-read.limit-of-another-workspace': {
      subtle: "limit_usd is that of another workspace's guardrail",
      override: guardrailField('limit_usd', (limit, guardrail, call) => {
        const another = [...call.server.store.worlds()].findLast(
          (world) => world.guardrailId !== guardrail.id,
        );
        return another === undefined ? limit : another.guardrail.limit_usd;
      }),
    },
    'guardrail-read.description-cut': {
      subtle: 'description is cut at 32 characters',
      override: guardrailField('description', (description) => String(description).slice(0, 32)),
    },
    'guardrail-read.name-in-ascii': {
      subtle: 'Letters of name beyond ASCII are told as question marks',
      override: guardrailField('name', (name) => String(name).replace(/\P{ASCII}/gu, '?')),
    },
    'guardrail-read.name-escaped': {
      subtle: 'Angle brackets in name are told as HTML entities',
      override: guardrailField('name', (name) =>
        String(name).replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
      ),
    },
    'guardrail-read.limit-rounded': {
      subtle: 'limit_usd is rounded to whole dollars',
      override: guardrailField('limit_usd', (limit) => Math.round(Number(limit))),
    },
    'guardrail-read.limit-in-cents': {
      plain: 'limit_usd is told in cents',
      override: guardrailField('limit_usd', (limit) => Number(limit) * 100),
    },
    'guardrail-read.limit-capped': {
      subtle: 'A limit_usd of more than a million is told as a million',
      override: guardrailField('limit_usd', (limit) => Math.min(Number(limit), 1_000_000)),
    },
    'guardrail-read.empty-list-null': {
      subtle: 'An allow-list of no provider is told as null, as if there were no list',
      override: guardrailField('allowed_providers', (providers) =>
        Array.isArray(providers) && providers.length === 0 ? null : providers,
      ),
    },
    'guardrail-read.no-list-empty': {
      subtle:
        'allowed_models is empty where it should be null: no allow-list is told as one that allows nothing',
      override: guardrailField('allowed_models', (models) => models ?? []),
    },
    'guardrail-read.list-cut-to-first': {
      subtle: 'Of allowed_providers the first element alone is told',
      override: guardrailField('allowed_providers', (providers) =>
        Array.isArray(providers) ? providers.slice(0, 1) : providers,
      ),
    },
    'guardrail-read.ignored-as-allowed': {
      plain: 'ignored_models tells what allowed_models should',
      override: guardrailField('ignored_models', (_models, guardrail) => guardrail.allowed_models),
    },
    'guardrail-read.zdr-false-as-null': {
      subtle: 'An enforce_zdr of false is told as null',
      override: guardrailField('enforce_zdr', (enforced) => (enforced === false ? null : enforced)),
    },
    'guardrail-read.zdr-null-as-false': {
      subtle: 'An enforce_zdr of null is told as false',
      override: guardrailField('enforce_zdr', (enforced) => enforced ?? false),
    },
    'guardrail-read.free-training-of-paid': {
      subtle: 'enable_free_model_training tells what enable_paid_model_training should',
      override: guardrailField(
        'enable_free_model_training',
        (_enabled, guardrail) => guardrail.enable_paid_model_training,
      ),
    },
    'guardrail-read.filter-without-label': {
      plain: 'The label of a built-in filter is left out',
      override: filterLabel(() => undefined),
    },
    'guardrail-read.filter-label-of-slug': {
      subtle: 'The label of a built-in filter is made from its slug, whatever was set',
      override: filterLabel(({ slug }) => `[${String(slug).toUpperCase()}]`),
    },
    'guardrail-read.created-when-updated': {
      subtle: 'created_at tells what updated_at should',
      override: guardrailField('created_at', (_created, guardrail) => guardrail.updated_at),
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.200.changes-nothing'], {
    'guardrail-read.read-moves-updated-at': {
      everydayPlain: 'Every read moves updated_at by a second',
      override: afterRead((guardrail) => {
        guardrail.updated_at = new Date(Date.parse(String(guardrail.updated_at)) + 1000).toISOString();
      }),
    },
    'guardrail-read.read-spends-limit': {
      plain: 'Every read lowers limit_usd by a cent',
      override: afterRead((guardrail) => {
        guardrail.limit_usd = Number(guardrail.limit_usd) - 0.01;
      }),
    },
    'guardrail-read.read-turns-flag': {
      subtle: 'A read sets enforce_zdr to false where it was null',
      override: afterRead((guardrail) => {
        guardrail.enforce_zdr ??= false;
      }),
    },
  }),
];

/** The id of nothing in any world. */
const ANOTHER_ID = '6f0c1d2e-3a4b-4c5d-8e6f-7a8b9c0d1e2f';

function remembered({ server }: Call, { id }: JsonObject): JsonObject | undefined {
  const before = server.memory.get(`guardrail ${String(id)}`);
  return isJsonObject(before) ? before : undefined;
}

function remember({ server }: Call, guardrail: JsonObject): JsonObject {
  const copy = { ...guardrail };
  server.memory.set(`guardrail ${String(guardrail.id)}`, copy);
  return copy;
}

// What is told is as it was before the change.
function afterRead(change: (guardrail: JsonObject) => void): Override {
  return {
    guardrailView: (_call, guardrail) => {
      const told = { ...guardrail };
      change(guardrail);
      return told;
    },
  };
}

function filterLabel(label: (filter: JsonObject) => unknown): Override {
  return guardrailField('content_filter_builtins', (filters) => {
    if (!Array.isArray(filters)) return filters;
    const elements: readonly unknown[] = filters;
    return elements.map((filter) =>
      isJsonObject(filter) ? changedMember(filter, 'label', label(filter)) : filter,
    );
  });
}
