/** Where in a world a secret is stored. */
export const SCOPES = ['workspace', 'own', 'sibling', 'foreign'] as const;
export type Scope = (typeof SCOPES)[number];

/** A scope that is an intern's. */
export type Intern = Exclude<Scope, 'workspace'>;

/** The faults that the control can arrange. */
export const FAULTS = [
  'vault_rate_limited',
  'scope_lookup_failed',
  'vault_unreachable',
  'vault_bad_response',
  'vault_writes_disabled',
  'vault_not_configured',
  'vault_timeout',
  'route_deadline',
  'guardrail_internal_error',
  'platform_rate_limited',
  'upstream_rate_limited',
  'upstream_rate_limited_hint',
  'mid_stream_error',
  'model_down',
  'no_provider',
  'provider_bad_response',
  'inference_deadline',
  'guardrail_blocks',
  'moderation_flags',
  'one_provider_limited',
] as const;
export type Fault = (typeof FAULTS)[number];

/** The optional parts of the control protocol. */
export const FEATURES = [
  'secrets',
  'inspect',
  'key_info',
  'guardrail',
  'free_usage',
  'credit',
  'usage',
] as const;
export type Feature = (typeof FEATURES)[number];

/**
 * What a request is taken for once it is routed. The first four are the operations of §4 and the
 * inference route; `vault-store` is this server's own way to store a secret, which the document does not show;
 * `vault-other` is any other request below `/vault`.
 */
export type Operation =
  | 'vault-delete'
  | 'guardrail-read'
  | 'key-read'
  | 'inference'
  | 'vault-store'
  | 'vault-other'
  | 'no-route'
  | 'wrong-method'
  | 'malformed-target';

/** Whether a word is among the words of a list; narrows the word to the list's type. */
export function isOneOf<Word extends string>(words: readonly Word[], word: unknown): word is Word {
  return (words as readonly unknown[]).includes(word);
}

/** A JSON object whose members have not been looked at yet. */
export interface JsonObject {
  [member: string]: unknown;
}

/** Whether a parsed JSON value is an object, neither null nor an array. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
