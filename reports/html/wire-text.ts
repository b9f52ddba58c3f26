import type { Mismatch } from '../../spec/mismatch.js';
import type { ReportedExchange } from '../../spec/report.js';
import { sanitizeLine, splitText } from '../sanitize.js';

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

/** Renders a response as text; `mismatch` says which parts to mark. */
export function renderResponse(
  { status, reason_phrase: phrase, headers, trailers = [], body }: NonNullable<ReportedExchange['response']>,
  mismatch?: Mismatch,
): WireText {
  const { shown, more } = splitText(indentJson(body), shownOfText);
  const parts = [
    { text: String(status), marked: mismatch?.wrong === 'status' && mismatch.event === undefined },
    makePlain(phrase === undefined ? '\n' : renderLine(` ${phrase}`)),
    ...headers.map(([name, value]) => ({
      text: renderLine(`${name}: ${value}`),
      marked: isWrongHeader(name, mismatch),
    })),
    makePlain(shown === '' ? '' : '\n'),
    ...markBody(shown, mismatch?.event === undefined ? (mismatch?.fields ?? []) : ['error.code']),
    ...trailers.map(([name, value]) => makePlain(`\n${renderLine(`${name}: ${value}`)}`)),
  ];
  return { parts, more };
}

function isWrongHeader(name: string, { wrong, fields = [] }: Partial<Mismatch> = {}): boolean {
  const lower = name.toLowerCase();
  return (
    (wrong === 'form' && lower === 'content-type') ||
    fields.some((field) => new RegExp(`^${field.replace('*', '.*')}$`, 'i').test(lower))
  );
}

/** Renders a line of a head as one line, whatever is in it. */
function renderLine(text: string): string {
  const { shown, more } = splitText(text, shownOfText);
  return `${sanitizeLine(shown)}${more === 0 ? '' : ` … ${more} more characters`}\n`;
}

function makePlain(text: string): WirePart {
  return { text, marked: false };
}

/** Marks members; of one that is missing, the object that lacks it. */
function markBody(body: string, fields: readonly string[]): readonly WirePart[] {
  const members = fields.length > 0 && body.includes('{') ? findJsonMembers(body) : [];
  // A name with a hyphen is a header's.
  const named = new Set(
    fields.filter((field) => !field.includes('-')).map((field) => findNamed(field, members)),
  );
  const parts: WirePart[] = [];
  let copied = 0;
  for (const { path, from, to } of members) {
    if (!named.has(path) || from < copied) continue;
    parts.push(makePlain(body.slice(copied, from)), { text: body.slice(from, to), marked: true });
    copied = to;
  }
  return [...parts, makePlain(body.slice(copied))];
}

/** Finds the path of a field, or of what it is missing in; members of `data` are named without it. */
function findNamed(field: string, members: readonly JsonMember[]): string | undefined {
  const steps = field.split('.').filter((step) => !/^\d+$/.test(step));
  const paths = new Set(members.map(({ path }) => path));
  const isOfData = !paths.has(steps[0] ?? '') && paths.has('data');
  for (const named = isOfData ? ['data', ...steps] : steps; named.length > 0; named.pop())
    if (paths.has(named.join('.'))) return named.join('.');
  return undefined;
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
  type Found = { readonly text: string; readonly from: number; readonly to: number };
  let name: Found | undefined;
  let last: Found | undefined;
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
