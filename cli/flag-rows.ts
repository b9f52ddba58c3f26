import { Argument, type Command, Option } from 'commander';
import { parseText } from './flag-values.js';

/** A flag or an argument. A flag without a value is off unless it is given. */
export type Row = readonly [
  /** As commander reads it: `-s, --seed <n>`. */
  typed: string,
  /** What the help says. */
  meaning: string,
  /** The parser of the value, or the values to choose from; without it, any text but the empty one is accepted. */
  read?: ((given: string, before: never) => unknown) | readonly string[] | undefined,
  more?: {
    /** The default. */
    readonly value?: unknown;
    /** The default as the help says it. */
    readonly words?: string;
    /** The value of a flag that is given without one. */
    readonly preset?: string;
    readonly isRequired?: true;
  },
];

/** The options that commander parses from these flags, by their names in camel case. */
export type FlagsOf<Rows extends readonly Row[]> = {
  readonly [R in Rows[number] as IsGiven<R> extends true ? NameOf<R[0]> : never]: ValueOf<R>;
} & {
  readonly [R in Rows[number] as IsGiven<R> extends true ? never : NameOf<R[0]>]?: ValueOf<R> | undefined;
};

type WithValue = `${string}<${string}` | `${string}[${string}`;

/** Whether a flag has a value even if it is not typed. */
type IsGiven<R extends Row> = R[0] extends WithValue
  ? R[3] extends { readonly value: unknown } | { readonly isRequired: true }
    ? true
    : false
  : true;

type ValueOf<R extends Row> = R[0] extends WithValue
  ? R[2] extends (given: string, before: never) => infer Value
    ? Value
    : R[2] extends readonly (infer Choice)[]
      ? Choice
      : string
  : boolean;

type NameOf<Typed extends string> = Typed extends `${string}--${infer Long}`
  ? Long extends `no-${infer Name}`
    ? Name
    : Long extends `${infer Name} ${string}`
      ? CamelCase<Name>
      : CamelCase<Long>
  : never;

type CamelCase<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

/** Adds arguments to a command. */
export function addArguments(command: Command, rows: readonly Row[]): void {
  for (const row of rows) command.addArgument(complete(new Argument(row[0], row[1]), row));
}

/** Adds flags to a command, in the order of its help. */
export function addFlags(command: Command, rows: readonly Row[]): void {
  for (const row of rows) {
    const [typed, meaning, , { preset, isRequired = false } = {}] = row;
    const option = complete(new Option(typed, meaning), row).makeOptionMandatory(isRequired);
    if (preset !== undefined) option.preset(preset);
    if (option.isBoolean() && !option.negate) option.default(false);
    command.addOption(option);
  }
}

/** Adds parser and default. An empty value is refused first, since the message of a parser would be less helpful. */
function complete<Taken extends Option | Argument>(taken: Taken, [typed, , read, more = {}]: Row): Taken {
  if (Array.isArray(read)) taken.choices(read);
  else if (read !== undefined) taken.argParser(read as (given: string, before: unknown) => unknown);
  const { parseArg = (given: string) => given } = taken;
  if (/[<[]/.test(typed)) taken.argParser((given, before) => parseArg(parseText(given), before));
  if ('value' in more) taken.default(more.value, more.words);
  return taken;
}
