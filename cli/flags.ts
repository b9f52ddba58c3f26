import { existsSync, statSync } from 'node:fs';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { readCasePath, readShard, wholeRun, writeShard } from '../judge/plan.js';
import { type Format, formats } from '../reports/formats.js';
import { type Stopper, stoppers } from '../spec/comparison.js';
import { UsageError } from '../spec/thrown.js';
import { compareVersions, firstRelease, isVersion, toolVersion } from '../spec/version.js';
import { parseGuardrail, parseHeader, parseIntern, parseKey } from '../targets/profile/given-values.js';

// The parsers of flag values. Commander prints what they throw after "error: option '--cases <n>' argument 'x' is invalid.".

/** The shells that `plumbline completion` knows. */
export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** Parses a text that must not be empty. */
function parseText(given: string): string {
  if (given.trim() === '')
    throw new InvalidArgumentError(
      'It is empty, probably because a variable is not set. Set the variable, or leave this out.',
    );
  return given;
}

/** Parses the path of a file, which must exist. */
function parseFile(given: string): string {
  if (existsSync(given) && statSync(given).isFile()) return given;
  throw new InvalidArgumentError('It must be a file that exists.');
}

/** Parses one value of a flag that can be repeated. */
export function parseRepeated(given: string, before: readonly string[] = []): readonly string[] {
  return [...before, given];
}

/** Parses one value of --fail-on, which can be repeated. */
export function parseStopper(given: string, before: readonly Stopper[]): readonly Stopper[] {
  const stopper = stoppers.find((one) => one === given);
  if (stopper === undefined) throw new InvalidArgumentError(`It must be one of ${stoppers.join(', ')}.`);
  return [...before, stopper];
}

/** Makes a parser of what a function reads; it returns undefined for anything else. */
function makeParser<Value>(read: (given: string) => Value | undefined, form: string) {
  return (given: string): Value => {
    const value = read(given);
    if (value === undefined) throw new InvalidArgumentError(`It must be ${form}.`);
    return value;
  };
}

function makeNumberParser(least: number, most: number) {
  return makeParser((given) => {
    const value = Number(given);
    return /^\d+$/.test(given) && value >= least && value <= most ? value : undefined;
  }, `a whole number from ${least} to ${most}`);
}

export const parseCount = makeNumberParser(1, Number.MAX_SAFE_INTEGER);
/** Each request in flight is a connection, and a machine has some tens of thousands of them. */
export const parseConcurrency = makeNumberParser(1, 10_000);
/** Each seed takes a proof minutes. */
export const parseSeedCount = makeNumberParser(1, 10_000);
export const parseSeed = makeNumberParser(0, 2 ** 31 - 1);
/** 0 stands for a free port. */
export const parsePort = makeNumberParser(0, 65_535);

/** Parses a number of requests per second; `auto` adapts to the target. */
export const parseRate = makeParser(
  (given) => (given === 'auto' ? given : readPositive(given)),
  'a number of requests per second above 0, or auto',
);

// Node's timers count milliseconds in 31 bits.
const longestSeconds = 2_147_483;

/** Parses a time in seconds and returns milliseconds. */
export const parseSeconds = makeParser((given) => {
  const value = readPositive(given);
  return value === undefined || value > longestSeconds ? undefined : value * 1000;
}, `a number of seconds above 0, at most ${longestSeconds}`);

function readPositive(given: string): number | undefined {
  return /^\d+(?:\.\d+)?$/.test(given) && Number(given) > 0 ? Number(given) : undefined;
}

