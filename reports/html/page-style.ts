import { readFileSync } from 'node:fs';

const sheets = ['base', 'head', 'ledger', 'evidence', 'sections', 'print'] as const;

/** The stylesheet of the page, from the sources and from dist alike. */
export const pageStyle: string = sheets
  .map((name) => readFileSync(new URL(`./style/${name}.css`, import.meta.url), 'utf8'))
  .join('\n');
