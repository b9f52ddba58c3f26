import { existsSync, statSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { longestTimerMs, readCasePath, readShard, seedCount } from '../judge/plan.js';
import type { Format } from '../reports/formats.js';
import { type Stopper, stoppers } from '../spec/comparison.js';
import { UsageError } from '../spec/thrown.js';
import { compareVersions, firstRelease, isVersion, toolVersion } from '../spec/version.js';

// The parsers of flag values. Commander prints what they throw after "error: option '--cases <n>' argument 'x' is invalid.".

/** Parses a text that must not be empty. */
export function parseText(given: string): string {
  if (given.trim() === '')
    throw new InvalidArgumentError(
      'It is empty, probably because a variable is not set. Set the variable, or omit the flag.',
    );
  return given;
}

/** Parses the path of a file, which must exist. */
export function parseFile(given: string): string {
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
export const parseSeed = makeNumberParser(0, seedCount - 1);
/** 0 stands for a free port. */
export const parsePort = makeNumberParser(0, 65_535);

/** Parses a number of requests per second; `auto` adapts to the target. */
export const parseRate = makeParser(
  (given) => (given === 'auto' ? given : readPositive(given)),
  'a number of requests per second above 0, or auto',
);

const longestSeconds = Math.floor(longestTimerMs / 1_000);

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

/** Parses the base URL of recorded traffic, as `parseUrl` does. Throws UsageError if it has a query, which may hold a key. */
export function parseBaseUrl(given: string): string {
  const url = parseUrl(given);
  if (new URL(url).search === '') return url;
  throw new UsageError(
    'a base URL on the command line has a query (?), which no request would get. Remove it.',
  );
}

/** Makes a parser of names of report formats, separated by commas. */
export function makeFormatsParser(choices: readonly Format[]) {
  return makeParser(
    (given): readonly Format[] | undefined => {
      const names = given.split(',').map((name) => name.trim());
      const known = names.flatMap((name) => choices.find((format) => format === name) ?? []);
      return known.length === names.length ? known : undefined;
    },
    `one or more of ${choices.join(', ')}, separated by commas`,
  );
}

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
