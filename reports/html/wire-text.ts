import { tryParseJson } from '../../spec/json.js';
import type { Mismatch, ReportedExchange } from '../../spec/report.js';
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
  const { parts, more } = renderBody(body ?? '', []);
  return { parts: [makePlain(head.join('')), ...parts], more };
}

/** Renders a response as text; `mismatch` says which parts to mark. */
export function renderResponse(
  { status, reason_phrase: phrase, headers, trailers = [], body }: NonNullable<ReportedExchange['response']>,
  mismatch?: Mismatch,
): WireText {
  const fields = mismatch?.event === undefined ? mismatch?.fields : ['error.code'];
  const rendered = renderBody(body, fields ?? []);
  const parts = [
    { text: String(status), marked: mismatch?.wrong === 'status' && mismatch.event === undefined },
    makePlain(phrase === undefined ? '\n' : renderLine(` ${phrase}`)),
    ...headers.map(([name, value]) => ({
      text: renderLine(`${name}: ${value}`),
      marked: isWrongHeader(name, mismatch),
    })),
    ...rendered.parts,
    ...trailers.map(([name, value]) => makePlain(`\n${renderLine(`${name}: ${value}`)}`)),
  ];
  return { parts, more: rendered.more };
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

// Longer ones are cut anyway, and the depth of a hostile one must not multiply its length.
const longestIndented = 100_000;
const deepest = 20;

/** Renders a body after an empty line, JSON indented, and marks members; of one that is missing, the object that lacks it. */
function renderBody(body: string, fields: readonly string[]): WireText {
  const isJson = body.length <= longestIndented && /^\s*[[{]/.test(body) && tryParseJson(body) !== undefined;
  const { text, members } = scanJson(isJson ? body : splitText(body, shownOfText).shown, isJson);
  const { shown } = splitText(text, shownOfText);
  // A name with a hyphen is a header's.
  const named = new Set(
    fields.filter((field) => !field.includes('-')).map((field) => findNamed(field, members)),
  );
  const parts = [makePlain(shown === '' ? '' : '\n')];
  let copied = 0;
  for (const { path, from, to } of members) {
    if (!named.has(path) || from < copied) continue;
    parts.push(makePlain(shown.slice(copied, from)), { text: shown.slice(from, to), marked: true });
    copied = to;
  }
  const { length } = isJson ? text : body;
  return { parts: [...parts, makePlain(shown.slice(copied))], more: length - shown.length };
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

interface JsonMember {
  /** The names that lead to it, without the places in arrays: `choices.index`. */
  readonly path: string;
  readonly from: number;
  /** After its value, or after its name where the value is an object or an array. */
  readonly to: number;
}

const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

/**
 * Finds the members of the objects in a text, which may be cut short, invalid, or not JSON at all. Valid JSON can be
 * indented without changing a token; what is empty stays on one line.
 */
function scanJson(json: string, indent: boolean): { readonly text: string; readonly members: JsonMember[] } {
  const members: JsonMember[] = [];
  const containers: { readonly name: string | undefined; readonly isArray: boolean }[] = [];
  let [text, copied] = ['', 0];
  let name: { readonly text: string; readonly from: number; readonly to: number } | undefined;
  let before: typeof name;
  for (const { 0: found, index } of json.matchAll(token)) {
    const closes = found === '}' || found === ']';
    const opens = found === '{' || found === '[';
    if (closes) containers.pop();
    const hasOpened = before?.text === '{' || before?.text === '[';
    if (!indent) text += json.slice(copied, index);
    else if (before?.text === ',' || hasOpened !== closes)
      text += `\n${'  '.repeat(Math.min(containers.length, deepest))}`;
    else if (before?.text === ':') text += ' ';
    const here = { text: found, from: text.length, to: text.length + found.length };
    text += found;
    copied = index + found.length;
    if (found === ':') {
      if (before?.text.startsWith('"') && containers.at(-1)?.isArray === false) name = before;
    } else if (found !== ',') {
      // Only shown members can be marked, and paths of all members of a deeply nested text would take quadratic time.
      if (name !== undefined && !closes && name.from < shownOfText) {
        const names = [...containers.flatMap((one) => one.name ?? []), name.text.slice(1, -1)];
        members.push({ path: names.join('.'), from: name.from, to: opens ? name.to : here.to });
      }
      if (opens) containers.push({ name: name?.text.slice(1, -1), isArray: found === '[' });
      name = undefined;
    }
    before = here;
  }
  return { text: text + (indent ? '' : json.slice(copied)), members };
}
