import { sanitizeLine, truncate } from './sanitize.js';
import { formatNumber } from './wording.js';

const longestText = 600;

/** Renders text of any origin as one code span: nothing in code is a link, a mention, an image or HTML. */
export function codeSpan(text: string, place: 'prose' | 'table' = 'prose'): string {
  const line = sanitizeLine(truncate(text, longestText));
  if (line === '') return '(nothing)';
  const marks = '`'.repeat(longestRun(line) + 1);
  const padded = /^[` ]|[` ]$/.test(line) ? ` ${line} ` : line;
  const span = `${marks}${padded}${marks}`;
  // A pipe ends a cell even within code, and is escaped there like everywhere in a table.
  return place === 'table' ? span.replaceAll('|', '\\|') : span;
}

// What GitHub may turn into a link or a notification, however it is escaped.
const reaching = /@|\b[a-z][a-z0-9+.-]*:(?=\S)|www\.|#\d|\bgh-\d|\b[0-9a-f]{7,}\b/i;
const punctuation = /[\\`*_{}[\]<>()#+|~&!$^=]/g;

/** Renders prose that may quote something: every mark escaped, or as code where it could reach out of the page. */
export function prose(text: string): string {
  const line = sanitizeLine(truncate(text, longestText)).trim();
  if (reaching.test(line) || line === '') return codeSpan(line);
  // At its beginning a line can also be an entry of a list, or a rule.
  return line
    .replace(punctuation, '\\$&')
    .replace(/^-|^(\d+)(?=[.)])/, (start) => (start === '-' ? '\\-' : `${start}\\`));
}

/** Renders lines to copy into a shell within a fence that nothing in them can close. */
export function fenceShell(lines: readonly string[]): string {
  const body = lines.map(sanitizeLine).join('\n');
  const marks = '`'.repeat(Math.max(3, longestRun(body) + 1));
  return `${marks}sh\n${body}\n${marks}`;
}

/** Renders a table whose cells are Markdown already; the columns stand left where nothing is said. */
export function table(
  rows: readonly (readonly string[])[],
  columns: readonly ('left' | 'right')[] = [],
): string {
  const [heading = [], ...others] = rows;
  const rule = heading.map((_, at) => (columns[at] === 'right' ? '--:' : ':--'));
  return [heading, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
}

/** A part of a page: a heading and entries, the most important first. */
export interface Section {
  readonly heading: string;
  readonly entries: readonly string[];
}

/** Renders sections within so many bytes of UTF-8: all headings, and entries as long as whole ones fit. */
export function fitSections(sections: readonly Section[], mostBytes: number): string {
  const filled = sections.filter(({ entries }) => entries.length > 0);
  const frames = filled.map(({ heading, entries }) => `${heading}\n\n${renderLeftOut(entries.length)}\n\n`);
  let room = mostBytes - Buffer.byteLength(frames.join(''));
  return filled
    .map(({ heading, entries }) => {
      const texts: string[] = [];
      for (const text of entries.map((entry) => `${entry}\n\n`)) {
        const bytes = Buffer.byteLength(text);
        if (bytes > room) break;
        texts.push(text);
        room -= bytes;
      }
      const left = entries.length - texts.length;
      return `${heading}\n\n${texts.join('')}${left > 0 ? `${renderLeftOut(left)}\n\n` : ''}`;
    })
    .join('');
}

function renderLeftOut(count: number): string {
  const entries = count === 1 ? '1 more entry does' : `${formatNumber(count)} more entries do`;
  return `*${entries} not fit here; report.json has everything.*`;
}
