import type { Verdict } from '../../spec/report.js';

const colours: Readonly<Record<Verdict, string>> = {
  conformant: '#1a7f4b',
  'non-conformant': '#c0352b',
  incomplete: '#9a6400',
  unjudged: '#7a4bb0',
};

/** The icon of the page in its tab: a dot in the colour of the verdict. */
export function pageIcon(verdict: Verdict): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><circle cx="8" cy="8" r="7" fill="${colours[verdict]}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
