import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { everyday, type Mutant, makeMutants, subtle } from '../mutant.js';
import { countUp, dropGate, editGate, type Mutation, setGateStatus } from '../mutation.js';
import type { Key } from '../world.js';
import { withoutKey } from './conditions.js';
import { serveKeyless } from './credential-mutations.js';

/** Mutants of the area auth: keys that are known, but not good for what is asked. */
export const authRoleMutants: readonly Mutant[] = [
  ...makeMutants('auth.disabled-key', {
    'auth.disabled-key-deletes': everyday.plain(
      'A disabled key may delete secrets',
      dropGate('vault-delete', 'key-enabled'),
    ),
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
      {
        receive: (call) => {
          const [, internId, name] = /\/vault\/interns\/([^/?]+)\/secrets\/([^/?]+)/.exec(call.path) ?? [];
          const isOne = call.method === 'GET' || call.method === 'HEAD';
          if (internId === undefined || name === undefined || !isOne || overrideOf(call) !== 'DELETE')
            return call;
          return { ...call, operation: 'vault-delete', method: 'DELETE', parameters: { internId, name } };
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
      serveKeyless('key-read', (call) => {
        const path = call.headers['x-original-url'] ?? call.headers['x-rewrite-url'];
        const isPublic = typeof path === 'string' && !path.startsWith('/v1/');
        return withoutKey(call) && isPublic;
      }),
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
