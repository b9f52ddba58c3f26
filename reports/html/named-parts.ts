import type { Failure } from '../../spec/report.js';

/** The parts of a response that a violation speaks of. */
export interface NamedParts {
  readonly status: (status: number) => boolean;
  readonly header: (name: string) => boolean;
  /** @param path the names that lead to a member, `error.code` */
  readonly member: (path: string) => boolean;
}

/** Nothing is named. */
export const nothingNamed: NamedParts = { status: () => false, header: () => false, member: () => false };

/** The parts of a response that the words of a violation name. */
export function namedParts({ expected, actual: told }: Failure): NamedParts {
  // A value that came may hold any words.
  const actual = told.replace(/, got .*$/s, '');
  const said = `${expected} ${actual}`.slice(0, 4_000);
  const headers = said.toLowerCase();
  const words = new Set(said.replace(/\[\d+\]|\.\d+(?=\.)/g, '').match(/[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*/g));
  return {
    status: (status) => new RegExp(`(?:^|status (?:is )?)${status}(?![\\d.])`).test(actual.slice(0, 4_000)),
    header: (name) => namesHeader(headers, name.toLowerCase()),
    member: (path) => suffixesOf(path).some((suffix) => words.has(suffix)),
  };
}

function namesHeader(said: string, name: string): boolean {
  if (name === 'content-type' && said.includes('media type')) return true;
  // A header of one word (`date`) may be a word of the sentence.
  if (!name.includes('-')) return said.includes(`header ${name}`);
  return said.includes(name) || (name.startsWith('x-ratelimit') && said.includes('x-ratelimit'));
}

/** `error.code` → `error.code`, `code`. */
function suffixesOf(path: string): readonly string[] {
  const names = path.split('.');
  return names.map((_, index) => names.slice(index).join('.'));
}
