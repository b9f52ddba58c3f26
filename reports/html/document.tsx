import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Verdict } from '../../spec/report.js';
import { type Content, h } from './markup.js';

const verdictColours: Readonly<Record<Verdict, string>> = {
  conformant: '#1a7f4b',
  'non-conformant': '#c0352b',
  incomplete: '#9a6400',
  unjudged: '#7a4bb0',
};

/** Renders a page that opens from a file and may load nothing but its own style and script, by their hashes. */
export function renderDocument(page: {
  readonly title: string;
  readonly verdict: Verdict;
  readonly styles: readonly string[];
  readonly script?: string;
  readonly children: Content;
}): string {
  const { title, verdict, script = '' } = page;
  // From the sources and from dist alike.
  const style = ['base', ...page.styles]
    .map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
    .join('\n');
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hash(style)}`,
    ...(script === '' ? [] : [`script-src ${hash(script)}`]),
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${verdictColours[verdict]}"/></svg>`;
  const document = (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content={policy} />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="referrer" content="no-referrer" />
        <title>{title}</title>
        <link rel="icon" href={`data:image/svg+xml,${encodeURIComponent(icon)}`} />
        {/* Escaped, they would be other texts than those that the policy permits. */}
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        {page.children}
        {script !== '' && <script dangerouslySetInnerHTML={{ __html: script }} />}
      </body>
    </html>
  );
  return `<!doctype html>\n${document.html}\n`;
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
