import type { Failure, ReportedExchange } from '../../spec/report.js';
import { sanitizeLine, splitText } from '../sanitize.js';

/** The parts of a response that a violation is about. */
export interface ResponseMarks {
  readonly status: (status: number) => boolean;
  readonly header: (name: string) => boolean;
  /** @param path the names that lead to a member, `error.code` */
  readonly member: (path: string) => boolean;
}

/** Marks nothing. */
export const noMarks: ResponseMarks = { status: () => false, header: () => false, member: () => false };

/** Finds the parts of a response that the words of a violation name. */
export function findMarks({ expected, actual: got }: Pick<Failure, 'expected' | 'actual'>): ResponseMarks {
  // The value behind `got` may hold any words.
  const actual = got.replace(/, got .*$/s, '');
  const words = `${expected} ${actual}`.slice(0, 4_000);
  const paths = new Set(words.replace(/\[\d+\]|\.\d+(?=\.)/g, '').match(/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g));
  // Of a member that is missing, the object that lacks it.
  const lacking = /([A-Za-z_][\w.]*)\.\w+ is missing/.exec(actual)?.[1];
  if (lacking !== undefined) paths.add(lacking);
  return {
    status: (status) => new RegExp(`(?:^|status (?:is )?)${status}(?![\\d.])`).test(actual.slice(0, 4_000)),
    header: (name) => namesHeader(words.toLowerCase(), name.toLowerCase()),
    // `error.code` is named by `error.code` and by `code`.
    member: (path) => path.split('.').some((_, at, names) => paths.has(names.slice(at).join('.'))),
  };
}

function namesHeader(words: string, name: string): boolean {
  if (name === 'content-type' && words.includes('media type')) return true;
  // A header of one word (`date`) may be a word of the sentence.
  if (!name.includes('-')) return words.includes(`header ${name}`);
  return words.includes(name) || (name.startsWith('x-ratelimit') && words.includes('x-ratelimit'));
}

interface WirePart {
  readonly text: string;
  readonly marked: boolean;
}

/** A message as it was sent, in parts, and how many characters are left out at its end. */
export interface WireText {
  readonly parts: readonly WirePart[];
  readonly more: number;
}

const shownOfText = 4_000;

/** Renders a request as text: the line, the headers, the body. */
export function renderRequest({ method, url, headers, body }: ReportedExchange['request']): WireText {
  const head = [`${method} ${url}`, ...headers.map(([name, value]) => `${name}: ${value}`)].map(renderLine);
  const { shown, more } = splitText(indentJson(body ?? ''), shownOfText);
  return { parts: [makePlain(`${head.join('')}${shown === '' ? '' : `\n${shown}`}`)], more };
}

/** Renders a response as text: the status, the headers, the body, with the parts marked that a violation is about. */
export function renderResponse(
  { status, reason_phrase: phrase, headers, trailers = [], body }: NonNullable<ReportedExchange['response']>,
  marks: ResponseMarks,
): WireText {
  const { shown, more } = splitText(indentJson(body), shownOfText);
  const parts = [
    { text: String(status), marked: marks.status(status) },
    makePlain(phrase === undefined ? '\n' : renderLine(` ${phrase}`)),
    ...headers.map(([name, value]) => ({
      text: renderLine(`${name}: ${value}`),
      marked: marks.header(name),
    })),
    makePlain(shown === '' ? '' : '\n'),
    ...markBody(shown, marks),
    ...trailers.map(([name, value]) => makePlain(`\n${renderLine(`${name}: ${value}`)}`)),
  ];
  return { parts: joinUnmarked(parts), more };
}

/** Renders a line of a head as one line, whatever is in it. */
function renderLine(text: string): string {
  const { shown, more } = splitText(text, shownOfText);
  return `${sanitizeLine(shown)}${more === 0 ? '' : ` … ${more} more characters`}\n`;
}

function makePlain(text: string): WirePart {
  return { text, marked: false };
}

function markBody(body: string, marks: ResponseMarks): readonly WirePart[] {
  const isNamed = marks !== noMarks && body.includes('{');
  const members = isNamed ? findJsonMembers(body).filter(({ path }) => marks.member(path)) : [];
  const parts: WirePart[] = [];
  let copied = 0;
  for (const { from, to } of members) {
    if (from < copied) continue;
    parts.push(makePlain(body.slice(copied, from)), { text: body.slice(from, to), marked: true });
    copied = to;
  }
  return [...parts, makePlain(body.slice(copied))];
}

/** Neighbours without a mark become one part: fewer elements to make. */
function joinUnmarked(parts: readonly WirePart[]): readonly WirePart[] {
  const joined: WirePart[] = [];
  for (const part of parts) {
    const before = joined.at(-1);
    if (part.text === '') continue;
    if (before?.marked === false && !part.marked)
      joined[joined.length - 1] = makePlain(before.text + part.text);
    else joined.push(part);
  }
  return joined;
}

/** A member of an object in a JSON text. */
export interface JsonMember {
  /** The names that lead to it, without the places in arrays: `choices.index`. */
  readonly path: string;
  readonly from: number;
  /** After its value, or after its name where the value is an object or an array. */
  readonly to: number;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

// Longer ones are cut anyway, and the depth of a hostile one must not multiply its length.
const longestIndented = 100_000;
const deepest = 20;

/** Indents JSON without changing a token; returns as it is what is not valid JSON, or too long. */
function indentJson(text: string): string {
  if (text.length > longestIndented || !/^\s*[[{]/.test(text)) return text;
  try {
    JSON.parse(text);
  } catch {
    return text;
  }
  let indented = '';
  let depth = 0;
  let before = '';
  for (const [found] of text.matchAll(token)) {
    const hasOpened = before === '{' || before === '[';
    const closes = found === '}' || found === ']';
    if (closes) depth -= 1;
    // What is empty stays on one line.
    const isNewLine = before === ',' || hasOpened !== closes;
    indented += `${isNewLine ? `\n${'  '.repeat(Math.min(depth, deepest))}` : ''}${found}${found === ':' ? ' ' : ''}`;
    if (found === '{' || found === '[') depth += 1;
    before = found;
  }
  return indented;
}

/** Finds the members of the objects in a text, which may be cut short, invalid, or not JSON at all. */
export function findJsonMembers(text: string): readonly JsonMember[] {
  const members: JsonMember[] = [];
  const containers: { readonly name: string | undefined; readonly array: boolean }[] = [];
  let name: { readonly text: string; readonly from: number; readonly to: number } | undefined;
  let last: { readonly text: string; readonly from: number; readonly to: number } | undefined;
  for (const { 0: found, index: from } of text.matchAll(token)) {
    const here = { text: found, from, to: from + found.length };
    const within = containers.at(-1);
    const pathOf = (own: string): string => [...containers.flatMap((one) => one.name ?? []), own].join('.');
    if (found === ':' && last?.text.startsWith('"') === true && within?.array === false) {
      name = { ...last, text: last.text.slice(1, -1) };
    } else if (found === '{' || found === '[') {
      if (name !== undefined) members.push({ path: pathOf(name.text), from: name.from, to: name.to });
      containers.push({ name: name?.text, array: found === '[' });
      name = undefined;
    } else if (found === '}' || found === ']') {
      containers.pop();
      name = undefined;
    } else if (found !== ',' && found !== ':' && name !== undefined) {
      members.push({ path: pathOf(name.text), from: name.from, to: here.to });
      name = undefined;
    }
    last = here;
  }
  return members;
}
