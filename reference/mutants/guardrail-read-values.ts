import type { Call } from '../call.js';
import { isJsonObject, type JsonObject } from '../json.js';
import type { Mutant, Override } from '../mutant.js';
import { changedMember, guardrailField } from '../override.js';

/** Mutants of the area guardrail-read: a field has a value of the right type that is not its own. */
export const guardrailReadValueMutants: readonly Mutant[] = [
  {
    id: 'guardrail-read.id-of-another',
    section: '4.2',
    turnsRed: ['guardrail-read.200.same-id'],
    description: 'id is that of another guardrail',
    hardness: 'plain',
    override: guardrailField('id', () => ANOTHER_ID),
  },
  {
    id: 'guardrail-read.id-of-workspace',
    section: '4.2',
    turnsRed: ['guardrail-read.200.same-id'],
    description: 'id is the id of the workspace',
    hardness: 'plain',
    override: guardrailField('id', (_id, guardrail) => guardrail.workspace_id),
  },
  {
    id: 'guardrail-read.workspace-of-another',
    section: '2.1',
    turnsRed: ['guardrail-read.200.same-workspace'],
    description: 'workspace_id is that of another workspace',
    hardness: 'plain',
    override: guardrailField('workspace_id', () => ANOTHER_ID),
  },
  {
    id: 'guardrail-read.never-fresh',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'What the first read of a guardrail told is told for ever',
    hardness: 'plain',
    override: {
      guardrailView: (call, guardrail) => remembered(call, guardrail) ?? remember(call, guardrail),
    },
  },
  {
    id: 'guardrail-read.fresh-on-second-read',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'A change of the guardrail shows on the second read after it',
    hardness: 'subtle',
    override: {
      guardrailView: (call, guardrail) => {
        const before = remembered(call, guardrail);
        const now = remember(call, guardrail);
        return before ?? now;
      },
    },
  },
  {
    id: 'guardrail-read.limit-of-another-workspace',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: "limit_usd is that of another workspace's guardrail",
    hardness: 'subtle',
    override: guardrailField('limit_usd', (limit, guardrail, call) => {
      const another = [...call.server.store.worlds()].findLast((world) => world.guardrailId !== guardrail.id);
      return another === undefined ? limit : another.guardrail.limit_usd;
    }),
  },
  {
    id: 'guardrail-read.description-cut',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'description is cut at 32 characters',
    hardness: 'subtle',
    override: guardrailField('description', (description) => String(description).slice(0, 32)),
  },
  {
    id: 'guardrail-read.name-in-ascii',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'Letters of name beyond ASCII are told as question marks',
    hardness: 'subtle',
    override: guardrailField('name', (name) => String(name).replace(/\P{ASCII}/gu, '?')),
  },
  {
    id: 'guardrail-read.name-escaped',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'Angle brackets in name are told as HTML entities',
    hardness: 'subtle',
    override: guardrailField('name', (name) => String(name).replaceAll('<', '&lt;').replaceAll('>', '&gt;')),
  },
  {
    id: 'guardrail-read.limit-rounded',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'limit_usd is rounded to whole dollars',
    hardness: 'subtle',
    override: guardrailField('limit_usd', (limit) => Math.round(Number(limit))),
  },
  {
    id: 'guardrail-read.limit-in-cents',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'limit_usd is told in cents',
    hardness: 'plain',
    override: guardrailField('limit_usd', (limit) => Number(limit) * 100),
  },
  {
    id: 'guardrail-read.limit-capped',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'A limit_usd of more than a million is told as a million',
    hardness: 'subtle',
    override: guardrailField('limit_usd', (limit) => Math.min(Number(limit), 1_000_000)),
  },
  {
    id: 'guardrail-read.empty-list-null',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'An allow-list of no provider is told as null, as if there were no list',
    hardness: 'subtle',
    override: guardrailField('allowed_providers', (providers) =>
      Array.isArray(providers) && providers.length === 0 ? null : providers,
    ),
  },
  {
    id: 'guardrail-read.no-list-empty',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description:
      'allowed_models is empty where it should be null: no allow-list is told as one that allows nothing',
    hardness: 'subtle',
    override: guardrailField('allowed_models', (models) => models ?? []),
  },
  {
    id: 'guardrail-read.list-cut-to-first',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'Of allowed_providers the first element alone is told',
    hardness: 'subtle',
    override: guardrailField('allowed_providers', (providers) =>
      Array.isArray(providers) ? providers.slice(0, 1) : providers,
    ),
  },
  {
    id: 'guardrail-read.ignored-as-allowed',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'ignored_models tells what allowed_models should',
    hardness: 'plain',
    override: guardrailField('ignored_models', (_models, guardrail) => guardrail.allowed_models),
  },
  {
    id: 'guardrail-read.zdr-false-as-null',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'An enforce_zdr of false is told as null',
    hardness: 'subtle',
    override: guardrailField('enforce_zdr', (enforced) => (enforced === false ? null : enforced)),
  },
  {
    id: 'guardrail-read.zdr-null-as-false',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'An enforce_zdr of null is told as false',
    hardness: 'subtle',
    override: guardrailField('enforce_zdr', (enforced) => enforced ?? false),
  },
  {
    id: 'guardrail-read.free-training-of-paid',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'enable_free_model_training tells what enable_paid_model_training should',
    hardness: 'subtle',
    override: guardrailField(
      'enable_free_model_training',
      (_enabled, guardrail) => guardrail.enable_paid_model_training,
    ),
  },
  {
    id: 'guardrail-read.filter-without-label',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'The label of a built-in filter is left out',
    hardness: 'plain',
    override: filterLabel(() => undefined),
  },
  {
    id: 'guardrail-read.filter-label-of-slug',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'The label of a built-in filter is made from its slug, whatever was set',
    hardness: 'subtle',
    override: filterLabel(({ slug }) => `[${String(slug).toUpperCase()}]`),
  },
  {
    id: 'guardrail-read.created-when-updated',
    section: '2.1',
    turnsRed: ['guardrail-read.200.values'],
    description: 'created_at tells what updated_at should',
    hardness: 'subtle',
    override: guardrailField('created_at', (_created, guardrail) => guardrail.updated_at),
  },
  {
    id: 'guardrail-read.read-moves-updated-at',
    section: '4.2',
    turnsRed: ['guardrail-read.200.changes-nothing'],
    description: 'Every read moves updated_at by a second',
    hardness: 'plain',
    override: afterRead((guardrail) => {
      guardrail.updated_at = new Date(Date.parse(String(guardrail.updated_at)) + 1000).toISOString();
    }),
  },
  {
    id: 'guardrail-read.read-spends-limit',
    section: '4.2',
    turnsRed: ['guardrail-read.200.changes-nothing'],
    description: 'Every read lowers limit_usd by a cent',
    hardness: 'plain',
    override: afterRead((guardrail) => {
      guardrail.limit_usd = Number(guardrail.limit_usd) - 0.01;
    }),
  },
  {
    id: 'guardrail-read.read-turns-flag',
    section: '4.2',
    turnsRed: ['guardrail-read.200.changes-nothing'],
    description: 'A read sets enforce_zdr to false where it was null',
    hardness: 'subtle',
    override: afterRead((guardrail) => {
      guardrail.enforce_zdr ??= false;
    }),
  },
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
