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
import { type Place, pointerOf, type YamlFault } from './place.js';

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
export class YamlError extends Error {
  override readonly name = 'YamlError';

  constructor(
    message: string,
    readonly line: number,
  ) {
    super(message);
  }
}

/** Reads one YAML 1.2 document. Throws YamlError. */
export function readYaml(text: string): YamlValue {
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
