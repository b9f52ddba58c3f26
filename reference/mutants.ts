import { bearerKey } from './authorization.js';
import { type Behaviour, conforming } from './behaviour.js';
import { replaceGate } from './gate.js';
import { inferenceGates } from './inference-gates.js';
import { hasSecretNameShape, LONGEST_SECRET_NAME } from './secret-name.js';
import type { Role } from './vocabulary.js';
import type { Key } from './world.js';

/** The reference with one violation. */
export interface Mutant {
  /** The area of the ledger, a dot, and what is wrong. */
  readonly id: string;
  /** The section of the document that is violated. */
  readonly section: string;
  readonly description: string;
  readonly behaviour: Behaviour;
}

/** All mutants. */
export const mutants: readonly Mutant[] = [
  {
    id: 'vault-delete.sibling-secret-through-own',
    section: '7.1',
    description: "A secret that only the sibling intern has is deleted through the other intern's path",
    behaviour: {
      ...conforming,
      findSecret: (call) => {
        const place = conforming.findSecret(call);
        const name = call.parameters.name ?? '';
        if (place !== undefined || call.key === undefined) return place;
        const { world } = call.key;
        const intern = call.behaviour.findIntern(world, call.parameters.internId ?? '');
        return intern === 'own' && world.secrets.sibling.has(name) ? { scope: 'sibling', name } : undefined;
      },
    },
  },
  {
    id: 'secret-name.accepts-256-characters',
    section: '2.3',
    description: 'A name of 256 characters is taken for well-formed',
    behaviour: {
      ...conforming,
      isSecretName: (name) => name.length <= LONGEST_SECRET_NAME + 1 && hasSecretNameShape(name),
    },
  },
  {
    id: 'guardrail-read.limit-as-string',
    section: '2.1',
    description: 'limit_usd is a string',
    behaviour: {
      ...conforming,
      guardrailView: (_call, guardrail) => ({ ...guardrail, limit_usd: String(guardrail.limit_usd) }),
    },
  },
  {
    id: 'key-info.daily-of-another-key',
    section: '2.2',
    description: 'usage_daily is that of another key of the workspace',
    behaviour: {
      ...conforming,
      keyInformation: (_call, key) => ({
        ...key.information,
        usage_daily: anotherKey(key).information.usage_daily,
      }),
    },
  },
  {
    id: 'auth.key-case-insensitive',
    section: '5',
    description: 'Keys are compared without regard to case',
    behaviour: {
      ...conforming,
      authenticate: (authorization, store) => {
        const exact = conforming.authenticate(authorization, store);
        const text = bearerKey(authorization)?.toLowerCase();
        if (exact !== undefined || text === undefined) return exact;
        for (const key of store.keys()) if (key.text.toLowerCase() === text) return key;
        return undefined;
      },
    },
  },
  {
    id: 'envelope.vault-404-without-message',
    section: '2.4',
    description: 'The 404 of the vault has no error.message',
    behaviour: {
      ...conforming,
      envelope: (call, refusal) =>
        call.operation.startsWith('vault-') && refusal.status === 404
          ? { error: { code: refusal.status } }
          : conforming.envelope(call, refusal),
    },
  },
  {
    id: 'inference.model-down-500',
    section: '7.3',
    description: 'A model that is down is answered 500',
    behaviour: {
      ...conforming,
      faults: {
        ...conforming.faults,
        model_down: { on: 'inference', refusal: { status: 500, message: 'The chosen model is down' } },
      },
    },
  },
  {
    id: 'stream-error.finish-reason-stop',
    section: '6',
    description: 'The in-band error event has the finish_reason "stop"',
    behaviour: {
      ...conforming,
      streamErrorEvent: (head, refusal) => ({
        ...conforming.streamErrorEvent(head, refusal),
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
      }),
    },
  },
  {
    id: 'credit-limit.overdrawn-uses-free-models',
    section: '8.1',
    description: 'An account with a negative balance may use free models',
    behaviour: {
      ...conforming,
      gates: {
        ...conforming.gates,
        inference: replaceGate(inferenceGates, 'account-balance', (call, original) =>
          call.inference !== undefined && call.behaviour.isFreeModel(call.inference.model)
            ? undefined
            : original(call),
        ),
      },
    },
  },
  {
    id: 'rate-limit.21-per-minute',
    section: '8.2',
    description: 'A free model may be asked 21 times a minute',
    behaviour: { ...conforming, limits: { ...conforming.limits, perMinute: 21 } },
  },
  {
    id: 'secrecy.value-in-503-header',
    section: '1',
    description: 'The 503 of the vault carries the value of the secret in a header',
    behaviour: {
      ...conforming,
      answer: (answer, call) => {
        const place = answer.status === 503 ? conforming.findSecret(call) : undefined;
        const value = place && call.key?.world.secrets[place.scope].get(place.name);
        return value !== undefined && FIT_FOR_HEADER.test(value)
          ? { ...answer, headers: { ...answer.headers, 'X-Debug': value } }
          : answer;
      },
    },
  },
];

// Node refuses to send any other header value.
const FIT_FOR_HEADER = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

function anotherKey(key: Key): Key {
  const role: Role = key.role === 'member' ? 'management' : 'member';
  return key.world.keys.get(role) ?? key;
}
