import { conforming } from '../behaviour.js';
import type { Call } from '../call.js';
import type { Mutant, Override } from '../mutant.js';
import { counted, gate, gateStatus, noGate } from '../override.js';
import type { Key } from '../world.js';
import { disabledKey } from './credential-rule.js';

/** Mutants of the area auth: keys that are known, but not good for what is asked. */
export const authRoleMutants: readonly Mutant[] = [
  {
    id: 'auth.disabled-key-deletes',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'A disabled key may delete secrets',
    hardness: 'plain',
    override: noGate('vault-delete', 'key-enabled'),
  },
  {
    id: 'auth.disabled-key-reads-guardrail',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'A disabled key may read guardrails',
    hardness: 'subtle',
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
  {
    id: 'auth.disabled-key-reads-key',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'A disabled key may read its limits',
    hardness: 'plain',
    override: noGate('key-read', 'key-enabled'),
  },
  {
    id: 'auth.disabled-key-infers',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'A disabled key may be used for inference',
    hardness: 'plain',
    override: noGate('inference', 'key-enabled'),
  },
  {
    id: 'auth.disabled-key-served-once',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'The first key read with a disabled key is served, later ones are refused',
    hardness: 'intermittent',
    override: gate('key-read', 'key-enabled', (call, original) => {
      const refusal = original(call);
      return refusal !== undefined && counted(call, `disabled ${call.key?.text}`) === 1 ? undefined : refusal;
    }),
  },
  {
    id: 'auth.disabled-key-vault-403',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'A vault delete with a disabled key is answered 403',
    hardness: 'plain',
    override: disabledKey('vault-delete', 403),
  },
  {
    id: 'auth.disabled-key-read-403',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'A key read with a disabled key is answered 403',
    hardness: 'plain',
    override: disabledKey('key-read', 403),
  },
  {
    id: 'auth.disabled-key-inference-402',
    section: '7.3',
    turnsRed: ['auth.disabled-key'],
    description: 'An inference request with a disabled key is answered 402',
    hardness: 'plain',
    override: disabledKey('inference', 402),
  },

  {
    id: 'auth.provisioning-key-deletes',
    section: '7.1',
    turnsRed: ['vault-delete.401.provisioning-key'],
    description: 'A provisioning key may delete secrets',
    hardness: 'plain',
    override: noGate('vault-delete', 'no-provisioning-key'),
  },
  {
    id: 'auth.provisioning-key-403',
    section: '7.1',
    turnsRed: ['vault-delete.401.provisioning-key'],
    description: 'A vault delete with a provisioning key is answered 403',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'no-provisioning-key', 403),
  },
  {
    id: 'auth.provisioning-key-404',
    section: '7.1',
    turnsRed: ['vault-delete.401.provisioning-key'],
    description: 'A vault delete with a provisioning key is answered 404',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'no-provisioning-key', 404),
  },

  {
    id: 'auth.ordinary-key-reads-guardrail',
    section: '4.2',
    turnsRed: ['guardrail-read.management-key-only'],
    description: 'A guardrail is read with a key that is no management key',
    hardness: 'plain',
    override: noGate('guardrail-read', 'management-key'),
  },
  {
    id: 'auth.key-without-scope-reads-guardrail',
    section: '4.2',
    turnsRed: ['guardrail-read.management-key-only'],
    description: 'A guardrail is read with an ordinary key that has no workspace scope',
    hardness: 'subtle',
    override: noGate('guardrail-read', 'management-key', ({ key }) => key?.traits.scoped === false),
  },
  {
    id: 'auth.ordinary-key-guardrail-500',
    section: '4.2',
    turnsRed: ['guardrail-read.management-key-only'],
    description: 'A guardrail read with a key that is no management key is answered 500',
    hardness: 'plain',
    override: gateStatus('guardrail-read', 'management-key', 500),
  },

  {
    id: 'auth.key-without-scope-deletes',
    section: '7.1',
    turnsRed: ['vault-delete.403.no-scope'],
    description: 'A key without a usable workspace scope acts on a default workspace',
    hardness: 'plain',
    override: noGate('vault-delete', 'workspace-scope'),
  },
  {
    id: 'auth.key-without-scope-404',
    section: '7.1',
    turnsRed: ['vault-delete.403.no-scope'],
    description: 'A key without a usable workspace scope is answered 404',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'workspace-scope', 404),
  },
  {
    id: 'auth.key-without-scope-401',
    section: '7.1',
    turnsRed: ['vault-delete.403.no-scope'],
    description: 'A key without a usable workspace scope is answered 401',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'workspace-scope', 401),
  },

  {
    id: 'auth.outsider-deletes',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A caller outside the intern programme may delete secrets',
    hardness: 'plain',
    override: noGate('vault-delete', 'intern-programme'),
  },
  {
    id: 'auth.outsider-403',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A vault delete from outside the intern programme is answered 403',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-programme', 403),
  },
  {
    id: 'auth.outsider-401',
    section: '7.1',
    turnsRed: ['vault-delete.404.outside-programme'],
    description: 'A vault delete from outside the intern programme is answered 401',
    hardness: 'plain',
    override: gateStatus('vault-delete', 'intern-programme', 401),
  },
  {
    id: 'auth.outsider-read-403',
    section: '4.1',
    turnsRed: ['vault-delete.404.outside-programme-reads'],
    description: 'A vault read from outside the intern programme is answered 403',
    hardness: 'subtle',
    override: gateStatus('vault-other', 'intern-programme', 403),
  },

  {
    id: 'auth.key-good-for-one-read',
    section: '4.3',
    turnsRed: ['key-info.200.read'],
    description: 'A key is revoked once it has read its limits: a second key read is answered 401',
    hardness: 'subtle',
    override: gate('key-read', 'key-enabled', (call, original) =>
      original(call) === undefined && counted(call, `reads ${call.key?.text}`) > 1
        ? { status: 401, message: 'Unknown API key' }
        : original(call),
    ),
  },
  {
    id: 'auth.key-of-the-request-before',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'A key read reports on the key of the request before',
    hardness: 'subtle',
    override: reportsOn((call, key) => {
      const before = call.server.memory.get('key before') as Key | undefined;
      call.server.memory.set('key before', key);
      return before ?? key;
    }),
  },
  {
    id: 'auth.key-of-another-world',
    section: '4.3',
    turnsRed: ['key-info.200.values'],
    description: 'A key read reports on a key of the same kind in another workspace',
    hardness: 'subtle',
    override: reportsOn(({ server }, key) => {
      const others = [...server.store.worlds()].filter((world) => world !== key.world);
      return others[0]?.keys.get(key.role) ?? key;
    }),
  },
];

// The gates that stand between a disabled key and a guardrail.
const DISABLED_KEY_MEETS: ReadonlySet<string> = new Set(['key-enabled', 'management-key']);

function reportsOn(keyFor: (call: Call, key: Key) => Key): Override {
  return { keyInformation: (call, key) => conforming.keyInformation(call, keyFor(call, key)) };
}
