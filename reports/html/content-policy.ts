import { createHash } from 'node:crypto';

/** What the page may load and run: its own stylesheet and script, told by their hashes, and nothing else. */
export function contentPolicy({
  style,
  script,
}: {
  readonly style: string;
  readonly script: string;
}): string {
  return [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
