import { createHash } from 'node:crypto';

/** Makes the policy of a page that may load and run its own stylesheet and script, given by their hashes, and nothing else. */
export function makeContentPolicy(style: string, script?: string): string {
  return [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hash(style)}`,
    ...(script === undefined ? [] : [`script-src ${hash(script)}`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
