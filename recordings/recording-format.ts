import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

/** What is read of an element of `log.entries`, as har-entry.schema.json describes it. */
export interface HarEntry {
  readonly startedDateTime?: unknown;
  readonly time?: unknown;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers?: readonly HarHeader[];
    readonly postData?: { readonly text?: string | null } | null;
  };
  readonly response?: {
    readonly status: number;
    readonly headers?: readonly HarHeader[];
    readonly content?: {
      readonly size?: number | null;
      readonly mimeType?: string | null;
      readonly text?: string | null;
      readonly encoding?: string | null;
    } | null;
  } | null;
  /** Members that browsers add, under names that begin with an underscore. */
  readonly [member: `_${string}`]: unknown;
}

/** A header field of a HAR. */
export interface HarHeader {
  readonly name: string;
  readonly value: string;
}

/** A line of recorded traffic, as observed.schema.json describes it. */
export interface ObservedLine {
  readonly at?: string | null;
  readonly duration_ms?: number | null;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers?: ObservedHeaders;
    readonly body?: string | null;
  };
  readonly response?: {
    readonly status: number;
    readonly headers?: ObservedHeaders;
    readonly body?: string | null;
    readonly body_base64?: string | null;
    readonly truncated?: boolean;
  } | null;
  readonly lost?: string | null;
}

/** Header fields of a line: pairs, or an object. */
export type ObservedHeaders =
  | readonly (readonly [string, string])[]
  | Readonly<Record<string, string | readonly string[]>>;

/** A value that is what its schema says, or why it is not. */
export type Narrowed<T> = { readonly value: T } | { readonly fault: string };

/** Narrows an element of `log.entries`. */
export function harEntry(value: unknown): Narrowed<HarEntry> {
  return narrowed<HarEntry>('har-entry', value);
}

/** Narrows a line of recorded traffic. */
export function observedLine(value: unknown): Narrowed<ObservedLine> {
  return narrowed<ObservedLine>('observed', value);
}

const compiled = new Map<string, ValidateFunction>();

function narrowed<T>(name: 'har-entry' | 'observed', value: unknown): Narrowed<T> {
  const validate = compiled.get(name) ?? compile(name);
  compiled.set(name, validate);
  if (validate(value)) return { value: value as T };
  const [first] = validate.errors ?? [];
  return { fault: `${first?.instancePath || 'it'} ${first?.message ?? 'breaks its schema'}` };
}

function compile(name: string): ValidateFunction {
  const schema = new URL(`../spec/${name}.schema.json`, import.meta.url);
  // A test checks the schemas themselves.
  return new Ajv2020({ validateSchema: false, strict: false }).compile(
    JSON.parse(readFileSync(schema, 'utf8')) as object,
  );
}

/** A part of a recording that holds one exchange. */
export interface Piece {
  /** Its place among the exchanges of the file, from 0. */
  readonly index: number;
  /** Its first byte in the file, unpacked where it was packed. */
  readonly offset: number;
  /** The line it stands on, from 1, where a line is an exchange. */
  readonly line?: number;
  /** Undefined where it is too long to be read. */
  readonly text: string | undefined;
}

/** Where a recording cannot be read on. */
export interface Break {
  readonly offset: number;
  readonly why: string;
}

/** Cuts a recording into exchanges as its bytes arrive. */
export interface Splitter {
  /** Takes the next bytes and gives every exchange that they complete. */
  push(chunk: Buffer): Iterable<Piece>;
  /** What the end of the file completes. */
  rest(): Iterable<Piece>;
  /** Where the file broke; undefined where it came to its end. */
  end(): Break | undefined;
}

/** The bytes of one piece while they arrive, no more of them than a piece may have. */
export class PieceBytes {
  readonly #longest: number;
  #parts: Buffer[] = [];
  #length = 0;
  #offset = 0;
  /** Where the piece begins in the chunk at hand; -1 where none is open. */
  #start = -1;

  /** @param longest bytes that a piece may have */
  constructor(longest: number) {
    this.#longest = longest;
  }

  /** Whether a piece has begun and not ended. */
  get isOpen(): boolean {
    return this.#start >= 0;
  }

  /** A piece begins at a place of the chunk at hand. */
  begin(at: number, offset: number): void {
    this.#start = at;
    this.#offset = offset;
    this.#length = 0;
  }

  /** The chunk at hand is over: what it holds of an open piece is kept. */
  keep(chunk: Buffer): void {
    if (!this.isOpen) return;
    this.#add(chunk.subarray(this.#start));
    this.#start = 0;
  }

  /** The open piece ends before a place of the chunk at hand. */
  end(chunk: Buffer, at: number): { readonly offset: number; readonly text: string | undefined } {
    this.#add(chunk.subarray(this.#start, at));
    const [only = Buffer.alloc(0), ...more] = this.#parts;
    const bytes = more.length === 0 ? only : Buffer.concat(this.#parts);
    const text = this.#length > this.#longest ? undefined : bytes.toString('utf8');
    this.#parts = [];
    this.#start = -1;
    return { offset: this.#offset, text };
  }

  #add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length > this.#longest) this.#parts = [];
    else this.#parts.push(part);
  }
}
