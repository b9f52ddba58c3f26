import { UsageError } from '../spec/thrown.js';
import { roles } from '../spec/vocabulary.js';
import { isObject } from './exchange.js';
import { shortestKey } from './known-keys.js';

/** A target's control offers something that nothing can be judged with: wrong usage, not a failure of the target. */
export class UnusableControl extends UsageError {
  override readonly name = 'UnusableControl';
}

/**
 * Throws UnusableControl where the capabilities name a free model that the document does not count as one (§8.2).
 * @param url the address of the control, for the message
 */
export function assertUsableCapabilities(value: unknown, url: string): void {
  const inference = isObject(value) ? value.inference : undefined;
  const model = isObject(inference) ? inference.free_model : undefined;
  if (typeof model !== 'string' || model.endsWith(':free')) return;
  throw new UnusableControl(
    `The capabilities of the control protocol at ${url} name an inference.free_model that does not end in ":free". Name a free variant there, or leave the member out.`,
  );
}

/**
 * Throws UnusableControl where a world has a key that is too short to be told from other text.
 * @param url the address of the control, for the message
 */
export function assertUsableKeys(value: unknown, url: string): void {
  const keys = isObject(value) && isObject(value.keys) ? value.keys : {};
  const short = Object.entries(keys).find(([, key]) => typeof key === 'string' && key.length < shortestKey);
  if (short === undefined) return;
  // What stands in place of a role could be a key.
  const role = roles.find((known) => known === short[0]) ?? 'that is unknown';
  throw new UnusableControl(
    `The control protocol at ${url} gave a world a key of the role ${role} with fewer than ${shortestKey} characters. Have it make keys of at least ${shortestKey}.`,
  );
}

/** Throws UnusableControl where the token of the control is too short to be told from other text. */
export function assertUsableToken(token: string | undefined): void {
  if (token === undefined || token.length >= shortestKey) return;
  throw new UnusableControl(
    `The token of the control protocol has fewer than ${shortestKey} characters. Set one of at least ${shortestKey} on both sides.`,
  );
}
