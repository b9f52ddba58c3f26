import { createHash } from 'node:crypto';
import { type Place, placeText } from '../../targets/recording/recorded-exchange.js';

const secretsKept = 20_000;

/**
 * Secrets that were deleted twice, as far as a recording shows. The store between two deletes may be unrecorded, so that
 * nobody is accused.
 */
export class RepeatedDeletes {
  readonly #deleted = new Map<string, Place>();
  #count = 0;
  #first: readonly [one: Place, other: Place] | undefined;

  /** A delete of a path was answered 204. */
  deleted(url: string, place: Place): void {
    const secret = digest(url);
    const before = this.#deleted.get(secret);
    this.#deleted.delete(secret);
    this.#deleted.set(secret, place);
    const [oldest] = this.#deleted.size > secretsKept ? this.#deleted.keys() : [];
    if (oldest !== undefined) this.#deleted.delete(oldest);
    if (before === undefined) return;
    this.#count += 1;
    this.#first ??= [before, place];
  }

  /** Something else was done under a path, which may have stored the secret again. */
  touched(url: string): void {
    this.#deleted.delete(digest(url));
  }

  /** What is to be told; undefined where nothing is. */
  get note(): string | undefined {
    if (this.#first === undefined) return undefined;
    const [one, other] = this.#first.map(placeText);
    const often = this.#count === 1 ? 'One secret was' : `${this.#count} times a secret was`;
    return `${often} deleted with 204 twice with no store between that was recorded, first in ${one} and ${other}; this is no violation, since the store may be unrecorded`;
  }
}

function digest(url: string): string {
  return createHash('sha1')
    .update(url.replace(/[?#].*$/, ''))
    .digest('base64')
    .slice(0, 20);
}
