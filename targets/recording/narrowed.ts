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
  const schema = new URL(`../../spec/${name}.schema.json`, import.meta.url);
  // A test checks the schemas themselves.
  return new Ajv2020({ validateSchema: false, strict: false }).compile(
    JSON.parse(readFileSync(schema, 'utf8')) as object,
  );
}
