import { InvalidArgumentError } from 'commander';

/** A flag that may be given more than once. */
export function repeated(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** A whole number of at least one. */
export function count(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < 1)
    throw new InvalidArgumentError('It takes a whole number of at least 1.');
  return value;
}

/** A port; 0 takes a free one. */
export function port(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > 65_535)
    throw new InvalidArgumentError('It takes a port number from 0 to 65535.');
  return value;
}

/** A time in seconds, in milliseconds. */
export function seconds(text: string): number {
  const value = Number(text);
  if (!/^\d+(?:\.\d+)?$/.test(text) || value <= 0)
    throw new InvalidArgumentError('It takes a number of seconds above 0.');
  return value * 1000;
}

/** An http or https URL without credentials, query or fragment in it. */
export function url(text: string): string {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new InvalidArgumentError('It takes a URL that begins with http:// or https://.');
  }
  if (parsed.username !== '' || parsed.password !== '')
    throw new InvalidArgumentError('It takes a URL without a password.');
  if (parsed.hash !== '') throw new InvalidArgumentError('It takes a URL without a fragment.');
  return text;
}
