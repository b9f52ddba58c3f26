import type { ReportedExchange } from '../../spec/report.js';
import { inertText } from '../inert-text.js';
import { type JsonMember, jsonMembers } from './json-members.js';
import { type NamedParts, nothingNamed } from './named-parts.js';
import { cut } from './told.js';

/** A part of a message that is marked, or not. */
interface WirePart {
  readonly text: string;
  readonly marked: boolean;
}

/** A message as it went over the wire, in parts, and how many characters are left out at its end. */
export interface WireText {
  readonly parts: readonly WirePart[];
  readonly more: number;
}

/** A request as text: the line, the headers, the body. */
export function requestText({ method, url, headers, body }: ReportedExchange['request']): WireText {
  const head = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)].map(headLine);
  const { shown, more } = cut(body ?? '');
  return { parts: [plain(`${head.join('')}${bodyText(shown)}`)], more };
}

/** A response as text: the status, the headers, the body, with the parts marked that a violation names. */
export function responseText(
  { status, reason_phrase: phrase, headers, trailers = [], body }: NonNullable<ReportedExchange['response']>,
  named: NamedParts,
): WireText {
  const { shown, more } = cut(body);
  const parts = [
    { text: String(status), marked: named.status(status) },
    plain(phrase === undefined ? '\n' : headLine(` ${phrase}`)),
    ...headers.map(([name, value]) => ({ text: headLine(`${name}: ${value}`), marked: named.header(name) })),
    plain(shown === '' ? '' : '\n'),
    ...markedBody(shown, named),
    ...trailers.map(([name, value]) => plain(`\n${headLine(`${name}: ${value}`)}`)),
  ];
  return { parts: joined(parts), more };
}

/** A line of a head is one line, whatever stands in it. */
function headLine(text: string): string {
  const { shown, more } = cut(text);
  return `${inertText(shown)}${more === 0 ? '' : ` … ${more} more characters`}\n`;
}

function bodyText(body: string): string {
  return body === '' ? '' : `\n${body}`;
}

function plain(text: string): WirePart {
  return { text, marked: false };
}

function markedBody(body: string, named: NamedParts): readonly WirePart[] {
  const parts: WirePart[] = [];
  let copied = 0;
  for (const { from, to } of namedMembers(body, named)) {
    if (from < copied) continue;
    parts.push(plain(body.slice(copied, from)), { text: body.slice(from, to), marked: true });
    copied = to;
  }
  return [...parts, plain(body.slice(copied))];
}

function namedMembers(body: string, named: NamedParts): readonly JsonMember[] {
  if (named === nothingNamed || !body.includes('{')) return [];
  return jsonMembers(body).filter(({ path }) => named.member(path));
}

/** Neighbours that are marked alike become one part: there are fewer elements to make. */
function joined(parts: readonly WirePart[]): readonly WirePart[] {
  const together: WirePart[] = [];
  for (const part of parts) {
    const before = together.at(-1);
    if (part.text === '') continue;
    if (before?.marked === false && !part.marked)
      together[together.length - 1] = plain(before.text + part.text);
    else together.push(part);
  }
  return together;
}
