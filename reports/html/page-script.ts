import { colours } from './client/colours.js';
import { controls } from './client/controls.js';
import { copyButtons } from './client/copy-buttons.js';
import { ledgerFilters } from './client/ledger-filters.js';
import { rowLinks } from './client/row-links.js';

/** The filters come before the links, which lead to rows that the filters must have shown. */
const features: readonly (() => void)[] = [controls, colours, copyButtons, ledgerFilters, rowLinks];

/** The script of the page. */
export const pageScript: string = features
  .map((feature) => `(${feature.toString()})();`)
  .join('\n')
  // No text of a script may end it.
  .replaceAll('</', '<\\/');
