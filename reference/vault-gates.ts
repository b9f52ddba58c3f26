import { parseJson } from './body.js';
import type { Call } from './call.js';
import { faultGate } from './fault-gate.js';
import type { Gate } from './gate.js';
import { isJsonObject } from './json.js';
import { authenticationGate, keyEnabledGate, originGate, sessionGate } from './key-gates.js';

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Vault routes refuse the regional hostname (§5.5). */
export const regionalHostGate: Gate = {
  name: 'regional-host',
  refuse: ({ behaviour, host, server }) =>
    behaviour.isRegionalHost(host, server.regionalHost)
      ? { status: 403, message: 'This route is not served on regional hostnames' }
      : undefined,
};

const provisioningGate: Gate = {
  name: 'no-provisioning-key',
  refuse: ({ key }) =>
    key?.traits.kind === 'provisioning'
      ? { status: 401, message: 'Provisioning keys cannot call vault routes' }
      : undefined,
};

const internIdGate: Gate = {
  name: 'intern-id',
  refuse: ({ behaviour, parameters }) =>
    behaviour.isInternId(parameters.internId ?? '')
      ? undefined
      : { status: 400, message: 'internId is not a UUID', metadata: { parameter: 'internId' } },
};

const secretNameGate: Gate = {
  name: 'secret-name',
  refuse: ({ behaviour, parameters }) =>
    behaviour.isSecretName(parameters.name ?? '')
      ? undefined
      : { status: 400, message: 'name is not a valid secret name', metadata: { parameter: 'name' } },
};

const requestBodyGate: Gate = {
  name: 'request-body',
  refuse: (call) => {
    if (call.body.state === 'stalled') return { status: 408, message: 'The request body stopped arriving' };
    return hasMalformedJson(call)
      ? { status: 400, message: 'The request body is not valid JSON', metadata: null }
      : undefined;
  },
};

const workspaceScopeGate: Gate = {
  name: 'workspace-scope',
  refuse: ({ key }) =>
    key?.traits.scoped === false
      ? { status: 403, message: 'The key has no usable workspace scope', metadata: null }
      : undefined,
};

const internProgrammeGate: Gate = {
  name: 'intern-programme',
  refuse: ({ key }) => (key?.traits.inProgramme === false ? NOT_FOUND : undefined),
};

const vaultWritesGate: Gate = {
  name: 'vault-writes',
  refuse: ({ key }) =>
    key?.traits.vaultWrites === false
      ? { status: 503, message: 'Vault writes are disabled for this caller' }
      : undefined,
};

const internGate: Gate = {
  name: 'intern-in-workspace',
  refuse: (call) => {
    if (call.key === undefined || !isWellFormed(call)) return undefined;
    const intern = call.behaviour.findIntern(call.key.world, call.parameters.internId ?? '');
    return intern === undefined ? NOT_FOUND : undefined;
  },
};

const secretGate: Gate = {
  name: 'secret-exists',
  refuse: (call) => {
    if (call.key === undefined || !isWellFormed(call)) return undefined;
    return call.behaviour.findSecret(call) === undefined ? NOT_FOUND : undefined;
  },
};

const NOT_FOUND = { status: 404, message: 'Not found', metadata: null };

/** The gates of the vault delete (§4.1, §7.1); faults come last, for they meet what is otherwise valid. */
export const vaultDeleteGates: readonly Gate[] = [
  originGate,
  regionalHostGate,
  authenticationGate,
  keyEnabledGate,
  sessionGate,
  provisioningGate,
  internIdGate,
  secretNameGate,
  requestBodyGate,
  workspaceScopeGate,
  internProgrammeGate,
  vaultWritesGate,
  internGate,
  secretGate,
  faultGate,
];

const storedValueGate: Gate = {
  name: 'request-body',
  refuse: (call) =>
    storedValue(call) === undefined
      ? { status: 400, message: 'The body must be a JSON object with a text `value`', metadata: null }
      : undefined,
};

/** The value that a request to store a secret brings. */
export function storedValue({ body }: Call): string | undefined {
  const parsed = body.state === 'complete' ? parseJson(body.text) : undefined;
  return isJsonObject(parsed) && typeof parsed.value === 'string' ? parsed.value : undefined;
}

/** The gates of storing a secret: a route of this server's own, outside the document. */
export const vaultStoreGates: readonly Gate[] = [
  originGate,
  regionalHostGate,
  authenticationGate,
  keyEnabledGate,
  sessionGate,
  provisioningGate,
  internIdGate,
  secretNameGate,
  storedValueGate,
  workspaceScopeGate,
  internProgrammeGate,
  vaultWritesGate,
  internGate,
];

/** The gates of every other request below `/vault`, reads included (§4.1). */
export const vaultOtherGates: readonly Gate[] = [
  originGate,
  regionalHostGate,
  authenticationGate,
  keyEnabledGate,
  sessionGate,
  provisioningGate,
  workspaceScopeGate,
  internProgrammeGate,
];

// A malformed name or id does not exist either, but is 400 wherever these gates stand.
function isWellFormed({ behaviour, parameters }: Call): boolean {
  return behaviour.isInternId(parameters.internId ?? '') && behaviour.isSecretName(parameters.name ?? '');
}

function hasMalformedJson({ body, headers }: Call): boolean {
  if (body.state !== 'complete' || body.text === '' || headers['content-encoding'] !== undefined)
    return false;
  return JSON_TYPE.test(headers['content-type'] ?? '') && parseJson(body.text) === undefined;
}
