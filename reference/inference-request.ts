import { type Body, parseJson } from './body.js';
import type { InferenceRequest } from './call.js';
import { isJsonObject } from './json.js';

/** What the body of an inference request asks for; undefined when it is not well-formed. */
export function readInferenceRequest(body: Body): InferenceRequest | undefined {
  if (body.state !== 'complete') return undefined;
  const request = parseJson(body.text);
  if (!isJsonObject(request)) return undefined;
  const { model, stream = false } = request;
  return typeof model === 'string' && typeof stream === 'boolean' ? { model, stream } : undefined;
}
