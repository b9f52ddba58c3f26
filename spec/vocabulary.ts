/** The routes of the document's operations, below the base URL (§4). */
export const routes = {
  'vault-delete': { method: 'DELETE', path: '/vault/interns/{internId}/secrets/{name}' },
  'guardrail-read': { method: 'GET', path: '/guardrails/{id}' },
  'key-info': { method: 'GET', path: '/key' },
} as const;

export type DocumentedOperation = keyof typeof routes;
export const documentedOperations = Object.keys(routes) as readonly DocumentedOperation[];

/** The operations of the document (§4), and the inference route that §6 to §8 speak of. */
export type Operation = DocumentedOperation | 'inference';

/** Makes the path of a request from its parameters, which are percent-encoded already. */
export function makePath(operation: DocumentedOperation, ...parameters: readonly string[]): string {
  const left = [...parameters];
  return routes[operation].path.replace(/\{\w+\}/g, () => left.shift() ?? '');
}

/** Decodes a part of a path; undefined where its percent-encoding is malformed. */
export function decodePart(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The roles of keys; each differs from `member` only in what its name says (§5, §7, §8). */
export const roles = [
  'member',
  'management',
  'provisioning',
  'unscoped',
  'outsider',
  'disabled',
  'write_disabled',
  'exhausted',
  'overdrawn',
  'free_small',
  'free_large',
  'free_large_exactly',
  'free_small_second',
  'expired_session',
] as const;
export type Role = (typeof roles)[number];

/** The fields of Key information that every key has (§2.2). */
export const keyInformationFields = [
  'label',
  'limit',
  'limit_reset',
  'limit_remaining',
  'include_byok_in_limit',
  'usage',
  'usage_daily',
  'usage_weekly',
  'usage_monthly',
  'byok_usage',
  'byok_usage_daily',
  'byok_usage_weekly',
  'byok_usage_monthly',
  'is_free_tier',
] as const;

/** The interns of a world: two of the key's workspace and one of another. */
export const interns = ['own', 'sibling', 'foreign'] as const;
export type Intern = (typeof interns)[number];

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has the form of a UUID, as the ids of interns and guardrails have (§2.1, §4.1). */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}

/** Where a secret can be stored (§1). */
export type Scope = 'workspace' | Intern;

const statusOfVaultFault = {
  vault_rate_limited: 429,
  scope_lookup_failed: 500,
  vault_unreachable: 502,
  vault_bad_response: 502,
  vault_writes_disabled: 503,
  vault_not_configured: 503,
  vault_timeout: 504,
  route_deadline: 408,
} as const;

/** The faults that can be arranged on a target, and the status that is due for each (§7). */
export const statusOfFault = {
  ...statusOfVaultFault,
  guardrail_internal_error: 500,
  model_down: 502,
  no_provider: 503,
  upstream_rate_limited: 429,
  upstream_rate_limited_hint: 429,
  platform_rate_limited: 429,
  provider_bad_response: 502,
  inference_deadline: 408,
  guardrail_blocks: 403,
  moderation_flags: 403,
  // They break a stream, or nothing: a plain request succeeds.
  mid_stream_error: 200,
  one_provider_limited: 200,
} as const;
export type Fault = keyof typeof statusOfFault;

/** The faults that a delete of the vault meets (§7.1). */
export const vaultFaults = Object.keys(statusOfVaultFault) as readonly Fault[];

/** The faults that an inference request meets (§6 to §8). */
export const inferenceFaults: readonly Fault[] = [
  'platform_rate_limited',
  'upstream_rate_limited',
  'upstream_rate_limited_hint',
  'mid_stream_error',
  'model_down',
  'no_provider',
];

/** What a target's control protocol offers beyond keys and faults. */
export type Feature = 'secrets' | 'inspect' | 'key_info' | 'guardrail' | 'free_usage' | 'credit' | 'usage';

/** What enforces the credit limits of a key (§8.1): the balance of its account, or what is left of its own limit. */
export type Credit = { readonly balance: number } | { readonly limit_remaining: number };

/** A request that the usage figures of a key are computed from (§2.2). */
export interface UsageRecord {
  /** When it was made, a timestamp in UTC. */
  readonly at: string;
  readonly credits: number;
  /** Usage on the caller's own provider keys. */
  readonly byok: number;
}

/** Methods that HTTP defines as safe: a request with one of them must change nothing. */
export const safeMethods: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
