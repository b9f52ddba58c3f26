import { setTimeout as wait } from 'node:timers/promises';
import type { Call, Gate, SecretPlace } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { fault, gate } from '../mutation.js';
import { makeVariants, type Variant } from '../variant.js';
import { regionalHostGate } from '../vault.js';
import { alsoRefused, everyOperation } from './gate-order.js';

/** Variants of the vault: ids, hostnames, its rate limit, and what happens at the same time (§4.1, §7.1). */
export const vaultVariants: readonly Variant[] = [
  ...makeVariants('4.1', {
    'upper-case-ids-refused': {
      description: 'An internId in upper case is refused with 400',
      override: {
        isInternId: (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/.test(text),
      },
    },
    'version-4-ids-only': {
      everyday: 'An internId that is a UUID of another version or kind is refused with 400',
      override: { isInternId: isVersion4 },
    },
  }),
  ...makeVariants('4.2', {
    'malformed-guardrail-id-400': {
      description: 'A guardrail id that is no UUID of version 4 is refused with 400',
      override: alsoRefused(['guardrail-read'], 'guardrail-exists', ({ parameters }) =>
        isVersion4(parameters.id ?? '') ? undefined : { status: 400, message: 'id is not a UUID' },
      ),
    },
  }),
  ...makeVariants('5', {
    'regional-everywhere': {
      everyday: 'The regional hostname is refused on every route, not the vault alone',
      override: everyOperation((gates) => [
        regionalHostGate,
        ...gates.filter((candidate) => candidate !== regionalHostGate),
      ]),
    },
    'regional-refused-on-key-read': {
      description: 'The regional hostname is refused on the key read too, and on no other route',
      override: alsoRefused(['key-read'], 'regional-host', regionalHostGate.refuse),
    },
    'regional-elsewhere-misdirected': {
      everyday: 'On the regional hostname the guardrail read gets 404, and the key read 421 whatever the key',
      override: {
        gates: {
          ...conforming.gates,
          'guardrail-read': [regionalRefusedWith(404), ...conforming.gates['guardrail-read']],
          'key-read': [regionalRefusedWith(421), ...conforming.gates['key-read']],
        },
      },
    },
    'trailing-dot-not-regional': {
      everyday: 'A regional hostname with a trailing dot is not taken for regional',
      override: {
        isRegionalHost: (host, regionalHost) =>
          host?.toLowerCase().replace(/:\d*$/, '') === regionalHost.toLowerCase(),
      },
    },
  }),
  ...makeVariants('7.1', {
    'vault-429-like-a-platform-limit': {
      everyday: "The vault's 429 carries X-RateLimit headers, Retry-After and error_type",
      override: fault('vault_rate_limited', {
        metadata: { error_type: 'rate_limit_exceeded' },
        platform: { limit: 60, freesInMs: 1000 },
        headers: { 'Retry-After': '0' },
      }),
    },
    'vault-429-with-a-date': {
      description: "The vault's 429 carries Retry-After as a date, and an error_type of its own",
      override: fault('vault_rate_limited', {
        metadata: { error_type: 'vault_limit' },
        headers: { 'Retry-After': 'Sunday, 06-Nov-94 08:49:37 GMT' },
      }),
    },
    'late-failures-delete': {
      everyday: 'A delete that ends in 408, 502 or 504 has taken effect all the same',
      override: gate('vault-delete', 'fault', (call, original) => {
        const refusal = original(call);
        if (refusal !== undefined && [408, 502, 504].includes(refusal.status)) {
          call.behaviour.effects['vault-delete'](call);
        }
        return refusal;
      }),
    },
  }),
  ...makeVariants('4.1', {
    'simultaneous-deletes-both-204': {
      description: 'Two deletes of one secret at the same time both get 204',
      override: {
        findSecret: (call) => conforming.findSecret(call) ?? beingDeleted(call),
        removeSecret: (call, place) => {
          conforming.removeSecret(call, place);
          deletesUnderWay(call).add(addressOf(call));
        },
        transmit: async (response, answer, call) => {
          if (call.operation === 'vault-delete' && answer.status === 204) {
            await wait(3);
            deletesUnderWay(call).delete(addressOf(call));
          }
          await conforming.transmit(response, answer, call);
        },
      },
    },
  }),
];

function regionalRefusedWith(status: number): Gate {
  return {
    name: 'regional-host',
    refuse: (call) => {
      const refusal = regionalHostGate.refuse(call);
      return refusal === undefined ? undefined : { ...refusal, status };
    },
  };
}

function isVersion4(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(text);
}

/** The secret that another call is deleting, as long as that call is not answered. */
function beingDeleted(call: Call): SecretPlace | undefined {
  if (call.key === undefined || !deletesUnderWay(call).has(addressOf(call))) return undefined;
  const { internId = '', name = '' } = call.parameters;
  const scope = call.behaviour.findIntern(call.key.world, internId);
  return scope === undefined ? undefined : { scope, name };
}

function deletesUnderWay({ server }: Call): Set<string> {
  const known = server.memory.get('deletes under way');
  if (known instanceof Set) return known;
  const fresh = new Set<string>();
  server.memory.set('deletes under way', fresh);
  return fresh;
}

function addressOf({ key, parameters }: Call): string {
  return `${key?.world.id} ${parameters.internId?.toLowerCase()} ${parameters.name}`;
}
