import type { Key } from './world.js';
import type { WorldStore } from './world-store.js';

const BEARER = /^bearer +(\S+) *$/i;

/** The key text in an `Authorization` header (§5.1); the scheme may be in any case. */
export function bearerKey(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** The key that a request carries, disabled or not; undefined when it is missing or unknown (§5.2). */
export function authenticate(authorization: string | undefined, store: WorldStore): Key | undefined {
  const text = bearerKey(authorization);
  return text === undefined ? undefined : store.findKey(text);
}
