import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  Parser,
  type YAMLError,
  type YAMLMap,
} from 'yaml';
import { readTextFile, UnreadableFile } from '../spec/read-file.js';
import { roles } from '../spec/vocabulary.js';

/** The members that lead to a value of a file; an index of a list is written as a number's text. */
export type MemberPath = readonly string[];

/** Something that is wrong with a file. Its message never holds a value that may be a secret. */
export interface FileFault {
  readonly place: MemberPath;
  readonly message: string;
  /** Its line, where that is another than the one on which the place first stands. */
  readonly line?: number;
}

/** A YAML text as plain values, and where they stand. */
export interface YamlValue {
  /** Objects, lists, text, numbers, true, false and null; undefined where there is nothing. */
  readonly value: unknown;
  readonly faults: readonly FileFault[];
  /** The line of the member or entry at a place, or of what is nearest above it. */
  lineOf(place: MemberPath): number;
}

// What people write by hand is a few kilobytes: a few dozen values, four deep.
const mostBytes = 1_000_000;
const deepest = 50;
const mostValues = 100_000;
const mostAliases = 100;

/** The text is not YAML, or not one document; only its first fault is known. */
class YamlSyntaxError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

/** Reads the YAML 1.2 document that a file holds. Throws what `refuse` makes of a line that names the file. */
export async function readYamlFile(
  path: string,
  refuse: (lines: readonly string[]) => Error,
): Promise<YamlValue> {
  try {
    return readYaml(await readTextFile(path, mostBytes));
  } catch (error) {
    if (error instanceof UnreadableFile) throw refuse([`${path}: ${error.message}`]);
    if (error instanceof YamlSyntaxError) throw refuse([`${path}:${error.line}: ${error.message}`]);
    throw error;
  }
}

/** Writes faults as lines of text, `plumbline.yaml:12: keys.member: …`, each once, in the order of the file. */
export function faultLines(
  path: string,
  faults: readonly FileFault[],
  { lineOf }: Pick<YamlValue, 'lineOf'>,
): readonly string[] {
  const placed = faults.map(({ place, message, line = lineOf(place) }) => ({
    line,
    text: place.length === 0 ? message : `${placeText(place)}: ${message}`,
  }));
  placed.sort((one, other) => one.line - other.line);
  return [...new Set(placed.map(({ line, text }) => `${path}:${line}: ${text}`))];
}

