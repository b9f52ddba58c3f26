import { inertText } from '../inert-text.js';

const special = /[\\`*_{}[\]()<>#+!|~&@:$"'^=-]|(?<=www)\./gu;

/**
 * Text from anywhere as one line of prose that Markdown takes for nothing but text: no markup, no HTML, no link, no
 * end of a table's cell. Every character with a meaning becomes its number.
 */
export function inertMarkdown(text: string): string {
  return inertText(text).replace(special, (character) => `&#${character.codePointAt(0)};`);
}

/** The same set as code, where a page that mentions people leaves names alone. */
export function inertCode(text: string): string {
  return `<code>${inertMarkdown(text)}</code>`;
}
