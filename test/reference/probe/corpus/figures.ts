import { PAID_MODEL } from '../../../../reference/models.js';
import { ROLES } from '../../../../reference/vocabulary.js';
import { everyInference, guardrailRead, inference, keyRead, removal } from '../requests.js';
import type { Script, Worlds } from '../script.js';
import { eachOnToken, guardrailFields, keyFigures, later, script, sent } from '../steps.js';
import { NEAR_IDS, STRANGE_IDS } from './ids.js';

const NUMBERS = [0, 1, -1, 0.1, 0.1 + 0.2, 1e-9, 1.005, 12.345678, 99.99, 100, 1e6, 1e21, 2 ** 53 - 1, -0.5];
const TEXTS = ['', 'x', 'monthly', 'weekly', 'daily', 'A label é 漢 🔑', '"<&>\\', 'y'.repeat(3000), ' '];

const KEY_NUMBERS = [
  'limit',
  'limit_remaining',
  'usage',
  'usage_daily',
  'usage_weekly',
  'usage_monthly',
  'byok_usage',
  'byok_usage_daily',
  'byok_usage_weekly',
  'byok_usage_monthly',
];

const KEY_FIELDS: readonly object[] = [
  ...KEY_NUMBERS.flatMap((field) => NUMBERS.map((value) => ({ [field]: value }))),
  ...TEXTS.map((label) => ({ label })),
  ...TEXTS.map((limit_reset) => ({ limit_reset })),
  { limit_reset: null },
  { limit: null, limit_remaining: null },
  { limit: 0, limit_remaining: 0 },
  { limit: 10, limit_remaining: 10 },
  { limit: 10, limit_remaining: 0 },
  { limit: 10, limit_remaining: -2 },
  { limit: 10, limit_remaining: 3, usage: 20 },
  { usage: 10, usage_daily: 4, usage_weekly: 8, usage_monthly: 5 },
  { usage: 5, usage_daily: 5, usage_weekly: 5, usage_monthly: 5 },
  { usage: 0, usage_daily: 0, usage_weekly: 0, usage_monthly: 0 },
  { byok_usage: 7, byok_usage_daily: 1, byok_usage_weekly: 6, byok_usage_monthly: 2 },
  { byok_usage: 0, byok_usage_daily: 0, byok_usage_weekly: 0, byok_usage_monthly: 0 },
  { include_byok_in_limit: true },
  { include_byok_in_limit: false },
  { is_free_tier: true },
  { is_free_tier: false },
  { rate_limit: { requests: 10, interval: '1s' } },
  { rate_limit: {} },
  { rate_limit: null },
];

const VENDORS = ['acme', 'borealis', 'cobalt', 'dune', 'other'];
const FLAGS = [
  'include_byok_in_budgets',
  'enable_free_model_publication',
  'enable_free_model_training',
  'enable_paid_model_training',
  ...VENDORS.map((vendor) => `enforce_zdr_${vendor}`),
];
const LISTS = ['allowed_models', 'allowed_providers', 'ignored_models', 'ignored_providers'];

const GUARDRAIL_FIELDS: readonly object[] = [
  ...TEXTS.flatMap((text) => [{ name: text }, { description: text }]),
  ...NUMBERS.map((limit_usd) => ({ limit_usd })),
  ...FLAGS.flatMap((flag) => [{ [flag]: true }, { [flag]: false }]),
  ...LISTS.flatMap((list) => [
    { [list]: null },
    { [list]: [] },
    { [list]: ['acme'] },
    { [list]: ['acme', 'borealis', 'acme'] },
    { [list]: ['zeta', 'Alpha', 'beta'] },
  ]),
  { enforce_zdr: true },
  { enforce_zdr: false },
  { enforce_zdr: null },
  { content_filters: null },
  { content_filters: [] },
  { content_filters: [{ pattern: 'x' }] },
  { content_filters: { x: 1 } },
  { content_filter_builtins: [] },
  { content_filter_builtins: [{ slug: 'phone', label: '', action: 'redact' }] },
  {
    content_filter_builtins: [
      { slug: 'phone', label: '[PHONE]', action: 'redact' },
      { slug: 'email', label: '[EMAIL]', action: 'block' },
    ],
  },
  { reset_interval: 'monthly' },
  { reset_interval: 'daily' },
  { created_at: '2024-01-02T03:04:05Z' },
  { created_at: '2024-01-02T03:04:05.678901Z' },
  { updated_at: '2024-12-31T23:59:59.999Z' },
  { updated_at: '2023-01-01T00:00:00+00:00' },
  { workspace_id: 'other', id: 'other' },
];

