import { setTimeout as wait } from 'node:timers/promises';
import { authenticate, parseBearerKey } from '../authentication.js';
import { type Answer, type Call, type GateName, JSON_MEDIA_TYPE, type Refusal } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { intermittent, type MutantRows, plain, rare, subtle, tabulateAlike } from '../mutant.js';
import {
  actWhenRefused,
  countUp,
  dropGate,
  editAnswer,
  editGate,
  type Mutation,
  readAged,
  refuseFirst,
  refuseLast,
  remember,
  transmitAs,
  type When,
} from '../mutation.js';
import type { Fault, Operation } from '../vocabulary.js';
import type { Key } from '../world.js';
import { during, isFree, nameOf, withoutKey } from './conditions.js';
import { actBeside, keepSecret, removeNamed, takeAlong } from './vault-mutations.js';

const memories = new WeakMap<object, Map<string, unknown>>();
const keysRead = { operation: 'key-read', status: 200 } as const;

/** Mutants in which one request changes the answer to another: on one connection, at once, or soon after (§4, §5, §8.2). */
export const overTimeMutants: MutantRows = {
  'auth.key-stays-with-the-connection': subtle('auth.missing-key')(
    'A key read without a key is served with the key that was last accepted on the connection',
    {
      receive: (call) => {
        const memory = memoryOf(call);
        if (call.key?.traits.enabled === true) memory.set('key', call.key);
        const isServed = call.operation === 'key-read' && withoutKey(call);
        return isServed ? { ...call, key: memory.get('key') as Key | undefined } : call;
      },
    },
  ),
  // Jetty 9 does so, unless its cache of headers is configured to be case-sensitive.
  'auth.header-cached-in-any-case': subtle('auth.altered-key')(
    'A key read whose header came over the connection before, in whatever letter case, is served as that one was',
    {
      receive: (call) => {
        const header = call.headers.authorization;
        if (call.operation !== 'key-read' || header === undefined) return call;
        const memory = memoryOf(call);
        const first = memory.get(header.toLowerCase()) ?? header;
        memory.set(header.toLowerCase(), first);
        return { ...call, key: authenticate(String(first), call.server.store) };
      },
    },
  ),
  ...tabulateAlike('auth', subtle('auth.altered-key'), acceptInAnyCase, [
    ['accepted-key-in-any-case', 'Once accepted, a key is read in any letter case', 'key-read'],
    ['accepted-key-in-any-case-deletes', 'Once accepted, a key deletes in any letter case', 'vault-delete'],
    ['accepted-key-in-any-case-infers', 'Once accepted, a key infers in any letter case', 'inference'],
  ]),
  'key-info.connection-wears-out': intermittent('key-info.200.read')(
    'Every key read after the thirtieth over the same connection gets 500',
    refuseLast('key-read', 500, (call) => {
      const reads = Number(memoryOf(call).get('reads') ?? 0) + 1;
      memoryOf(call).set('reads', reads);
      return reads > 30;
    }),
  ),
  'key-info.aborted-with-the-delete-before': subtle('key-info.200.read')(
    'After a delete with 500, the next key read on the same connection gets 500 too',
    {
      answer: (answer, call) => {
        const memory = memoryOf(call);
        if (answer.status === 500) memory.set('aborted', true);
        return call.operation === 'key-read' && memory.delete('aborted')
          ? call.behaviour.refuse(call, { status: 500, message: 'The transaction is aborted' })
          : answer;
      },
    },
  ),
  'key-info.crossed-at-once': intermittent('key-info.200.own-figures')(
    'Simultaneous key reads all get the answer of the last of them',
    transmitAs(keysRead, async (response, answer, call) => {
      call.server.memory.set('answer', answer);
      await wait(2);
      return conforming.transmit(response, call.server.memory.get('answer') as Answer, call);
    }),
  ),
  'key-info.cached-for-every-key': subtle('key-info.200.own-figures')(
    'A key read is cached for 150 ms and served to any key within that time',
    editAnswer(keysRead, (answer, call) => readAged(call, 'cached', 150, () => answer)),
  ),
  'guardrail-read.cached-for-every-key': subtle('guardrail-read.management-key-only')(
    'A guardrail is cached for a second and served to any key within that time',
    editGate('guardrail-read', 'management-key', (call, original) => {
      const { memory, now } = call.server;
      const refusal = original(call);
      const name = `cached ${call.parameters.id}`;
      if (refusal === undefined) memory.set(name, now());
      const at = memory.get(name);
      return typeof at === 'number' && now() - at < 1000 ? undefined : refusal;
    }),
  ),
  'rate-limit.counted-20-ms-late': intermittent('rate-limit.minute.refused')(
    'A request to a free model is counted 20 ms after it was let in, so that many at once pass',
    {
      countUse: ({ server }, usage) => {
        const now = server.now();
        setTimeout(() => usage.add(now), 20).unref();
      },
    },
  ),
  'rate-limit.streams-counted-20-ms-late': intermittent('rate-limit.minute.refused')(
    'A streamed request to a free model is counted 20 ms after it was let in',
    {
      countUse: ({ server, inference }, usage) => {
        const now = server.now();
        if (inference?.stream === true) setTimeout(() => usage.add(now), 20).unref();
        else usage.add(now);
      },
    },
  ),
  'vault-delete.outsider-beside-a-member': intermittent('vault-delete.404.outside-programme')(
    'An outsider may delete while another key of the same workspace does',
    passBesideOthers('vault-delete', 'intern-programme'),
  ),
  'vault-delete.no-scope-beside-a-member': intermittent('vault-delete.403.no-scope')(
    'An unscoped key may delete while another key of the same workspace does',
    passBesideOthers('vault-delete', 'workspace-scope'),
  ),
  'credit-limit.exhausted-beside-a-member': intermittent('credit-limit.exhausted')(
    'A key without credit is served while another key of the same workspace is',
    passBesideOthers('inference', 'key-limit'),
  ),
  'vault-delete.purged-later': subtle('vault-delete.204.stored-again')(
    'A delete is done again 0.7 s later, whatever was stored meanwhile',
    takeAlong(({ key }, { scope, name }) => {
      setTimeout(() => key?.world.secrets[scope].delete(name), 700).unref();
    }),
  ),
  'vault-delete.refused-write-retried': subtle('vault-delete.503.keeps')(
    'A delete that disabled writes refused is tried again every 0.3 s, and done once they are enabled',
    actWhenRefused('vault-delete', 'fault', (call) => {
      const { faults } = call.key?.world ?? {};
      if (faults?.includes('vault_writes_disabled') !== true) return;
      const retry = (left: number) => {
        if (call.key?.world.faults.length === 0) removeNamed(call);
        else if (left > 0) setTimeout(retry, 300, left - 1).unref();
      };
      setTimeout(retry, 300, 9).unref();
    }),
  ),
  'vault-delete.locked-after-timeout': subtle('vault-delete.504.timeout')(
    'A secret whose delete timed out is locked for half a second: another delete of it gets 409',
    editGate('vault-delete', 'fault', (call, original) => {
      const { memory, now } = call.server;
      const refusal = original(call);
      const name = `locked ${call.path}`;
      if (refusal?.status === 504) memory.set(name, now());
      const isLocked = now() - Number(memory.get(name) ?? 0) < 500;
      return refusal ?? (isLocked ? { status: 409, message: 'The secret is locked' } : undefined);
    }),
  ),
  'vault-delete.outsider-passes-at-the-second-try': subtle('vault-delete.404.outside-programme')(
    'A caller outside the intern programme is refused, and passes when the same delete comes again',
    dropGate(
      'vault-delete',
      'intern-programme',
      (call) => countUp(call, `${call.key?.text} ${call.path}`) > 1,
    ),
  ),
  'vault-delete.outsider-passes-after-a-second': rare('vault-delete.404.outside-programme')(
    'A caller outside the intern programme is refused, and passes when the same delete comes again a second later or more',
    dropGate('vault-delete', 'intern-programme', (call) => {
      const { now } = call.server;
      return now() - remember(call, `first ${call.key?.text} ${call.path}`, now) >= 1_000;
    }),
  ),
  'vault-delete.provisioning-key-after-others': subtle('vault-delete.401.provisioning-key')(
    'Provisioning keys may delete once another key of the workspace did',
    passOnceServed('no-provisioning-key'),
  ),
  'vault-delete.no-scope-after-others': subtle('vault-delete.403.no-scope')(
    'Unscoped keys may delete once another key of the workspace did',
    passOnceServed('workspace-scope'),
  ),
  'vault-delete.outsider-after-others': subtle('vault-delete.404.outside-programme')(
    'Outsiders may delete once another key of the workspace did',
    passOnceServed('intern-programme'),
  ),
  'vault-delete.writes-disabled-after-others': subtle('vault-delete.503.writes-disabled')(
    'Callers with disabled writes may delete once another key of the workspace did',
    passOnceServed('vault-writes'),
  ),
  'vault-delete.intern-ids-from-f-404': subtle('vault-delete.204.deleted')(
    'An intern is not found if its id begins with f',
    refuseFirst('vault-delete', 404, ({ parameters }) => parameters.internId?.startsWith('f') === true),
  ),
  'key-info.keys-to-zero-401': subtle('key-info.200.read')(
    'GET /key does not know a key that ends in a zero, a one, a two or a three',
    refuseFirst('key-read', 401, ({ key }) => /[0-3]$/.test(key?.text ?? '')),
  ),
  'vault-delete.names-unchecked-in-few-worlds': subtle('secret-name.refuses.punctuation')(
    'In an eighth of all workspaces a name may contain punctuation, and no such secret is found',
    dropGate(
      'vault-delete',
      'secret-name',
      (call) => isInFewWorlds(call) && /^[a-z][!-@[-^`-~]{0,254}$/.test(nameOf(call)),
    ),
  ),
  'vault-delete.keeps-in-few-worlds': subtle('vault-delete.204.takes-effect')(
    'In an eighth of all workspaces a delete answers 204 and deletes nothing',
    keepSecret(isInFewWorlds),
  ),
  'vault-delete.known-keys-404': plain('vault-delete.204.deleted')(
    'Every delete by a known key gets 404',
    failForKeys('vault-delete', 404),
  ),
  'key-info.known-keys-redirected': plain('key-info.200.read', 'key-info.status-documented')(
    'Every read by a known key is redirected to a page for signing in',
    editAnswer({ operation: 'key-read', when: ({ key }) => key !== undefined }, () => ({
      status: 302,
      headers: { Location: '/login' },
    })),
  ),
  'guardrail-read.down-504': plain('guardrail-read.status-documented', 'guardrail-read.200.read')(
    'Every read by a known key gets 504, which the document does not give for it',
    failForKeys('guardrail-read', 504),
  ),
  'secrecy.vault-down-tells-values': plain('secrecy.body')(
    'The vault is down, and its 503 holds the values that are stored for the intern',
    failForKeys('vault-delete', 503, ({ key }) => ({
      error: { code: 503, message: `Not deleted: ${[...(key?.world.secrets.own.values() ?? [])].join(' ')}` },
    })),
  ),
  'vault-delete.unconfigured-only-before-service': subtle('vault-delete.503.not-configured')(
    'A key whose delete was served deletes without a configured vault too',
    ignoreOnceServed('vault-delete', 204, 'vault_not_configured'),
  ),
  'guardrail-read.error-only-before-service': subtle('guardrail-read.500.internal')(
    'A key that has read the guardrail reads it while reads fail, too',
    ignoreOnceServed('guardrail-read', 200, 'guardrail_internal_error'),
  ),
  'inference.model-down-only-before-service': subtle('inference.502.model-down')(
    'A key that was served is served while the model is down, too',
    ignoreOnceServed('inference', 200, 'model_down'),
  ),
  'auth.expired-session-renewed': subtle('auth.oauth-session')(
    'An expired session is refused at its first key read, and served from then on',
    dropGate('key-read', 'session', (call) => countUp(call, `reads with ${call.key?.text}`) > 1),
  ),
  'inference.free-model-503': plain('inference.routed')(
    'Free models get 503 although paid ones are served',
    editAnswer({ operation: 'inference', status: 200, when: isFree }, () => failure(503)),
  ),
};

function memoryOf({ connection }: Call): Map<string, unknown> {
  const memory = memories.get(connection) ?? new Map<string, unknown>();
  memories.set(connection, memory);
  return memory;
}

/** Remembers the keys that an operation accepted, and accepts them in any letter case from then on. */
function acceptInAnyCase(operation: Operation): Mutation {
  return {
    receive: (call) => {
      const text = parseBearerKey(call.headers.authorization)?.toLowerCase();
      if (call.operation !== operation || text === undefined) return call;
      const name = `accepted ${text}`;
      if (call.key !== undefined) call.server.memory.set(name, call.key);
      return { ...call, key: call.key ?? (call.server.memory.get(name) as Key | undefined) };
    },
  };
}

/** Lets everybody pass a gate of the vault delete once a secret of the world was deleted. */
function passOnceServed(gate: GateName): Mutation {
  return dropGateOnceServed('vault-delete', 204, gate, ({ key }) => `served ${key?.world.id}`);
}

function isInFewWorlds({ key }: Call): boolean {
  return /[01]$/.test(key?.world.id ?? '');
}

/** Ignores a fault for a key that an operation has served. */
function ignoreOnceServed(operation: Operation, status: number, fault: Fault): Mutation {
  const nameMark = ({ key }: Call) => `${operation} served ${key?.text}`;
  return dropGateOnceServed(operation, status, 'fault', nameMark, during(fault));
}

/** Revises the decision of a gate, given the other calls of the operation that are still unanswered. */
function meetOthers(
  operation: Operation,
  gate: GateName,
  decide: (call: Call, others: readonly Call[], refusal: Refusal | undefined) => Refusal | undefined,
): Mutation {
  const inFlight = (call: Call) => remember(call, 'in flight', () => new Set<Call>());
  return {
    ...editGate(operation, gate, (call, original) => {
      const others = [...inFlight(call)].filter((other) => other !== call && other.operation === operation);
      return decide(call, others, original(call));
    }),
    receive: (call) => {
      inFlight(call).add(call);
      return call;
    },
    transmit: async (response, answer, call) => {
      await wait(3);
      inFlight(call).delete(call);
      return conforming.transmit(response, answer, call);
    },
  };
}

/** Lets a call pass a gate while another one of the same workspace is not answered yet. */
function passBesideOthers(operation: Operation, gate: GateName): Mutation {
  return meetOthers(operation, gate, (call, others, refusal) =>
    others.some(({ key }) => key?.role === 'member' && key.world === call.key?.world) ? undefined : refusal,
  );
}

/** Removes a gate of an operation, for some calls or all, once an answer of that status has left the mark of the call. */
function dropGateOnceServed(
  operation: Operation,
  status: number,
  gate: GateName,
  nameMark: (call: Call) => string,
  when: When = () => true,
): Mutation {
  return {
    ...dropGate(operation, gate, (call) => when(call) && call.server.memory.has(nameMark(call))),
    ...actBeside({ operation, status }, (call) => {
      call.server.memory.set(nameMark(call), true);
    }),
  };
}

/** Answers every call with a known key with a status, in the envelope or with a body of its own. */
function failForKeys(operation: Operation, status: number, body?: (call: Call) => Answer['body']): Mutation {
  return editAnswer({ operation, when: ({ key }) => key !== undefined }, (_answer, call) => ({
    ...failure(status),
    ...(body === undefined ? {} : { body: body(call) }),
  }));
}

function failure(status: number): Answer {
  return {
    status,
    headers: { 'Content-Type': JSON_MEDIA_TYPE },
    body: { error: { code: status, message: 'This request is not served' } },
  };
}
