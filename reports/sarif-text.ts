import type { Message } from 'sarif';
import { cutText } from './cut-text.js';
import { inertText } from './inert-text.js';

const longestLine = 600;
const longestCommand = 4_000;

/**
 * Lines as a SARIF message: each cut and made inert. What a message would take for a link or a placeholder is escaped
 * as SARIF 2.1.0 §3.11.5 and §3.11.6 have it.
 */
export function messageOf(...lines: readonly string[]): Message {
  return { text: lines.map((line) => literal(plainLine(line))).join('\n') };
}

/** One line of a property, which no viewer interprets. */
export function plainLine(text: string): string {
  return inertText(cutText(text, longestLine));
}

/** A line that is to be copied, and so is cut only where no shell would take it. */
export function copiedLine(text: string): string {
  return inertText(cutText(text, longestCommand));
}

function literal(text: string): string {
  return text.replace(/[\\[\]]/g, '\\$&').replace(/[{}]/g, '$&$&');
}
