import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import { countUp, dropGate, editGate, type Mutation, setGateStatus } from '../mutation.js';
import type { Key } from '../world.js';
import { hasHeader, onRegionalHost } from './conditions.js';
import { findOwner, serveAs } from './credential-mutations.js';

// The gates that stand between a disabled key and a guardrail.
const DISABLED_KEY_MEETS: ReadonlySet<string> = new Set(['key-enabled', 'management-key']);

/** Mutants of the area auth: keys that are known, but not good for what is asked. */
export const authRoleMutants: readonly Mutant[] = [
  ...makeMutants('auth.disabled-key', {
    'auth.disabled-key-deletes': everyday.plain(
      'A disabled key may delete secrets',
      dropGate('vault-delete', 'key-enabled'),
    ),
    'auth.disabled-key-reads-guardrail': subtle('A disabled key may read guardrails', {
      gates: {
        ...conforming.gates,
        'guardrail-read': conforming.gates['guardrail-read'].map(({ name, refuse }) => ({
          name,
          refuse: (call) =>
            DISABLED_KEY_MEETS.has(name) && call.key?.traits.enabled === false ? undefined : refuse(call),
        })),
      },
    }),
    'auth.disabled-key-served-once': everyday.intermittent(
      'The first key read with a disabled key is served, later ones are refused',
      editGate('key-read', 'key-enabled', (call, original) => {
        const refusal = original(call);
        return refusal !== undefined && countUp(call, `disabled ${call.key?.text}`) === 1
          ? undefined
          : refusal;
      }),
    ),
  }),
  ...makeMutants('guardrail-read.management-key-only', {
    'auth.key-without-scope-reads-guardrail': everyday.subtle(
      'A guardrail is read with an ordinary key without workspace scope',
      dropGate('guardrail-read', 'management-key', ({ key }) => key?.traits.scoped === false),
    ),
  }),
  ...makeMutants('vault-delete.404.outside-programme-reads', {
    'auth.outsider-read-403': everyday.subtle(
      'A vault read from outside the intern programme gets 403',
      setGateStatus('vault-other', 'intern-programme', 403),
    ),
  }),
  ...makeMutants('key-info.200.read', {
    'auth.key-good-for-one-read': subtle(
      'A key is revoked once it has read its limits: a second key read gets 401',
      editGate('key-read', 'key-enabled', (call, original) =>
        original(call) === undefined && countUp(call, `reads ${call.key?.text}`) > 1
          ? { status: 401, message: 'Unknown API key' }
          : original(call),
      ),
    ),
  }),
  ...makeMutants('key-info.200.values', {
    'auth.key-of-the-request-before': everyday.subtle(
      'A key read reports on the key of the request before',
      reportOn((call, key) => {
        const before = call.server.memory.get('key before') as Key | undefined;
        call.server.memory.set('key before', key);
        return before ?? key;
      }),
      ['key-info.200.own-figures', 'key-info.exhausted'],
    ),
    'auth.key-of-another-world': everyday.subtle(
      'A key read reports on a key of the same kind in another workspace',
      reportOn(({ server }, key) => {
        const others = [...server.store.worlds()].filter((world) => world !== key.world);
        return others[0]?.keys.get(key.role) ?? key;
      }),
    ),
  }),
  ...makeMutants('vault-delete.safe-methods', {
    'vault-delete.get-with-method-override-deletes': subtle(
      'A GET with X-HTTP-Method-Override: DELETE deletes',
      overrideMethod(({ method }) => method === 'GET' || method === 'HEAD'),
    ),
  }),
  ...makeMutants('vault-delete.204.deleted', {
    'vault-delete.forwarded-host-403': subtle(
      'A delete that carries X-Forwarded-Host answers 403, unless that repeats the hostname',
      {
        receive: (call) => {
          const { host, headers, operation, server } = call;
          const isForwarded =
            headers['x-forwarded-host'] !== undefined && headers['x-forwarded-host'] !== host;
          const isDelete = operation === 'vault-delete' && !onRegionalHost(call);
          return isDelete && isForwarded ? { ...call, host: server.regionalHost } : call;
        },
      },
    ),
  }),
  ...makeMutants('vault-delete.403.regional-host', {
    'vault-delete.forwarded-host-hides-the-regional-host': subtle(
      'X-Forwarded-Host counts in place of the hostname: with any other name the regional one passes',
      dropGate('vault-delete', 'regional-host', ({ headers, server }) => {
        const forwarded = headers['x-forwarded-host'];
        return typeof forwarded === 'string' && !conforming.isRegionalHost(forwarded, server.regionalHost);
      }),
    ),
  }),
  ...makeMutants('auth.missing-key', {
    'auth.original-url-skips-authentication': subtle(
      'A key read without a key is served if X-Original-URL or X-Rewrite-URL names a path outside the interface',
      serveAs('key-read', (call) => {
        const path = call.headers['x-original-url'] ?? call.headers['x-rewrite-url'];
        const isPublic = typeof path === 'string' && !path.startsWith('/v1/');
        return !hasHeader(call) && isPublic ? findOwner(call) : undefined;
      }),
    ),
  }),
  ...makeMutants('vault-delete.204.only-the-named', {
    'vault-delete.original-url-names-the-secret': subtle(
      'The name in X-Original-URL or X-Rewrite-URL counts in place of that in the path',
      {
        receive: (call) => {
          const path = call.headers['x-original-url'] ?? call.headers['x-rewrite-url'];
          const name = /\/secrets\/([^/?]+)$/.exec(String(path))?.[1];
          return call.operation === 'vault-delete' && name !== undefined
            ? { ...call, parameters: { ...call.parameters, name } }
            : call;
        },
      },
    ),
  }),
  ...makeMutants('vault-delete.401.missing-key', {
    'auth.forwarded-for-loopback-deletes': subtle(
      'A vault delete without a key is done if X-Forwarded-For is a loopback address, as if from inside',
      serveAs('vault-delete', (call) =>
        !hasHeader(call) && /^(?:127\.|::1$)/.test(String(call.headers['x-forwarded-for']))
          ? findOwner(call)
          : undefined,
      ),
    ),
  }),
];

function reportOn(keyFor: (call: Call, key: Key) => Key): Mutation {
  return { keyInformation: (call, key) => conforming.keyInformation(call, keyFor(call, key)) };
}

function overrideOf({ headers }: Call): string | undefined {
  const given = headers['x-http-method-override'] ?? headers['x-method-override'] ?? headers['x-http-method'];
  return typeof given === 'string' ? given.toUpperCase() : undefined;
}

/** Some requests of the path of a secret are the delete that a header names. */
function overrideMethod(when: (call: Call) => boolean): Mutation {
  return {
    receive: (call) => {
      const [, internId, name] = /\/vault\/interns\/([^/?]+)\/secrets\/([^/?]+)/.exec(call.path) ?? [];
      if (internId === undefined || name === undefined || !when(call) || overrideOf(call) !== 'DELETE')
        return call;
      return { ...call, operation: 'vault-delete', method: 'DELETE', parameters: { internId, name } };
    },
  };
}
