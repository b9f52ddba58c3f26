import type { JsonObject } from './json.js';

/** The guardrail (§2.1) of a fresh world. `now` is in milliseconds since 1970; the caller may change the object. */
export function startingGuardrail(id: string, workspaceId: string, now: number): JsonObject {
  const moment = new Date(now).toISOString();
  return {
    id,
    workspace_id: workspaceId,
    name: 'Production',
    description: 'Applies to every key of the workspace',
    allowed_models: null,
    allowed_providers: ['acme', 'borealis'],
    ignored_models: null,
    ignored_providers: null,
    limit_usd: 50,
    reset_interval: 'monthly',
    include_byok_in_budgets: false,
    enforce_zdr: null,
    enforce_zdr_acme: false,
    enforce_zdr_borealis: false,
    enforce_zdr_cobalt: true,
    enforce_zdr_dune: false,
    enforce_zdr_other: false,
    enable_free_model_publication: false,
    enable_free_model_training: false,
    enable_paid_model_training: false,
    content_filter_builtins: [{ slug: 'email', label: '[EMAIL]', action: 'redact' }],
    content_filters: null,
    created_at: moment,
    updated_at: moment,
  };
}
