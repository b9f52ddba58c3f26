import { cutText } from './cut-text.js';
import { inertText } from './inert-text.js';

const longestText = 600;

/**
 * Text from anywhere as one span of code, cut: nothing in code is a link, a mention, an image or HTML. A pipe is escaped
 * where the span stands in a table.
 */
export function codeSpan(text: string, place: 'prose' | 'table' = 'prose'): string {
  const line = inertText(cutText(text, longestText));
  if (line === '') return '(nothing)';
  const marks = '`'.repeat(longestRun(line) + 1);
  const padded = /^[` ]|[` ]$/.test(line) ? ` ${line} ` : line;
  const span = `${marks}${padded}${marks}`;
  // A pipe ends a cell even within code, and is escaped there like everywhere in a table.
  return place === 'table' ? span.replaceAll('|', '\\|') : span;
}

// What the place where Markdown is shown may turn into a link or a notification, however it is escaped.
const reaching = /@|\b[a-z][a-z0-9+.-]*:(?=\S)|www\.|#\d|\bgh-\d|\b[0-9a-f]{7,}\b/i;
const punctuation = /[\\`*_{}[\]<>()#+|~&!$^=]/g;

/** Prose that may quote something: set as prose, every mark escaped, or as code where it could reach out of the page. */
export function inertProse(text: string): string {
  const line = inertText(cutText(text, longestText)).trim();
  return reaching.test(line) || line === '' ? codeSpan(line) : escaped(line);
}

function escaped(line: string): string {
  // At its beginning a line can also be an entry of a list, or a rule.
  return line
    .replace(punctuation, '\\$&')
    .replace(/^-|^(\d+)(?=[.)])/, (start) => (start === '-' ? '\\-' : `${start}\\`));
}

/** Lines to be copied, as they are, within a fence that nothing in them can close. */
export function fenced(language: string, lines: readonly string[]): string {
  const body = lines.map(inertText).join('\n');
  const fence = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${fence}${language}\n${body}\n${fence}`;
}

/** A table; its cells are Markdown already. */
export function table(rows: readonly (readonly string[])[], columns: readonly ('left' | 'right')[]): string {
  const [heading = [], ...others] = rows;
  const rule = columns.map((side) => (side === 'left' ? ':--' : '--:'));
  return [heading, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}