export const parseCasePath = makeParser(readCasePath, 'a path from a report, such as valid-names:0:17:3');
export const parseShard = makeParser(readShard, 'a shard and the number of shards, such as 2/3');
export const parseRoutePath = makeParser(
  (given) => (/^\/[^?#\s]+$/.test(given) ? given : undefined),
  'a path below the base URL, such as /chat/completions',
);

/** Checks an http or https URL without a fragment. Throws UsageError if it contains credentials. */
export function parseUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new InvalidArgumentError('It must be a URL that begins with http:// or https://.');
  // Commander's message for an invalid argument repeats it, and this one may be a secret.
  if (url.username !== '' || url.password !== '')
    throw new UsageError(
      'a URL on the command line contains a user name or password. Remove them; keys belong in a profile.',
    );
  if (url.hash !== '') throw new InvalidArgumentError('It must not have a fragment (#).');
  return given;
}

/** Parses names of report formats, separated by commas. */
export const parseFormats = makeParser(
  (given): readonly Format[] | undefined => {
    const names = given.split(',').map((name) => name.trim());
    const known = names.flatMap((name) => formats.find((format) => format === name) ?? []);
    return known.length === names.length ? known : undefined;
  },
  `one or more of ${formats.join(', ')}, separated by commas`,
);

/** Parses the release whose requirements the gate holds to. */
export function parseLedgerRelease(given: string): string {
  if (!isVersion(given))
    throw new InvalidArgumentError(`It must be a version of three numbers, such as ${firstRelease}.`);
  if (compareVersions(given, firstRelease) < 0)
    throw new InvalidArgumentError(`The first release with a ledger is ${firstRelease}.`);
  if (compareVersions(given, toolVersion) > 0)
    throw new InvalidArgumentError(`This is plumbline ${toolVersion}; it does not know later ledgers.`);
  return given;
}

// ── Flags and arguments ──

/**
 * A flag or an argument: how it is typed, what the help says, and, for one with a value, what reads that (a text that is not
 * empty if absent) or the values to choose from. A flag without a value is off unless it is given.
 */
export type Row = readonly [
  typed: string,
  meaning: string,
  read?: ((given: string, before: never) => unknown) | readonly string[] | undefined,
  more?: {
    readonly value?: unknown;
    /** The default as the help says it. */
    readonly words?: string;
    /** The value of a flag that is given without one. */
    readonly preset?: string;
    readonly isRequired?: true;
  },
];

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

/** Adds what reads the value, and the default. An empty value is refused before its parser does so with a less helpful message. */
function complete<Taken extends Option | Argument>(taken: Taken, [typed, , read, more = {}]: Row): Taken {
  if (Array.isArray(read)) taken.choices(read);
  else if (read !== undefined) taken.argParser(read as (given: string, before: unknown) => unknown);
  const { parseArg = (given: string) => given } = taken;
  if (/[<[]/.test(typed)) taken.argParser((given, before) => parseArg(parseText(given), before));
  if ('value' in more) taken.default(more.value, more.words);
  return taken;
}

export const urlArgument: Row = ['[url]', 'same as --target', parseUrl];

export const colorFlag: Row = ['--no-color', 'print without colors'];
/** Given in seconds and kept in milliseconds. */
export const timeoutFlag: Row = [
  '--timeout <s>',
  'seconds to wait for one response',
  parseSeconds,
  { value: 10_000, words: '10' },
];
export const depthFlag: Row = [
  '--depth <depth>',
  'how much to send',
  ['quick', 'standard', 'deep'],
  { value: 'standard' },
];

export function makeRepeatable(typed: string, meaning: string, none: string): Row {
  return [typed, `${meaning}; repeatable`, parseRepeated, { value: [], words: none }];
}

export function makeControlToken(meaning = 'token for the control protocol'): Row {
  return [
    '--control-token <token>',
    `${meaning} (default: the environment variable PLUMBLINE_CONTROL_TOKEN)`,
  ];
}

/** Which certificates to trust. */
export const tlsFlags: readonly Row[] = [
  ['--cacert <file>', 'trust these certificate authorities (PEM) instead of those of this machine'],
  ['--insecure', 'accept any certificate; the report says so'],
];

/** What describes a target; each overrides the profile. */
export const descriptionFlags: readonly Row[] = [
  ['--key <role=value>', 'a key by its role; repeatable; also PLUMBLINE_KEY_<ROLE>', parseKey],
  ['--intern <name=uuid>', 'an intern: own, sibling or foreign; repeatable', parseIntern],
  ['--guardrail <uuid>', 'a guardrail that the management key may read', parseGuardrail],
  ["--header <'name: value'>", 'a header for every request to the target; repeatable', parseHeader],
];

/** What to send, how fast, and what is permitted. */
export const sendingFlags: readonly Row[] = [
  ['--profile <file>', 'profile of the target (default: plumbline.yaml in the working directory)'],
  depthFlag,
  ['--cases <n>', 'generated cases per property (default: by depth)', parseCount],
  ['--seed <n>', 'seed of every generated case (default: random)', parseSeed],
  [
    '--shard <i/n>',
    'run shard i of n, such as 2/3, with its share of the rate and limits',
    parseShard,
    { value: wholeRun, words: writeShard(wholeRun) },
  ],
  ['--run-id <id>', 'ID shared by all shards of a run; determines the seed unless --seed is given'],
  ['--concurrency <n>', 'requests in flight (default: 16)', parseConcurrency],
  ['--rate <n|auto>', 'maximum requests per second; auto adapts to limits (default: auto)', parseRate],
  [
    '--max-requests <n>',
    'maximum requests in total (default: 500 at depth quick, otherwise unlimited)',
    parseCount,
  ],
  ['--max-time <s>', 'maximum seconds to run; the rest is inconclusive (default: 240)', parseSeconds],
  ['--allow-destructive', 'store and delete secrets on a target that is not on loopback'],
  ['--inference', 'send inference requests, which cost money, to a target that is not on loopback'],
];

/** Which requirements to judge. */
export const selectionFlags: readonly Row[] = [
  makeRepeatable('--only <glob>', 'requirement IDs to include', 'all'),
  makeRepeatable('--skip <glob>', 'requirement IDs to leave out', 'none'),
];

/** What is known of traffic that others send. */
export const trafficFlags: readonly Row[] = [
  ['--inference-path <path>', 'path of inference requests below the base URL', parseRoutePath],
  ['--canary-file <file>', 'secret values that no response may contain, one per line'],
];

/** Of `run`: recorded traffic. */
export const observedFlags: readonly Row[] = [
  makeRepeatable('--observed <file>', 'recorded traffic to use as evidence', 'none'),
  [
    '--observed-target <url>',
    'base URL of the recorded exchanges that count (default: the only recorded one ending in /v1)',
    parseUrl,
  ],
  ['--canary-file <file>', 'secret values that no recorded response may contain, one per line'],
];

/** Of `run`: what the gate lets pass. */
export const gateFlags: readonly Row[] = [
  ['--waivers <file>', 'known violations to allow, each until an expiry date'],
  ['--propose-waivers <file>', 'write a waivers file to fill in, for violations that decide'],
  ['--allow-incomplete', 'exit with 0 instead of 4 if nothing failed but a must stayed unproven'],
  ['--propose-policy <file>', 'write a policy to fill in that excuses what this target cannot show'],
  [
    '--ledger <version>',
    'release whose requirements decide; violations of newer ones only warn (default: this release)',
    parseLedgerRelease,
  ],
];

/** Where to record a run. */
export const historyFlags: readonly Row[] = [
  ['--history <file>', 'append a line for this run to this file; see trend'],
  ['--label <text>', 'text for that line, such as the commit that was judged'],
  ['--history-link <url>', 'link for that line, such as the page of the CI job', parseUrl],
];

/** Which reports to write, and what to print. */
export const formatFlags: readonly Row[] = [
  [
    '--format <list>',
    `formats to write: ${formats.join(', ')}`,
    parseFormats,
    { value: formats, words: 'all' },
  ],
  ['--sarif-location <file>', 'file to attach SARIF results to, such as your OpenAPI description', parseFile],
  ['-q, --quiet', 'print the verdict only'],
  colorFlag,
];

/** Of a command that writes reports into a folder. */
export const reportFlags: readonly Row[] = [
  ['--report <dir>', 'folder for the reports', undefined, { value: 'plumbline-report' }],
  ...formatFlags,
];

/** Of a command that prints its result in one of some formats, or writes it to a file. */
export function makeOutputFlags(...choices: readonly string[]): readonly Row[] {
  return [
    ['--format <format>', 'output format', choices, { value: choices[0] }],
    ['--output <file>', 'file for the result (default: standard output)'],
    colorFlag,
  ];
}
