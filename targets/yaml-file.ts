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
} from 'yaml';
import { fileText, UnreadableFile } from '../spec/file-text.js';
import { roles } from '../spec/vocabulary.js';

// What people write by hand is a few kilobytes long.
const mostBytes = 1_000_000;

/** Reads the YAML document that a file holds. What `refuse` makes of a line that names the file is thrown. */
export async function readYamlFile(
  path: string,
  refuse: (lines: readonly string[]) => Error,
): Promise<YamlValue> {
  try {
    return readYaml(await fileText(path, mostBytes));
  } catch (error) {
    if (error instanceof UnreadableFile) throw refuse([`${path}: ${error.message}`]);
    if (error instanceof YamlError) throw refuse([`${path}:${error.line}: ${error.message}`]);
    throw error;
  }
}

/** Faults as lines of text, `plumbline.yaml:12: keys.member: …`, each once, in the order of the file. */
export function faultLines(
  path: string,
  faults: readonly YamlFault[],
  { lineOf }: Pick<YamlValue, 'lineOf'>,
): readonly string[] {
  const placed = faults.map(({ place, message, line = lineOf(place) }) => ({
    line,
    text: place.length === 0 ? message : `${placeText(place)}: ${message}`,
  }));
  placed.sort((one, other) => one.line - other.line);
  return [...new Set(placed.map(({ line, text }) => `${path}:${line}: ${text}`))];
}

// Such a file is a few dozen values, four deep. Far more is a mistake, or made to wear the reader out.
const deepest = 50;
const mostValues = 100_000;
const maxAliasCount = 100;

/** A YAML text as plain values, and where they stand. */
export interface YamlValue {
  /** Objects, lists, text, numbers, true, false and null; undefined where there is nothing. */
  readonly value: unknown;
  readonly faults: readonly YamlFault[];
  /** The line of the member or entry at a place, or of what is nearest above it. */
  lineOf(place: Place): number;
}

/** The text is no YAML, or not one document; told of its first fault. */
class YamlError extends Error {
  override readonly name = 'YamlError';

  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

/** Reads one YAML 1.2 document. Throws YamlError. */
function readYaml(text: string): YamlValue {
  const lines = new LineCounter();
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  for (const token of tokens) refuseDepth(token, lines);
  const document = onlyDocument(tokens, text, lines);
  const reader = new DocumentReader(lines);
  const value = document?.contents == null ? undefined : reader.read(document.contents);
  return {
    value,
    faults: reader.faults,
    lineOf: (place) => {
      for (let length = place.length; length > 0; length--) {
        const line = reader.lines.get(pointerOf(place.slice(0, length)));
        if (line !== undefined) return line;
      }
      return 1;
    },
  };
}

/** The document that a text holds, composed by rules that nothing in the text can change. */
function onlyDocument(tokens: CST.Token[], text: string, lines: LineCounter): Document.Parsed | undefined {
  const composer = new Composer<ParsedNode>({
    version: '1.2',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // Told by DocumentReader, which knows the member's name and does not compare each with each.
    uniqueKeys: false,
    prettyErrors: false,
  });
  const [document, another] = composer.compose(tokens, true, text.length);
  const [fault] = [...(document?.errors ?? []), ...(document?.warnings ?? [])].sort(
    (one, other) => one.pos[0] - other.pos[0],
  );
  if (fault !== undefined) throw new YamlError(sentence(fault), lineAt(lines, fault.pos[0]));
  if (another !== undefined)
    throw new YamlError('a second document begins here; keep one', lineAt(lines, another.range[0]));
  return document;
}

/** Composing is recursive, and a text that is nested deeply enough ends the process. */
function refuseDepth(root: CST.Token, lines: LineCounter): void {
  const left: { readonly token: CST.Token; readonly depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { token, depth } = next;
    if (depth > deepest)
      throw new YamlError(`is nested more than ${deepest} deep`, lineAt(lines, token.offset));
    for (const inner of innerTokens(token)) left.push({ token: inner, depth: depth + 1 });
  }
}

function innerTokens(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((inner) => inner != null));
}

/** Makes plain values of nodes, and keeps the lines. */
class DocumentReader {
  readonly faults: YamlFault[] = [];
  readonly lines = new Map<string, number>();
  readonly #counter: LineCounter;
  readonly #anchors = new Map<string, ParsedNode>();
  /** The anchored nodes that are being read: an alias of one of them would never end. */
  readonly #open = new Set<ParsedNode>();
  #values = 0;
  #aliases = 0;
  /** How many aliases are being followed; the anchors met there are old ones. */
  #expanding = 0;

  constructor(counter: LineCounter) {
    this.#counter = counter;
  }

