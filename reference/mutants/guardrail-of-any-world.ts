import type { Call } from '../call.js';
import type { JsonObject } from '../json.js';

/** The guardrail that a guardrail read names, whosever it is. */
export function guardrailOfAnyWorld({ server, parameters }: Call): JsonObject | undefined {
  const id = parameters.id?.toLowerCase();
  return [...server.store.worlds()].find((world) => world.guardrailId === id)?.guardrail;
}