/** The JSON pointer of a place. */
export function pointerOf(place: MemberPath): string {
  return place.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The place that a JSON pointer leads to. */
export function placeOf(pointer: string): MemberPath {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A place as a user reads it: `policy.excused[0].reason`. */
export function placeText(place: MemberPath): string {
  // What stands where a role is due may well be the key itself.
  const isRole = roles.some((role) => role === place[1]);
  const shown = place[0] === 'keys' && !isRole ? place.slice(0, 1) : place;
  const steps = shown.map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${nameText(step)}`));
  return steps.join('').replace(/^\./, '');
}

/** A member's name as a message may show it: short, and without characters that move a terminal. */
export function nameText(name: string): string {
  if (/^[\w-]{1,40}$/.test(name)) return name;
  const plain = name.replace(/[^\x20-\x7e]/g, '?');
  return JSON.stringify(plain.length > 40 ? `${plain.slice(0, 39)}…` : plain);
}

function readYaml(text: string): YamlValue {
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  refuseDepth(tokens, lines);
  const contents = composeDocument(tokens, text, lines)?.contents;
  const reader = new NodeReader(lines);
  const value = contents == null ? undefined : reader.read(contents, []);
  return {
    value,
    faults: reader.faults,
    lineOf: (place) => {
      const above = place.map((_, index) =>
        reader.lines.get(pointerOf(place.slice(0, place.length - index))),
      );
      return above.find((line) => line !== undefined) ?? 1;
    },
  };
}

/** Composing is recursive, and a text that is nested deeply enough ends the process. */
function refuseDepth(tokens: readonly CST.Token[], lines: LineCounter): void {
  const left = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { token, depth } = next;
    if (depth > deepest)
      throw new YamlSyntaxError(`is nested more than ${deepest} deep`, lineAt(lines, token.offset));
    const items = 'items' in token ? token.items : [];
    const inner = token.type === 'document' ? [token.value] : items.flatMap(({ key, value }) => [key, value]);
    for (const one of inner) if (one != null) left.push({ token: one, depth: depth + 1 });
  }
}

/** Composes the document that a text holds, by rules that nothing in the text can change. */
function composeDocument(tokens: CST.Token[], text: string, lines: LineCounter): Document.Parsed | undefined {
  const composer = new Composer<ParsedNode>({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // NodeReader looks for them: it knows the name, and does not compare each with each.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [document, another] = composer.compose(tokens, true, text.length);
  const faults = [...(document?.errors ?? []), ...(document?.warnings ?? [])];
  const [fault] = faults.sort((one, other) => one.pos[0] - other.pos[0]);
  if (fault !== undefined) throw new YamlSyntaxError(explain(fault), lineAt(lines, fault.pos[0]));
  if (another !== undefined)
    throw new YamlSyntaxError('a second document begins here; keep one', lineAt(lines, another.range[0]));
  return document;
}

/** Makes plain values of nodes, and keeps the lines. */
class NodeReader {
  readonly faults: FileFault[] = [];
  readonly lines = new Map<string, number>();
  readonly #counter: LineCounter;
  readonly #anchors = new Map<string, ParsedNode>();
  /** The nodes that are being read: an alias of one of them would never end. */
  readonly #open = new Set<ParsedNode>();
  #values = 0;
  #aliases = 0;
  /** How many aliases are being followed; the anchors met there are old ones. */
  #following = 0;

  constructor(counter: LineCounter) {
    this.#counter = counter;
  }

  read(node: ParsedNode, place: MemberPath): unknown {
    this.#values++;
    if (this.#values > mostValues) this.#refuse(node, `holds more than ${mostValues} values`);
    if (isAlias(node)) return this.#follow(node, place);
    if (node.anchor !== undefined && this.#following === 0) this.#anchors.set(node.anchor, node);
    this.#open.add(node);
    const value = this.#convert(node, place);
    this.#open.delete(node);
    return value;
  }

  #convert(node: Exclude<ParsedNode, Alias.Parsed>, place: MemberPath): unknown {
    if (isMap(node)) return this.#convertMap(node, place);
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        const entry = [...place, String(index)];
        this.lines.set(pointerOf(entry), this.#lineOf(item));
        return this.read(item, entry);
      });
    }
    if (!isScalar(node)) return undefined;
    const { value } = node;
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    this.faults.push({ place, message: 'must be a finite number' });
    return null;
  }

  #convertMap({ items }: YAMLMap.Parsed, place: MemberPath): unknown {
    const members = new Map<string, unknown>();
    for (const { key, value } of items) {
      // `stringKeys` has refused every key that is not text.
      const name = isScalar(key) ? String(key.value) : '';
      const member = [...place, name];
      const pointer = pointerOf(member);
      const line = this.#lineOf(key);
      if (members.has(name)) {
        const message = `is already given on line ${this.lines.get(pointer)}; keep one`;
        this.faults.push({ place: member, line, message });
        continue;
      }
      this.lines.set(pointer, line);
      members.set(name, value === null ? null : this.read(value, member));
    }
    // Own members all of them, `__proto__` too: nothing reaches a prototype.
    return Object.fromEntries(members);
  }

  #follow(alias: Alias.Parsed, place: MemberPath): unknown {
    const node = this.#anchors.get(alias.source);
    if (node === undefined) return this.#refuse(alias, 'an alias names no anchor above it');
    if (this.#open.has(node)) this.#refuse(alias, 'an alias stands inside what it names');
    this.#aliases++;
    if (this.#aliases > mostAliases)
      this.#refuse(alias, `aliases are followed more than ${mostAliases} times`);
    this.#following++;
    const value = this.read(node, place);
    this.#following--;
    return value;
  }

  #lineOf(node: ParsedNode): number {
    return lineAt(this.#counter, node.range[0]);
  }

  #refuse(node: ParsedNode, message: string): never {
    throw new YamlSyntaxError(message, this.#lineOf(node));
  }
}

function lineAt(lines: LineCounter, offset: number): number {
  return Math.max(1, lines.linePos(offset).line);
}

/** Says what breaks the YAML without the library's own words: those may repeat the text, and with it a key. */
function explain({ code }: YAMLError): string {
  return explanations[code] ?? 'is not YAML from here on; check quotes, brackets and indentation';
}

const explanations: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_DQ_ESCAPE: 'unknown escape in double quotes; write \\\\ for one backslash',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_SCALAR_START: 'a text that begins with a sign such as @, ` or % needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'the indentation does not fit, or a text that holds ": " needs quotes',
  MISSING_CHAR: 'a colon, a comma, a quote or a bracket is missing',
  MULTILINE_IMPLICIT_KEY: 'a member needs its name and a colon on one line',
  NON_STRING_KEY: 'the name of a member must be plain text',
  UNEXPECTED_TOKEN: `something here does not belong; quote texts inside { } and [ ], \${NAME} among them`,
  TAB_AS_INDENT: 'is indented with a tab; use spaces',
  TAG_RESOLVE_FAILED:
    'tags (words that begin with !) are not supported; put text that begins with ! in quotes',
};
