import { type Gate, makeGate, type Refusal } from './behaviour.js';
import type { Key } from './world.js';
import type { WorldStore } from './world-store.js';

const BEARER = /^bearer +(\S+) *$/i;

/** The key text in an `Authorization` header (§5.1); the scheme may be in any case. */
export function parseBearerKey(authorization: string | undefined): string | undefined {
  return authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];
}

/** The key that a request carries, disabled or not; undefined when it is missing or unknown (§5.2). */
export function authenticate(authorization: string | undefined, store: WorldStore): Key | undefined {
  const text = parseBearerKey(authorization);
  return text === undefined ? undefined : store.findKey(text);
}

/** The gates of every operation that takes a key (§5). */
export const keyGates: readonly Gate[] = [
  makeGate('authentication', ({ key }) => key === undefined, challenge('Missing or unknown API key')),
  makeGate('key-enabled', ({ key }) => key?.traits.enabled === false, challenge('This API key is disabled')),
  makeGate('session', ({ key }) => key?.traits.expired === true, challenge('The session has expired')),
];

function challenge(message: string): Refusal {
  return { status: 401, message, headers: { 'WWW-Authenticate': 'Bearer' } };
}

/** The one origin that this server refuses by CORS. */
export const BLOCKED_ORIGIN = 'https://blocked.test';

/** An origin that CORS blocks (§7.3). */
export const originGate = makeGate('origin', ({ headers }) => headers.origin === BLOCKED_ORIGIN, {
  status: 400,
  message: 'Requests from this origin are blocked by CORS',
  metadata: null,
});
