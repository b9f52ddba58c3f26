import { InvalidArgumentError } from 'commander';
import { type ReplayedCase, readPath, readShard, type Shard } from '../judge/plan.js';
import { type Format, formats } from '../reports/formats.js';
import { type Stopper, stoppers } from '../spec/comparison.js';
import { UsageError } from '../spec/thrown.js';

/** A text that is not empty. */
export function text(value: string): string {
  if (value.trim() === '')
    throw new InvalidArgumentError(
      'It is empty, most often because a variable is not set. Set the variable, or leave this out.',
    );
  return value;
}

/** A flag that may be given more than once. */
export function repeated(value: string, before: readonly string[] = []): readonly string[] {
  text(value);
  return [...before, value];
}

/** What ends a comparison with 1; may be given more than once. */
export function repeatedStopper(value: string, before: readonly Stopper[]): readonly Stopper[] {
  const stopper = stoppers.find((one) => one === value);
  if (stopper === undefined) throw new InvalidArgumentError(`It takes one of ${stoppers.join(', ')}.`);
  return [...before, stopper];
}

/** A whole number of at least one. */
export function count(given: string): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value < 1)
    throw new InvalidArgumentError('It takes a whole number of at least 1.');
  if (value > Number.MAX_SAFE_INTEGER)
    throw new InvalidArgumentError(`It takes at most ${Number.MAX_SAFE_INTEGER}.`);
  return value;
}

// Each request in flight is a connection, of which a machine has some tens of thousands.
const mostInFlight = 10_000;

/** Requests in flight. */
export function concurrency(given: string): number {
  return atMost(count(given), mostInFlight);
}

// One takes minutes.
const mostSeeds = 10_000;

/** How many seeds a proof takes. */
export function seedCount(given: string): number {
  return atMost(count(given), mostSeeds);
}

function atMost(value: number, most: number): number {
  if (value > most) throw new InvalidArgumentError(`It takes at most ${most}.`);
  return value;
}

/** Requests a second; `auto` for as many as the target turns out to bear. */
export function rate(given: string): number | 'auto' {
  if (given === 'auto') return given;
  const value = Number(given);
  if (!/^\d+(?:\.\d+)?$/.test(given) || value <= 0)
    throw new InvalidArgumentError('It takes a number of requests a second above 0, or auto.');
  return value;
}

/** The seed of a run. */
export function seed(given: string): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value >= 2 ** 31)
    throw new InvalidArgumentError('It takes a whole number below 2147483648.');
  return value;
}

/** The place of a generated case, as a report prints it. */
export function path(given: string): ReplayedCase {
  const place = readPath(given);
  if (place === undefined)
    throw new InvalidArgumentError('It takes a path as a report prints it, such as valid-names:0:17:3.');
  return place;
}

/** A path below the base URL. */
export function routePath(given: string): string {
  if (!/^\/[^?#\s]+$/.test(given))
    throw new InvalidArgumentError('It takes a path below the base URL, such as /chat/completions.');
  return given;
}

/** A part of a run. */
export function shard(given: string): Shard {
  const part = readShard(given);
  if (part === undefined)
    throw new InvalidArgumentError('It takes a part and the number of parts, such as 2/3.');
  return part;
}

/** A port; 0 takes a free one. */
export function port(given: string): number {
  const value = Number(given);
  if (!/^\d+$/.test(given) || value > 65_535)
    throw new InvalidArgumentError('It takes a port number from 0 to 65535.');
  return value;
}

// A timer of Node counts milliseconds in 31 bits.
const longestSeconds = 2_147_483;

/** A time in seconds, in milliseconds. */
export function seconds(given: string): number {
  const value = Number(given);
  if (!/^\d+(?:\.\d+)?$/.test(given) || value <= 0)
    throw new InvalidArgumentError('It takes a number of seconds above 0.');
  if (value > longestSeconds) throw new InvalidArgumentError(`It takes at most ${longestSeconds} seconds.`);
  return value * 1000;
}

/** An http or https URL without a fragment. Throws UsageError where credentials are in it. */
export function url(given: string): string {
  const parsed = URL.canParse(given) ? new URL(given) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new InvalidArgumentError('It takes a URL that begins with http:// or https://.');
  }
  // The words for a wrong argument repeat it, and this one may be a secret.
  if (parsed.username !== '' || parsed.password !== '')
    throw new UsageError(
      'a URL of the command line holds a user name or a password. Give it without; keys belong in a profile.',
    );
  if (parsed.hash !== '') throw new InvalidArgumentError('It takes a URL without a fragment.');
  return given;
}

/** Formats of a report, by name, with commas between them. */
export function formatList(given: string): readonly Format[] {
  const names = given.split(',').map((name) => name.trim());
  const known = names.flatMap((name) => formats.find((format) => format === name) ?? []);
  if (known.length !== names.length)
    throw new InvalidArgumentError(`It takes some of ${formats.join(', ')}, with commas between them.`);
  return known;
}
