import { inertText } from '../inert-text.js';

// Markup, HTML, links, formulas, the ends of a table's cells, and what makes a bare address a link.
const special = /[\\`*_{}[\]<>#|~&$]|:(?=\/\/)|(?<=www)\./giu;

/**
 * Text from anywhere as one line that Markdown takes for nothing but text, where it does not begin a line: characters
 * with a meaning become their numbers, and no name after an `@` is told that it was mentioned.
 */
export function inertMarkdown(text: string): string {
  return inertText(text)
    .replace(special, (character) => `&#${character.codePointAt(0)};`)
    .replaceAll('@', '<span>@</span>');
}

/** The same set as code. */
export function inertCode(text: string): string {
  return `<code>${inertMarkdown(text)}</code>`;
}
