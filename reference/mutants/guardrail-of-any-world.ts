import type { Call } from '../behaviour.js';
import { gate, type Override } from '../mutation.js';
import type { JsonObject } from '../vocabulary.js';

/** The guardrail that a guardrail read names, whosever it is. */
export function guardrailOfAnyWorld({ server, parameters }: Call): JsonObject | undefined {
  const id = parameters.id?.toLowerCase();
  return [...server.store.worlds()].find((world) => world.guardrailId === id)?.guardrail;
}

/** A guardrail of another workspace is refused with another status than one that does not exist. */
export function foreignGuardrailStatus(status: number): Override {
  return gate('guardrail-read', 'guardrail-exists', (call, original) => {
    const refusal = original(call);
    return refusal === undefined || guardrailOfAnyWorld(call) === undefined
      ? refusal
      : { ...refusal, status };
  });
}
