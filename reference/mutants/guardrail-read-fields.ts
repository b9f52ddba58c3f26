import type { Mutant } from '../mutant.js';
import { counted, guardrailField } from '../override.js';

/** Mutants of the area guardrail-read: a field that is no list has another type than §2.1 says. */
export const guardrailReadFieldMutants: readonly Mutant[] = [
  {
    id: 'guardrail-read.id-without-hyphens',
    section: '2.1',
    turnsRed: ['guardrail-read.field.id'],
    description: 'id is written without hyphens',
    hardness: 'plain',
    override: guardrailField('id', (id) => String(id).replaceAll('-', '')),
  },
  {
    id: 'guardrail-read.id-as-urn',
    section: '2.1',
    turnsRed: ['guardrail-read.field.id'],
    description: 'id is a URN, urn:uuid: and the UUID',
    hardness: 'plain',
    override: guardrailField('id', (id) => `urn:uuid:${String(id)}`),
  },
  {
    id: 'guardrail-read.workspace-id-as-slug',
    section: '2.1',
    turnsRed: ['guardrail-read.field.workspace_id'],
    description: 'workspace_id is the name of the workspace and no UUID',
    hardness: 'plain',
    override: guardrailField('workspace_id', () => 'production'),
  },
  {
    id: 'guardrail-read.workspace-id-null',
    section: '2.1',
    turnsRed: ['guardrail-read.field.workspace_id'],
    description: 'workspace_id is null',
    hardness: 'plain',
    override: guardrailField('workspace_id', () => null),
  },
  {
    id: 'guardrail-read.name-by-language',
    section: '2.1',
    turnsRed: ['guardrail-read.field.name'],
    description: 'name is an object with one name for each language',
    hardness: 'plain',
    override: guardrailField('name', (name) => ({ en: name })),
  },
  {
    id: 'guardrail-read.name-null-now-and-then',
    section: '2.1',
    turnsRed: ['guardrail-read.field.name'],
    description: 'name is null on every seventh read',
    hardness: 'intermittent',
    override: guardrailField('name', (name, _guardrail, call) =>
      counted(call, 'guardrail names told') % 7 === 0 ? null : name,
    ),
  },
  {
    id: 'guardrail-read.description-null-when-empty',
    section: '2.1',
    turnsRed: ['guardrail-read.field.description'],
    description: 'An empty description is told as null',
    hardness: 'subtle',
    override: guardrailField('description', (description) => (description === '' ? null : description)),
  },
  {
    id: 'guardrail-read.description-as-lines',
    section: '2.1',
    turnsRed: ['guardrail-read.field.description'],
    description: 'description is an array of lines',
    hardness: 'plain',
    override: guardrailField('description', (description) => String(description).split('\n')),
  },
  {
    id: 'guardrail-read.limit-null-when-zero',
    section: '2.1',
    turnsRed: ['guardrail-read.field.limit_usd'],
    description: 'A limit_usd of 0 is told as null',
    hardness: 'subtle',
    override: guardrailField('limit_usd', (limit) => (limit === 0 ? null : limit)),
  },
  {
    id: 'guardrail-read.limit-with-currency',
    section: '2.1',
    turnsRed: ['guardrail-read.field.limit_usd'],
    description: 'limit_usd is an object with an amount and a currency',
    hardness: 'plain',
    override: guardrailField('limit_usd', (amount) => ({ amount, currency: 'USD' })),
  },
  {
    id: 'guardrail-read.reset-interval-in-days',
    section: '2.1',
    turnsRed: ['guardrail-read.field.reset_interval'],
    description: 'reset_interval is a number of days',
    hardness: 'plain',
    override: guardrailField('reset_interval', () => 30),
  },
  {
    id: 'guardrail-read.reset-interval-null',
    section: '2.1',
    turnsRed: ['guardrail-read.field.reset_interval'],
    description: 'reset_interval is null where limit_usd is 0',
    hardness: 'subtle',
    override: guardrailField('reset_interval', (interval, { limit_usd }) =>
      limit_usd === 0 ? null : interval,
    ),
  },
  {
    id: 'guardrail-read.byok-in-budgets-as-string',
    section: '2.1',
    turnsRed: ['guardrail-read.field.include_byok_in_budgets'],
    description: 'include_byok_in_budgets is the string "true" or "false"',
    hardness: 'plain',
    override: guardrailField('include_byok_in_budgets', String),
  },
  {
    id: 'guardrail-read.enforce-zdr-inherit',
    section: '2.1',
    turnsRed: ['guardrail-read.field.enforce_zdr'],
    description: 'enforce_zdr is the word "inherit" where it should be null',
    hardness: 'plain',
    override: guardrailField('enforce_zdr', (enforced) => enforced ?? 'inherit'),
  },
  {
    id: 'guardrail-read.one-vendor-as-string',
    section: '2.1',
    turnsRed: ['guardrail-read.field.enforce_zdr_vendor'],
    description: 'enforce_zdr_<vendor> is a string for one of the four vendors',
    hardness: 'plain',
    override: guardrailField('enforce_zdr_cobalt', String),
  },
  {
    id: 'guardrail-read.other-vendors-null',
    section: '2.1',
    turnsRed: ['guardrail-read.field.enforce_zdr_vendor'],
    description: 'enforce_zdr_other is null in place of false',
    hardness: 'plain',
    override: guardrailField('enforce_zdr_other', nullForFalse),
  },
  {
    id: 'guardrail-read.free-publication-as-number',
    section: '2.1',
    turnsRed: ['guardrail-read.field.enable_free_model_publication'],
    description: 'enable_free_model_publication is 1 or 0',
    hardness: 'plain',
    override: guardrailField('enable_free_model_publication', Number),
  },
  {
    id: 'guardrail-read.free-training-null',
    section: '2.1',
    turnsRed: ['guardrail-read.field.enable_free_model_training'],
    description: 'enable_free_model_training is null in place of false',
    hardness: 'plain',
    override: guardrailField('enable_free_model_training', nullForFalse),
  },
  {
    id: 'guardrail-read.paid-training-in-words',
    section: '2.1',
    turnsRed: ['guardrail-read.field.enable_paid_model_training'],
    description: 'enable_paid_model_training is the word "on" where it should be true',
    hardness: 'subtle',
    override: guardrailField('enable_paid_model_training', (enabled) => (enabled === true ? 'on' : enabled)),
  },
  {
    id: 'guardrail-read.created-without-zone',
    section: '2.1',
    turnsRed: ['guardrail-read.field.created_at'],
    description: 'created_at has no zone',
    hardness: 'plain',
    override: guardrailField('created_at', (moment) => iso(moment).replace('Z', '')),
  },
  {
    id: 'guardrail-read.created-as-seconds',
    section: '2.1',
    turnsRed: ['guardrail-read.field.created_at'],
    description: 'created_at is a number of seconds since 1970',
    hardness: 'plain',
    override: guardrailField('created_at', (moment) => Math.floor(Date.parse(String(moment)) / 1000)),
  },
  {
    id: 'guardrail-read.created-as-date',
    section: '2.1',
    turnsRed: ['guardrail-read.field.created_at'],
    description: 'created_at is a date without a time',
    hardness: 'plain',
    override: guardrailField('created_at', (moment) => iso(moment).slice(0, 10)),
  },
  {
    id: 'guardrail-read.updated-two-hours-east',
    section: '2.1',
    turnsRed: ['guardrail-read.field.updated_at'],
    description: 'updated_at is told in the zone +02:00: the same moment, not in UTC',
    hardness: 'plain',
    override: guardrailField('updated_at', (moment) =>
      new Date(Date.parse(String(moment)) + TWO_HOURS_MS).toISOString().replace('Z', '+02:00'),
    ),
  },
  {
    id: 'guardrail-read.updated-with-blank',
    section: '2.1',
    turnsRed: ['guardrail-read.field.updated_at'],
    description: 'updated_at has a blank in place of the T',
    hardness: 'plain',
    override: guardrailField('updated_at', (moment) => iso(moment).replace('T', ' ')),
  },
  {
    id: 'guardrail-read.updated-as-http-date',
    section: '2.1',
    turnsRed: ['guardrail-read.field.updated_at'],
    description: 'updated_at is written as HTTP writes dates',
    hardness: 'plain',
    override: guardrailField('updated_at', (moment) => new Date(String(moment)).toUTCString()),
  },
  {
    id: 'guardrail-read.updated-null-when-never',
    section: '2.1',
    turnsRed: ['guardrail-read.field.updated_at'],
    description: 'updated_at is null on a guardrail that was not changed since it was made',
    hardness: 'subtle',
    override: guardrailField('updated_at', (updated, { created_at: created }) =>
      updated === created ? null : updated,
    ),
  },
];

const TWO_HOURS_MS = 7_200_000;

function iso(moment: unknown): string {
  return new Date(String(moment)).toISOString();
}

function nullForFalse(value: unknown): unknown {
  return value === false ? null : value;
}
