import { guardrailRead, keyRead } from '../requests.js';
import type { Script } from '../script.js';
import { guardrailFields, keyFigures, script, sent } from '../steps.js';

const KEY_FIELDS: readonly object[] = [
  { limit: 10, limit_remaining: -1.5 },
  { limit: 0, limit_remaining: 0 },
  { byok_usage: 2 ** 31, byok_usage_monthly: 2 ** 53, usage_monthly: 1e-7, usage_weekly: 1e-7 },
  { label: ' a ', limit_reset: 'yearly' },
  { label: 'a\u{1f511}b', limit_reset: 'MONTHLY' },
  { label: '' },
  { label: '0042' },
  { label: 'null' },
];

const GUARDRAIL_FIELDS: readonly object[] = [
  { name: 'e\u0301', description: 'a\r\nb\n', reset_interval: 'yearly', limit_usd: -1.5 },
  { name: '0042', limit_usd: 1e-7, ignored_providers: [], ignored_models: ['b', 'a', 'a'] },
  { name: 'null', limit_usd: 2 ** 53, allowed_providers: ['null', 'true', 'acme'] },
  { content_filter_builtins: [{ slug: 'email', label: '', action: 'redact' }], content_filters: { a: 1 } },
  { updated_at: '2026-07-01T10:00:00.000Z' },
];

/** Values that a column, a parser or a formatter may lose, set and read back. */
export const roundTripScripts: readonly Script[] = [
  script(
    'figures there and back',
    KEY_FIELDS.flatMap((fields) => [keyFigures('member', fields), ...sent([keyRead()])]),
  ),
  script(
    'guardrails there and back',
    GUARDRAIL_FIELDS.flatMap((fields) => [guardrailFields(fields), ...sent([guardrailRead()])]),
  ),
];
