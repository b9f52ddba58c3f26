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