/** What the key read tells, before and after it is set. */
export const keyFigureScripts: readonly Script[] = [
  script(
    'key information of every role',
    sent(ROLES.flatMap((role) => [keyRead({ role }), keyRead({ role })])),
  ),
  script(
    'key information that is set',
    KEY_FIELDS.flatMap((fields) => [keyFigures('member', fields), ...sent([keyRead()])]),
    sent([keyRead({ role: 'management' }), keyRead({ from: 'there' })]),
    ROLES.flatMap((role) => [
      keyFigures(role, { label: `label of ${role}`, limit: 5, limit_remaining: 1.5, usage: 3.5 }),
      ...sent([keyRead({ role }), keyRead()]),
    ]),
  ),
];

/** What the guardrail read tells, before and after it is set, and of ids of every kind. */
export const guardrailScripts: readonly Script[] = [
  script(
    'a guardrail that is set',
    sent([guardrailRead(), guardrailRead()]),
    GUARDRAIL_FIELDS.flatMap((fields) => [guardrailFields(fields), ...sent([guardrailRead()])]),
    sent([guardrailRead({ from: 'there', id: ({ there }) => there.guardrail_id })]),
  ),
  script(
    'guardrail ids',
    sent([
      guardrailRead({ id: ({ here }) => here.guardrail_id.toUpperCase() }),
      ...STRANGE_IDS.map((id) => guardrailRead({ id: ({ here }) => id(here.guardrail_id) })),
      ...NEAR_IDS.map((id) => guardrailRead({ id: ({ here }) => id(here.guardrail_id) })),
      ...[
        ({ here }: Worlds) => here.workspace_id,
        ({ here }: Worlds) => here.interns.own,
        ({ here }: Worlds) => here.id,
        ({ there }: Worlds) => there.guardrail_id,
        ({ there }: Worlds) => there.workspace_id,
      ].map((id) => guardrailRead({ id })),
      guardrailRead({ from: 'there' }),
      guardrailRead({ from: 'there', role: 'member' }),
      guardrailRead({ from: 'there', id: ({ there }) => there.guardrail_id }),
    ]),
  ),
];

/** What becomes of figures with use, with limits and with time. */
export const figureScripts: readonly Script[] = [
  script(
    'figures and the limits',
    keyFigures('member', { limit: 10, limit_remaining: 0 }),
    sent([...everyInference(), keyRead()]),
    eachOnToken([removal('token')]),
    keyFigures('exhausted', { limit: 10, limit_remaining: 5 }),
    sent([...everyInference({ role: 'exhausted' }), keyRead({ role: 'exhausted' })]),
    keyFigures('exhausted', { limit: null, limit_remaining: null }),
    sent(everyInference({ role: 'exhausted' })),
    keyFigures('overdrawn', { limit: null, usage: 0 }),
    sent([...everyInference({ role: 'overdrawn' }), keyRead({ role: 'overdrawn' })]),
  ),
  script(
    'figures after use and with time',
    sent([keyRead(), inference(PAID_MODEL, false), keyRead(), ...everyInference(), keyRead()]),
    [1, 20, 60, 900, 3600, 86_400].flatMap((seconds) => [
      later(seconds),
      ...sent([keyRead(), guardrailRead(), ...everyInference()]),
    ]),
  ),
];
