import type { Call, FaultRule, Gate, Refusal } from './behaviour.js';
import type { Fault, Operation } from './vocabulary.js';

const UPSTREAM_RATE_LIMITED: Refusal = {
  status: 429,
  message: 'The provider is rate limited',
  metadata: { provider_name: 'Acme', provider_code: 'rate_limit_reached' },
};

/** Every fault, and the answer that §7 asks for. */
export const faults: Readonly<Record<Fault, FaultRule>> = {
  ...refuseOn('vault-delete', {
    vault_rate_limited: { status: 429, message: 'Vault rate limit reached', metadata: null },
    scope_lookup_failed: { status: 500, message: 'Scope lookup failed' },
    vault_unreachable: { status: 502, message: 'The vault is unreachable' },
    vault_bad_response: { status: 502, message: 'The vault returned an unexpected response', metadata: {} },
    vault_writes_disabled: { status: 503, message: 'Vault writes are disabled' },
    vault_not_configured: { status: 503, message: 'The vault is not configured', metadata: null },
    vault_timeout: {
      status: 504,
      message: 'The vault did not answer in time',
      metadata: { timeout_ms: 5000 },
    },
    route_deadline: { status: 408, message: 'The route deadline has passed' },
  }),
  ...refuseOn('guardrail-read', { guardrail_internal_error: { status: 500, message: 'Internal error' } }),
  ...refuseOn('inference', {
    upstream_rate_limited: UPSTREAM_RATE_LIMITED,
    upstream_rate_limited_hint: { ...UPSTREAM_RATE_LIMITED, headers: { 'Retry-After': '1' } },
    model_down: { status: 502, message: 'The chosen model is down' },
    no_provider: { status: 503, message: 'No provider meets the routing requirements', metadata: null },
    inference_deadline: { status: 408, message: 'The request timed out' },
    guardrail_blocks: {
      status: 403,
      message: 'A guardrail blocks this request',
      metadata: { guardrail: 'Production' },
    },
    moderation_flags: {
      status: 403,
      message: 'The input was flagged by moderation',
      metadata: { reasons: ['violence'] },
    },
  }),
  platform_rate_limited: {
    on: 'inference',
    freeModelsOnly: true,
    refusal: {
      status: 429,
      message: 'Rate limit exceeded',
      metadata: { error_type: 'rate_limit_exceeded' },
      platform: { limit: 20, freesInMs: 60_000 },
    },
  },
  mid_stream_error: {
    on: 'inference',
    midStream: 'alone',
    refusal: { status: 429, message: 'Rate limit exceeded while streaming' },
  },
  provider_bad_response: {
    on: 'inference',
    midStream: 'streamed',
    refusal: { status: 502, message: 'The provider returned an invalid response' },
  },
  one_provider_limited: { on: 'inference', isOvercome: true, refusal: UPSTREAM_RATE_LIMITED },
};

/** The rules of faults that refuse every call of one operation. */
function refuseOn<Name extends Fault>(on: Operation, refusals: Readonly<Record<Name, Refusal>>) {
  const rules = Object.entries<Refusal>(refusals).map(([name, refusal]) => [name, { on, refusal }]);
  return Object.fromEntries(rules) as Record<Name, FaultRule>;
}

/** Refuses as the first fault of the caller's world says that concerns this call. */
export const faultGate: Gate = {
  name: 'fault',
  refuse: (call) => findFaultRules(call).find((rule) => !isMidStream(rule, call))?.refusal,
};

/** The rule of the fault that breaks this call's stream after its start (§6), if one is in force. */
export function findMidStreamRule(call: Call): FaultRule | undefined {
  return findFaultRules(call).find((rule) => isMidStream(rule, call));
}

/** Whether a rule breaks the call's stream after its start in place of refusing the call. */
function isMidStream({ midStream }: FaultRule, { inference }: Call): boolean {
  return midStream === 'alone' || (midStream === 'streamed' && inference?.stream === true);
}

function findFaultRules(call: Call): readonly FaultRule[] {
  const faults = call.key?.world.faults ?? [];
  return faults.map((fault) => call.behaviour.faults[fault]).filter((rule) => isConcerned(rule, call));
}

function isConcerned(rule: FaultRule, { operation, inference, behaviour }: Call): boolean {
  if (rule.on !== operation || rule.isOvercome === true) return false;
  if (rule.freeModelsOnly !== true) return true;
  return inference !== undefined && behaviour.isFreeModel(inference.model);
}
