import { keyGates, originGate } from './authentication.js';
import { type Call, type Gate, makeGate, type Refusal, type SecretPlace } from './behaviour.js';
import { faultGate } from './faults.js';
import type { Intern } from './vocabulary.js';
import { parseBody, parseJson } from './wire.js';
import type { World } from './world.js';

/** The name in a `Host` header: lower case, without port and trailing dot. */
function parseHostName(host: string): string {
  return host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');
}

/** Whether a `Host` header names the regional hostname (§4.1, §5.5). */
export function isRegionalHost(host: string | undefined, regionalHost: string): boolean {
  return host !== undefined && parseHostName(host) === parseHostName(regionalHost);
}

/** The longest secret name, in characters (§2.3). */
export const LONGEST_SECRET_NAME = 255;

// A letter, then letters and digits; an underscore only between two of them.
const WORDS = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/** Whether the characters of a name are as §2.3 wants them, whatever its length. */
export function hasSecretNameShape(name: string): boolean {
  return WORDS.test(name);
}

/** Whether a text is a secret name (§2.3). */
export function isSecretName(name: string): boolean {
  return name.length <= LONGEST_SECRET_NAME && hasSecretNameShape(name);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is written as a UUID, of any version, in either case (§4.1, §4.2). */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

/** Vault routes refuse the regional hostname (§5.5). */
export const regionalHostGate = makeGate(
  'regional-host',
  ({ behaviour, host, server }) => behaviour.isRegionalHost(host, server.regionalHost),
  { status: 403, message: 'This route is not served on regional hostnames' },
);

const internIdGate = makeGate(
  'intern-id',
  ({ behaviour, parameters }) => !behaviour.isInternId(parameters.internId ?? ''),
  { status: 400, message: 'internId is not a UUID', metadata: { parameter: 'internId' } },
);

const secretNameGate = makeGate(
  'secret-name',
  ({ behaviour, parameters }) => !behaviour.isSecretName(parameters.name ?? ''),
  { status: 400, message: 'name is not a valid secret name', metadata: { parameter: 'name' } },
);

const workspaceScopeGate = makeGate('workspace-scope', ({ key }) => key?.traits.scoped === false, {
  status: 403,
  message: 'The key has no usable workspace scope',
  metadata: null,
});

const NOT_FOUND: Refusal = { status: 404, message: 'Not found', metadata: null };
const programmeGate = makeGate('intern-programme', ({ key }) => key?.traits.inProgramme === false, NOT_FOUND);

const vaultWritesGate = makeGate('vault-writes', ({ key }) => key?.traits.vaultWrites === false, {
  status: 503,
  message: 'Vault writes are disabled for this caller',
});

const internGate = makeGate(
  'intern-in-workspace',
  (call) =>
    isWellFormed(call) &&
    call.key !== undefined &&
    call.behaviour.findIntern(call.key.world, call.parameters.internId ?? '') === undefined,
  NOT_FOUND,
);

const callerGates = [
  originGate,
  regionalHostGate,
  ...keyGates,
  makeGate('no-provisioning-key', ({ key }) => key?.traits.kind === 'provisioning', {
    status: 401,
    message: 'Provisioning keys cannot call vault routes',
  }),
];

/** The gates of the vault delete (§4.1, §7.1); faults come last, for they meet what is otherwise valid. */
export const vaultDeleteGates: readonly Gate[] = [
  ...callerGates,
  internIdGate,
  secretNameGate,
  {
    name: 'request-body',
    refuse: (call) => {
      if (call.body.state === 'stalled') return { status: 408, message: 'The request body stopped arriving' };
      return hasMalformedJson(call)
        ? { status: 400, message: 'The request body is not valid JSON', metadata: null }
        : undefined;
    },
  },
  workspaceScopeGate,
  programmeGate,
  vaultWritesGate,
  internGate,
  makeGate(
    'secret-exists',
    (call) => isWellFormed(call) && call.key !== undefined && call.behaviour.findSecret(call) === undefined,
    NOT_FOUND,
  ),
  faultGate,
];

/** The value that a request to store a secret brings. */
export function readStoredValue({ body }: Call): string | undefined {
  const value = parseBody(body)?.value;
  return typeof value === 'string' ? value : undefined;
}

/** The gates of storing a secret: a route of this server's own, outside the document. */
export const vaultStoreGates: readonly Gate[] = [
  ...callerGates,
  internIdGate,
  secretNameGate,
  makeGate('request-body', (call) => readStoredValue(call) === undefined, {
    status: 400,
    message: 'The body must be a JSON object with a text `value`',
    metadata: null,
  }),
  workspaceScopeGate,
  programmeGate,
  vaultWritesGate,
  internGate,
];

/** The gates of every other request below `/vault`, reads included (§4.1). */
export const vaultOtherGates: readonly Gate[] = [...callerGates, workspaceScopeGate, programmeGate];

/** Whether internId and name are what they should be; malformed ones do not exist either, but are 400 wherever the gates stand. */
export function isWellFormed({ behaviour, parameters }: Call): boolean {
  return behaviour.isInternId(parameters.internId ?? '') && behaviour.isSecretName(parameters.name ?? '');
}

function hasMalformedJson({ body, headers }: Call): boolean {
  if (body.state !== 'complete' || body.text === '' || headers['content-encoding'] !== undefined)
    return false;
  return JSON_TYPE.test(headers['content-type'] ?? '') && parseJson(body.text) === undefined;
}

/** The intern with this id in the workspace that the key selects (§4.1); the foreign one is in another. */
export function findIntern(world: World, internId: string): Intern | undefined {
  const id = internId.toLowerCase();
  if (id === world.interns.own) return 'own';
  return id === world.interns.sibling ? 'sibling' : undefined;
}

/** The secret that a vault delete names, if the caller's workspace has that intern and it that secret. */
export function findSecret({ behaviour, key, parameters }: Call): SecretPlace | undefined {
  if (key === undefined) return undefined;
  const scope = behaviour.findIntern(key.world, parameters.internId ?? '');
  const name = parameters.name ?? '';
  return scope !== undefined && key.world.secrets[scope].has(name) ? { scope, name } : undefined;
}

/** Takes a secret out of the caller's world. */
export function removeSecret({ key }: Call, { scope, name }: SecretPlace): void {
  key?.world.secrets[scope].delete(name);
}
