import type { Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { counted, gate, gateStatus, noGate, type Override } from '../mutation.js';
import type { Key } from '../world.js';
import { disabledKey } from './credential-rule.js';

/** Mutants of the area auth: keys that are known, but not good for what is asked. */
export const authRoleMutants: readonly Mutant[] = [
  ...makeMutants('7.3', ['auth.disabled-key'], {
    'auth.disabled-key-deletes': {
      everydayPlain: 'A disabled key may delete secrets',
      override: noGate('vault-delete', 'key-enabled'),
    },
    'auth.disabled-key-reads-guardrail': {
      subtle: 'A disabled key may read guardrails',
      override: {
        gates: {
          ...conforming.gates,
          'guardrail-read': conforming.gates['guardrail-read'].map(({ name, refuse }) => ({
            name,
            refuse: (call) =>
              DISABLED_KEY_MEETS.has(name) && call.key?.traits.enabled === false ? undefined : refuse(call),
          })),
        },
      },
    },
    'auth.disabled-key-reads-key': {
      plain: 'A disabled key may read its limits',
      override: noGate('key-read', 'key-enabled'),
    },
    'auth.disabled-key-infers': {
      plain: 'A disabled key may be used for inference',
      override: noGate('inference', 'key-enabled'),
    },
    'auth.disabled-key-served-once': {
      everydayIntermittent: 'The first key read with a disabled key is served, later ones are refused',
      override: gate('key-read', 'key-enabled', (call, original) => {
        const refusal = original(call);
        return refusal !== undefined && counted(call, `disabled ${call.key?.text}`) === 1
          ? undefined
          : refusal;
      }),
    },
    'auth.disabled-key-vault-403': {
      plain: 'A vault delete with a disabled key is answered 403',
      override: disabledKey('vault-delete', 403),
    },
    'auth.disabled-key-read-403': {
      plain: 'A key read with a disabled key is answered 403',
      override: disabledKey('key-read', 403),
    },
    'auth.disabled-key-inference-402': {
      plain: 'An inference request with a disabled key is answered 402',
      override: disabledKey('inference', 402),
    },
  }),

  ...makeMutants('7.1', ['vault-delete.401.provisioning-key'], {
    'auth.provisioning-key-404': {
      plain: 'A vault delete with a provisioning key is answered 404',
      override: gateStatus('vault-delete', 'no-provisioning-key', 404),
    },
  }),

  ...makeMutants('4.2', ['guardrail-read.management-key-only'], {
    'auth.key-without-scope-reads-guardrail': {
      everydaySubtle: 'A guardrail is read with an ordinary key that has no workspace scope',
      override: noGate('guardrail-read', 'management-key', ({ key }) => key?.traits.scoped === false),
    },
  }),

  ...makeMutants('4.1', ['vault-delete.404.outside-programme-reads'], {
    'auth.outsider-read-403': {
      everydaySubtle: 'A vault read from outside the intern programme is answered 403',
      override: gateStatus('vault-other', 'intern-programme', 403),
    },
  }),

  ...makeMutants('4.3', ['key-info.200.read'], {
    'auth.key-good-for-one-read': {
      subtle: 'A key is revoked once it has read its limits: a second key read is answered 401',
      override: gate('key-read', 'key-enabled', (call, original) =>
        original(call) === undefined && counted(call, `reads ${call.key?.text}`) > 1
          ? { status: 401, message: 'Unknown API key' }
          : original(call),
      ),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.values'], {
    'auth.key-of-the-request-before': {
      everydaySubtle: 'A key read reports on the key of the request before',
      alsoRed: ['key-info.200.own-figures', 'key-info.exhausted'],
      override: reportsOn((call, key) => {
        const before = call.server.memory.get('key before') as Key | undefined;
        call.server.memory.set('key before', key);
        return before ?? key;
      }),
    },
    'auth.key-of-another-world': {
      everydaySubtle: 'A key read reports on a key of the same kind in another workspace',
      override: reportsOn(({ server }, key) => {
        const others = [...server.store.worlds()].filter((world) => world !== key.world);
        return others[0]?.keys.get(key.role) ?? key;
      }),
    },
  }),
];

// The gates that stand between a disabled key and a guardrail.
const DISABLED_KEY_MEETS: ReadonlySet<string> = new Set(['key-enabled', 'management-key']);

function reportsOn(keyFor: (call: Call, key: Key) => Key): Override {
  return { keyInformation: (call, key) => conforming.keyInformation(call, keyFor(call, key)) };
}