  read(node: ParsedNode, place: Place = []): unknown {
    this.#values++;
    if (this.#values > mostValues) throw this.#refusal(node, `holds more than ${mostValues} values`);
    if (isAlias(node)) return this.#aliased(node, place);
    if (node.anchor !== undefined && this.#expanding === 0) this.#anchors.set(node.anchor, node);
    this.#open.add(node);
    const value = this.#plain(node, place);
    this.#open.delete(node);
    return value;
  }

  #plain(node: Exclude<ParsedNode, Alias.Parsed>, place: Place): unknown {
    if (isScalar(node)) return this.#scalar(node.value, place);
    if (isSeq(node)) return node.items.map((item, index) => this.#entry(item, [...place, String(index)]));
    return this.#mapping(node, place);
  }

  #scalar(value: unknown, place: Place): unknown {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    this.faults.push({ place, message: 'is a number that JSON does not have' });
    return null;
  }

  #entry(item: unknown, place: Place): unknown {
    const node = item as ParsedNode;
    this.lines.set(pointerOf(place), this.#lineOf(node));
    return this.read(node, place);
  }

  #mapping(node: ParsedNode, place: Place): unknown {
    const members = new Map<string, unknown>();
    if (!isMap(node)) return undefined;
    for (const { key, value } of node.items) {
      // `stringKeys` has refused every key that is not text.
      const name = isScalar(key) ? String(key.value) : '';
      const member = [...place, name];
      if (members.has(name)) {
        this.faults.push(this.#givenTwice(member, this.#lineOf(key as ParsedNode)));
        continue;
      }
      this.lines.set(pointerOf(member), this.#lineOf(key as ParsedNode));
      members.set(name, value === null ? null : this.read(value as ParsedNode, member));
    }
    // Own members all of them, `__proto__` too: nothing reaches a prototype.
    return Object.fromEntries(members);
  }

  #givenTwice(place: Place, line: number): YamlFault {
    return { place, line, message: `is given on line ${this.lines.get(pointerOf(place))} already; keep one` };
  }

  #aliased(alias: Alias.Parsed, place: Place): unknown {
    const node = this.#anchors.get(alias.source);
    if (node === undefined) throw this.#refusal(alias, 'an alias names no anchor above it');
    if (this.#open.has(node)) throw this.#refusal(alias, 'an alias stands inside what it names');
    this.#aliases++;
    if (this.#aliases > maxAliasCount)
      throw this.#refusal(alias, `aliases are followed more than ${maxAliasCount} times`);
    this.#expanding++;
    const value = this.read(node, place);
    this.#expanding--;
    return value;
  }

  #lineOf(node: ParsedNode): number {
    return lineAt(this.#counter, node.range[0]);
  }

  #refusal(node: ParsedNode, message: string): YamlError {
    return new YamlError(message, this.#lineOf(node));
  }
}

function lineAt(lines: LineCounter, offset: number): number {
  return Math.max(1, lines.linePos(offset).line);
}

/** What breaks the YAML, without the library's own words: those may repeat the text, and with it a key. */
function sentence({ code }: YAMLError): string {
  return sentences[code] ?? 'is no YAML from here on; check quotes, brackets and indentation';
}

const sentences: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  BAD_DQ_ESCAPE: 'an escape in double quotes is not known; write \\\\ for one backslash',
  BAD_INDENT: 'the indentation does not fit, or a bracket is not closed',
  BAD_SCALAR_START: 'a text that begins with a sign such as @, ` or % needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'the indentation does not fit, or a text that holds ": " needs quotes',
  MISSING_CHAR: 'a colon, a comma, a quote or a bracket is missing',
  MULTILINE_IMPLICIT_KEY: 'a member needs its name and a colon on one line',
  NON_STRING_KEY: 'the name of a member is not plain text',
  UNEXPECTED_TOKEN: `something here does not belong; quote texts inside { } and [ ], \${NAME} among them`,
  TAB_AS_INDENT: 'is indented with a tab; use blanks',
  TAG_RESOLVE_FAILED:
    'tags (words that begin with !) are not understood here; put text that begins with ! in quotes',
};

/** The members that lead to a value of a file; an index of a list is written as a number's text. */
export type Place = readonly string[];

/** Something that is wrong with a file. Its message never holds a value that may be a secret. */
export interface YamlFault {
  readonly place: Place;
  readonly message: string;
  /** Its line, where that is another than the one on which the place first stands. */
  readonly line?: number;
}

/** The JSON pointer of a place. */
export function pointerOf(place: Place): string {
  return place.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The place that a JSON pointer leads to. */
export function placeOf(pointer: string): Place {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A place as a user reads it: `policy.excused[0].reason`. */
export function placeText(place: Place): string {
  // What stands where a role is due may well be the key itself.
  const shown = place[0] === 'keys' && !isRole(place[1]) ? place.slice(0, 1) : place;
  return shown.map(stepText).join('').replace(/^\./, '');
}

/** A member's name as a message may show it: short, and without characters that move a terminal. */
export function nameText(name: string): string {
  if (/^[\w-]{1,40}$/.test(name)) return name;
  const plain = name.replace(/[^\x20-\x7e]/g, '?');
  return JSON.stringify(plain.length > 40 ? `${plain.slice(0, 39)}…` : plain);
}

function stepText(step: string): string {
  return /^\d+$/.test(step) ? `[${step}]` : `.${nameText(step)}`;
}

function isRole(word: string | undefined): boolean {
  return roles.some((role) => role === word);
}
