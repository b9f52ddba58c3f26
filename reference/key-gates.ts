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

/** The gates of the key read (§4.3). */
export const keyReadGates: readonly Gate[] = [authenticationGate, keyEnabledGate];
