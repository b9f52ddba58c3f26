import type { Gate } from './gate.js';

const CHALLENGE = { 'WWW-Authenticate': 'Bearer' };

/** A missing or unknown key (§5.2). */
export const authenticationGate: Gate = {
  name: 'authentication',
  refuse: ({ key }) =>
    key === undefined
      ? { status: 401, message: 'Missing or unknown API key', headers: CHALLENGE }
      : undefined,
};

/** A disabled key (§7.3). */
export const keyEnabledGate: Gate = {
  name: 'key-enabled',
  refuse: ({ key }) =>
    key?.traits.enabled === false
      ? { status: 401, message: 'This API key is disabled', headers: CHALLENGE }
      : undefined,
};

/** An OAuth session that has expired (§7.3). */
export const sessionGate: Gate = {
  name: 'session',
  refuse: ({ key }) =>
    key?.traits.expired === true
      ? { status: 401, message: 'The session has expired', headers: CHALLENGE }
      : undefined,
};

/** The one origin that this server refuses by CORS. */
export const BLOCKED_ORIGIN = 'https://blocked.test';

/** An origin that CORS blocks (§7.3). */
export const originGate: Gate = {
  name: 'origin',
  refuse: ({ headers }) =>
    headers.origin === BLOCKED_ORIGIN
      ? { status: 400, message: 'Requests from this origin are blocked by CORS', metadata: null }
      : undefined,
};

/** The gates of the key read (§4.3). */
export const keyReadGates: readonly Gate[] = [originGate, authenticationGate, keyEnabledGate, sessionGate];
