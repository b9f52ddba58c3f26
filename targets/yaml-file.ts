import {
  type CST,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  Parser,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import { readTextFile } from '../spec/read-file.js';
import { UsageError } from '../spec/thrown.js';
import { roles } from '../spec/vocabulary.js';

/** The members that lead to a value of a file; list indexes are written as text. */
export type MemberPath = readonly string[];

/** A fault of a file. The message never contains a value that may be a secret. */
export interface FileFault {
  readonly place: MemberPath;
  readonly message: string;
}

/** The value of a YAML text, and the lines of its parts. */
export interface YamlValue {
  /** Objects, lists, text, numbers, true, false and null, which also stands for an empty file. */
  readonly value: unknown;
  /** Returns the line of a place, or of the nearest one above it. */
  lineOf(place: MemberPath): number;
}

// Files written by hand have a few kilobytes: a few dozen values, four deep.
const mostBytes = 1_000_000;
const deepest = 50;
const mostAliases = 100;
const tooManyAliases = `aliases are followed more than ${mostAliases} times`;

/** A user's file or flags are invalid. No line contains a secret. */
export class InvalidInput extends UsageError {
  override readonly name = 'InvalidInput';

  /** @param lines a line for each fault: `plumbline.yaml:12: keys.member: …` */
  constructor(readonly lines: readonly string[]) {
    super(lines.join('\n'));
  }
}

/** Reads the YAML 1.2 document that a file holds. Throws InvalidInput, for a syntax error with the first one alone. */
export async function readYamlFile(path: string): Promise<YamlValue> {
  const text = await readTextFile(path, mostBytes, (why) => new InvalidInput([`${path}: ${why}`]));
  return readYaml(text, path);
}

/** Writes faults as lines, `plumbline.yaml:12: keys.member: …`, without duplicates and in the order of the file. */
export function renderFaults(
  path: string,
  faults: readonly FileFault[],
  { lineOf }: Pick<YamlValue, 'lineOf'>,
): readonly string[] {
  const placed = faults.map(({ place, message }) => ({
    line: lineOf(place),
    text: place.length === 0 ? message : `${renderPlace(place)}: ${message}`,
  }));
  placed.sort((one, other) => one.line - other.line);
  return [...new Set(placed.map(({ line, text }) => `${path}:${line}: ${text}`))];
}

/** Writes a place for users: `policy.excused[0].reason`. */
export function renderPlace(place: MemberPath): string {
  // An unknown role may well be a misplaced key.
  const isRole = roles.some((role) => role === place[1]);
  const shown = place[0] === 'keys' && !isRole ? place.slice(0, 1) : place;
  const steps = shown.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${renderName(step)}`));
  return steps.join('').replace(/^\./, '');
}

/** Shortens a member's name for a message, without characters that act on a terminal. */
export function renderName(name: string): string {
  if (/^[\w-]{1,40}$/.test(name)) return name;
  const plain = name.replace(/[^\x20-\x7e]/g, '?');
  return JSON.stringify(plain.length > 40 ? `${plain.slice(0, 39)}…` : plain);
}

type Refuse = (message: string, offset?: number) => never;
type LineAt = (offset?: number) => number;

function readYaml(text: string, path: string): YamlValue {
  const lines = new LineCounter();
  const lineAt: LineAt = (offset = 0) => Math.max(1, lines.linePos(offset).line);
  const refuse: Refuse = (message, offset) => {
    throw new InvalidInput([`${path}:${lineAt(offset)}: ${message}`]);
  };
  refuseDepth([...new Parser(lines.addNewLine).parse(text)], refuse);
  // Nothing in the text can change these rules.
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // `refuseDuplicatesAndOpenAliases` finds them in linear time.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const faults = [...document.errors, ...document.warnings];
  const [fault] = faults.sort((one, other) => one.pos[0] - other.pos[0]);
  if (fault !== undefined) refuse(explanations[fault.code] ?? otherFault, fault.pos[0]);
  refuseDuplicatesAndOpenAliases(document, refuse, lineAt);
  return { value: toPlainValue(document, refuse), lineOf: (place) => findLine(document, place, lineAt) };
}

/** Converts a document. `__proto__` becomes an own member too, so that nothing reaches a prototype. */
function toPlainValue(document: Document.Parsed, refuse: Refuse): unknown {
  try {
    return document.toJS({ maxAliasCount: mostAliases });
  } catch (error) {
    throw error instanceof ReferenceError ? refuse(tooManyAliases) : error;
  }
}

/** Composing is recursive: a deeply nested text would overflow the stack. */
function refuseDepth(tokens: readonly CST.Token[], refuse: Refuse): void {
  const left = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { token, depth } = next;
    if (depth > deepest) refuse(`is nested more than ${deepest} deep`, token.offset);
    const items = 'items' in token ? token.items : [];
    const inner = token.type === 'document' ? [token.value] : items.flatMap(({ key, value }) => [key, value]);
    for (const one of inner) if (one != null) left.push({ token: one, depth: depth + 1 });
  }
}

/** Refuses duplicate members, unresolved aliases, and aliases inside their own anchor, which would never end. */
function refuseDuplicatesAndOpenAliases(document: Document.Parsed, refuse: Refuse, lineAt: LineAt): void {
  let aliases = 0;
  visit(document, {
    Map: (_, { items }) => {
      const known = new Map<unknown, number | undefined>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        const offset = key.range?.[0];
        if (known.has(key.value))
          refuse(`duplicate field, already given on line ${lineAt(known.get(key.value))}; keep one`, offset);
        known.set(key.value, offset);
      }
    },
    Alias: (_, alias, path) => {
      const offset = alias.range?.[0];
      aliases += 1;
      if (aliases > mostAliases) refuse(tooManyAliases, offset);
      const node = alias.resolve(document);
      if (node === undefined || path.includes(node))
        refuse('an alias must refer to an anchor above it', offset);
    },
  });
}

function findLine(document: Document.Parsed, place: MemberPath, lineAt: LineAt): number {
  let line = 1;
  let node: unknown = document.contents;
  for (const step of place) {
    const holder = isAlias(node) ? node.resolve(document) : node;
    const pair = isMap(holder)
      ? holder.items.find(({ key }) => isScalar(key) && key.value === step)
      : undefined;
    const named: unknown = isSeq(holder) ? holder.items[Number(step)] : pair?.key;
    if (!isNode(named)) return line;
    line = lineAt(named.range?.[0]);
    node = pair ? pair.value : named;
  }
  return line;
}

const otherFault = 'is not YAML from here on; check quotes, brackets and indentation';

/** Syntax errors in our words: the library's may repeat the text, and with it a key. */
const explanations: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_DQ_ESCAPE: 'unknown escape in double quotes; write \\\\ for one backslash',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_SCALAR_START: 'a text that begins with a character such as @, ` or % needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'the indentation does not fit, or a text that holds ": " needs quotes',
  MISSING_CHAR: 'a colon, a comma, a quote or a bracket is missing',
  MULTIPLE_DOCS: 'a second document begins here; keep one',
  MULTILINE_IMPLICIT_KEY: 'the name of a field and its colon must be on one line',
  NON_STRING_KEY: 'the name of a field must be plain text',
  UNEXPECTED_TOKEN: `something here does not belong; quote texts inside { } and [ ], \${NAME} among them`,
  TAB_AS_INDENT: 'is indented with a tab; use spaces',
  TAG_RESOLVE_FAILED:
    'tags (words that begin with !) are not supported; put text that begins with ! in quotes',
};
