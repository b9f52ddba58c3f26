import type { Edge } from '../../targets/edge.js';
import { type Answered, isObject, json } from '../../targets/exchange.js';

/**
 * Why an answer may be somebody else's than the service's: a gateway's page, a redirect, a text that breaks off. A run
 * would ask again; a recording cannot, so that such an answer decides nothing. Undefined where it is the service's own.
 */
export function foreignness({ operation, answer }: Answered, edge: Edge): string | undefined {
  const { status, text, truncated } = answer;
  const inPlace = edge.inPlaceOfService(answer);
  if (inPlace !== undefined) return inPlace;
  if (status >= 300 && status < 400) return `a redirect (${status})`;
  if (truncated) return `a body that is not recorded to its end (${status})`;
  if (operation === 'inference' && status === 200 && /^(?:data|event|id|retry|):/m.test(text))
    return undefined;
  if (status === 204 || json(answer) !== undefined) return undefined;
  if (status < 300 && operation === 'vault-delete' && text === '') return undefined;
  return text === '' ? `an empty body (${status})` : `a body that is no JSON (${status})`;
}

/** Whether an error has the envelope of §2.4 and the status in it, as no gateway would make it. */
export function isEnvelope({ answer }: Answered): boolean {
  const body = json(answer);
  const error = isObject(body) ? body.error : undefined;
  return isObject(error) && error.code === answer.status && typeof error.message === 'string';
}
