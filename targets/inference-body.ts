import type { InferenceRoute } from './control-client.js';

/**
 * Whether a route serves a free or a paid model; either where no kind is named. What is given as a paid model and ends in
 * `:free` is a free one (§8.2), so that no paid one is known.
 */
export function servesModel(route: InferenceRoute | undefined, kind: string): boolean {
  const hasFree = route?.free_model !== undefined;
  const hasPaid = route?.paid_model?.endsWith(':free') === false;
  if (kind === 'free') return hasFree;
  return kind === 'paid' ? hasPaid : hasFree || hasPaid;
}

/** The body of an inference request: the template of a target, `"{model}"` and `"{stream}"` in it replaced. */
export function inferenceBody(template: unknown, model: string, stream: boolean): string {
  const body = template ?? {
    model: '{model}',
    stream: '{stream}',
    messages: [{ role: 'user', content: 'ping' }],
  };
  return JSON.stringify(body, (_, value: unknown) => {
    if (value === '{model}') return model;
    return value === '{stream}' ? stream : value;
  });
}
