import { setTimeout as wait } from 'node:timers/promises';
import { FreeUsage } from '../accounts.js';
import { bearerKey } from '../authentication.js';
import type { Answer, Call } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { type Mutant, makeMutants } from '../mutant.js';
import { gate, keptForConnection, noGate, type Override } from '../mutation.js';
import type { Key } from '../world.js';
import { hasHeader } from './credential-rule.js';
import { onRegionalHost, withUnknownKey } from './vault-delete-builders.js';

/** Mutants in which requests meet that have nothing to do with one another: on one connection, at once, or soon after (§4, §5, §8.2). */
export const overTimeMutants: readonly Mutant[] = [
  // one connection
  ...makeMutants('5', ['auth.missing-key'], {
    'auth.key-stays-with-the-connection': {
      subtle: 'A key read without a key is served with the key that was last accepted on the connection',
      override: remembersKey((call) => call.operation === 'key-read' && !hasHeader(call)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.401.unknown-key'], {
    'auth.connection-lets-unknown-key-delete': {
      subtle:
        'A vault delete with an unknown key is done with the key that was last accepted on the connection',
      override: remembersKey((call) => call.operation === 'vault-delete' && withUnknownKey(call)),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.403.regional-host'], {
    'vault-delete.host-looked-at-once-per-connection': {
      subtle: 'The regional hostname passes on a connection whose first request was on another',
      override: {
        receive: (call) => {
          keptForConnection(call, 'first host', () => ({ isRegional: onRegionalHost(call) }));
          return call;
        },
        ...noGate(
          'vault-delete',
          'regional-host',
          (call) => !keptForConnection(call, 'first host', () => ({ isRegional: true })).isRegional,
        ),
      },
    },
  }),
  ...makeMutants('4.3', ['key-info.200.values'], {
    'key-info.first-key-after-50-requests': {
      intermittent: 'After 50 requests on a connection a key read reports on the first key of the connection',
      override: {
        receive: (call) => {
          const kept = keptForConnection<Requests>(call, 'requests', () => ({ count: 0 }));
          kept.count += 1;
          kept.first ??= call.key;
          return call;
        },
        keyInformation: (call, key) => {
          const kept = keptForConnection<Requests>(call, 'requests', () => ({ count: 0 }));
          return conforming.keyInformation(call, kept.count > 50 ? (kept.first ?? key) : key);
        },
      },
    },
  }),
  ...makeMutants('4.3', ['key-info.200.read'], {
    'auth.header-lost-after-64-requests': {
      intermittent:
        'From the 65th request on a connection on, the key read does not see the Authorization header',
      override: {
        receive: (call) => {
          const kept = keptForConnection(call, 'requests', () => ({ requests: 0 }));
          kept.requests += 1;
          return call.operation === 'key-read' && kept.requests > 64 ? { ...call, key: undefined } : call;
        },
      },
    },
  }),

  // at once
  ...makeMutants('4.3', ['key-info.200.own-figures'], {
    'key-info.crossed-at-once': {
      intermittent: 'Of key reads at the same time each is answered what the last of them asked for',
      override: {
        transmit: async (response, answer, call) => {
          if (!isRead(call, answer)) return conforming.transmit(response, answer, call);
          call.server.memory.set('answer', answer);
          await wait(2);
          return conforming.transmit(response, call.server.memory.get('answer') as Answer, call);
        },
      },
    },
  }),
  ...makeMutants('4.2', ['guardrail-read.management-key-only'], {
    'guardrail-read.shared-with-a-read-at-once': {
      intermittent: 'Reads of one guardrail at the same time share one answer, whatever their keys',
      override: {
        transmit: async (response, answer, call) => {
          const { memory } = call.server;
          const name = `reading ${call.parameters.id}`;
          if (call.operation !== 'guardrail-read' || call.key === undefined)
            return conforming.transmit(response, answer, call);
          if (answer.status === 200) {
            memory.set(name, answer);
            await wait(5);
            memory.delete(name);
            return conforming.transmit(response, answer, call);
          }
          const before = memory.get(name);
          if (before === undefined) await wait(5);
          return conforming.transmit(response, ((before ?? memory.get(name)) as Answer) ?? answer, call);
        },
      },
    },
  }),
  ...makeMutants('8.2', ['rate-limit.minute.refused'], {
    'rate-limit.counted-20-ms-late': {
      intermittent:
        'A request to a free model is counted 20 ms after it was let in, so that many at once pass',
      override: { usageOf: (_call, key) => new LateUsage(key.usage) },
    },
  }),

  // soon after
  ...makeMutants('4.2', ['guardrail-read.management-key-only'], {
    'guardrail-read.cached-for-every-key': {
      subtle: 'A guardrail is cached for a second, and told to any key that asks for it within that time',
      override: gate('guardrail-read', 'management-key', (call, original) => {
        const { memory, now } = call.server;
        const refusal = original(call);
        const name = `cached ${call.parameters.id}`;
        if (refusal === undefined) memory.set(name, now());
        const at = memory.get(name);
        return typeof at === 'number' && now() - at < 1000 ? undefined : refusal;
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.outsider-passes-at-the-second-try': {
      subtle:
        'A caller outside the intern programme is refused, and passes when the same delete comes again within 5 s',
      override: gate('vault-delete', 'intern-programme', (call, original) => {
        const { memory, now } = call.server;
        const refusal = original(call);
        const name = `refused ${call.key?.text} ${call.path}`;
        const at = memory.get(name);
        if (refusal !== undefined) memory.set(name, now());
        return typeof at === 'number' && now() - at < 5000 ? undefined : refusal;
      }),
    },
  }),
  ...makeMutants('7.1', ['vault-delete.404.outside-programme'], {
    'vault-delete.outsider-passes-after-a-second': {
      subtle:
        'A caller outside the intern programme is refused, and passes when the same delete comes again a second later or more',
      override: gate('vault-delete', 'intern-programme', (call, original) =>
        original(call) !== undefined && sinceFirst(call) < 1_000 ? original(call) : undefined,
      ),
    },
  }),
  ...makeMutants('7.3', ['auth.disabled-key'], {
    'auth.disabled-key-comes-back-after-5-s': {
      subtle:
        'A disabled key reads its limits from 5 s after it was refused first, when a cache forgets that it is',
      override: gate('key-read', 'key-enabled', (call, original) =>
        original(call) !== undefined && sinceFirst(call) < 5_000 ? original(call) : undefined,
      ),
    },
  }),
  ...makeMutants('4.3', ['key-info.200.read'], {
    'auth.key-blocked-after-a-like-one': {
      subtle:
        'Once an unknown key was refused, the key read refuses keys that begin with the same 12 characters for a second',
      override: {
        receive: (call) => {
          const { memory, now } = call.server;
          const text = bearerKey(call.headers.authorization);
          if (text === undefined || call.operation !== 'key-read') return call;
          const name = `refused ${text.slice(0, 12)}`;
          if (call.key === undefined) memory.set(name, now());
          const at = memory.get(name);
          const isBlocked = typeof at === 'number' && now() - at < 1000;
          return isBlocked ? { ...call, key: undefined } : call;
        },
      },
    },
  }),
];

/** Milliseconds since a key first asked for a path. */
function sinceFirst({ key, path, server }: Call): number {
  const name = `first ${key?.text} ${path}`;
  const first = server.memory.get(name) ?? server.now();
  server.memory.set(name, first);
  return server.now() - Number(first);
}

interface Requests {
  count: number;
  first?: Key | undefined;
}

/** Some calls without a known key have the key that was last accepted on their connection. */
function remembersKey(when: (call: Call) => boolean): Override {
  return {
    receive: (call) => {
      const kept = keptForConnection<{ key?: Key }>(call, 'key of the connection', () => ({}));
      if (call.key?.traits.enabled === true) kept.key = call.key;
      return call.key === undefined && when(call) ? { ...call, key: kept.key } : call;
    },
  };
}

function isRead({ operation }: Call, { status }: Answer): boolean {
  return operation === 'key-read' && status === 200;
}

/** What an account has used, which is told at once and counted later. */
class LateUsage extends FreeUsage {
  readonly #usage: FreeUsage;

  constructor(usage: FreeUsage) {
    super();
    this.#usage = usage;
  }

  override add(now: number): void {
    setTimeout(() => this.#usage.add(now), 20).unref();
  }

  override inMinute(now: number): number {
    return this.#usage.inMinute(now);
  }

  override inDay(now: number): number {
    return this.#usage.inDay(now);
  }

  override minuteFreesIn(now: number): number {
    return this.#usage.minuteFreesIn(now);
  }
}
