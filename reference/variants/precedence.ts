import { firstRefusal } from '../application.js';
import type { Behaviour, Call, Gate, GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { counted, type Mutation } from '../mutation.js';
import { everyday, makeVariants, permitted, type Variant } from '../variant.js';
import type { Operation } from '../vocabulary.js';

/** Variants that tell another of several things wrong: no precedence among them is stated (§7.1). */
export const precedenceVariants: readonly Variant[] = [
  ...makeVariants('7.1', {
    'gates-reversed': everyday(
      'What is wrong with a request is looked for in the opposite order; faults still come last',
      everyOperation(reversed),
    ),
    'malformed-first': everyday(
      'What is malformed (400) is told before anything else that is wrong',
      foremost('intern-id', 'secret-name', 'request-body', 'inference-request', 'known-model'),
    ),
    'key-first': permitted(
      'What is wrong with the key (401) is told before anything else, the hostname included',
      foremost('authentication', 'key-enabled', 'no-provisioning-key'),
    ),
    'forbidden-first': everyday(
      'What is forbidden (403) is told before anything else that is wrong',
      foremost('workspace-scope', 'regional-host', 'management-key', 'inference-key'),
    ),
    'absence-first': permitted(
      'What does not exist (404) is told before anything else that is wrong with a known key',
      foremost('secret-exists', 'intern-in-workspace', 'intern-programme', 'guardrail-exists'),
    ),
    'writes-disabled-first': everyday(
      'Disabled vault writes (503) are told before anything else that is wrong',
      foremost('vault-writes'),
    ),
    'faults-first': everyday(
      'A back end in trouble is told before anything else that is wrong with a known key',
      foremost('fault'),
    ),
    'name-before-key': permitted(
      'A malformed secret name is told before a missing key, but after the hostname',
      foremost('regional-host', 'secret-name'),
    ),
    'path-after-scope': permitted(
      "The key's scope and programme are looked at before the path and the body",
      hindmost(
        'intern-programme',
        'workspace-scope',
        'intern-id',
        'secret-name',
        'request-body',
        'vault-writes',
        'intern-in-workspace',
        'secret-exists',
      ),
    ),
    'host-last': permitted(
      'The regional hostname is told only where nothing else is wrong',
      hindmost('regional-host'),
    ),
    'key-last': permitted(
      'A missing, disabled or provisioning key is told only where nothing else is wrong',
      hindmost('no-provisioning-key', 'key-enabled', 'authentication'),
    ),
    'path-last': permitted(
      'A malformed path or body is told only where nothing else is wrong',
      hindmost('request-body', 'secret-name', 'intern-id'),
    ),
    'existence-before-writes-disabled': permitted(
      'That the secret does not exist is told before disabled vault writes',
      hindmost('vault-writes'),
    ),
    'gates-rotated-by-3': permitted(
      'What is looked at first is what the reference looks at fourth, and so on round',
      rotated(3),
    ),
    'gates-rotated-by-7': permitted(
      'What is looked at first is what the reference looks at eighth, and so on round',
      rotated(7),
    ),
    'gates-in-turns': everyday('Which of several things wrong is told changes from call to call', inTurns()),
  }),
  ...makeVariants('4.2', {
    'guardrail-existence-before-key-kind': permitted(
      'An ordinary key is told 404 for a guardrail that does not exist, and 403 for one that does',
      hindmost('management-key'),
    ),
  }),
  ...makeVariants('8.1', {
    'limits-before-credit': permitted(
      'A rate limit (429) is told before missing credit (402), the limit of the day first',
      hindmost('free-day', 'free-minute', 'key-limit', 'account-balance'),
    ),
  }),
];

// Orders of the gates, for the variants that differ in which of several things wrong they tell.

type Gates = readonly Gate[];

/** The gates of every operation are changed in the same way. */
export function everyOperation(change: (gates: Gates) => Gates): Pick<Behaviour, 'gates'> {
  const changed: Record<Operation, Gates> = { ...conforming.gates };
  for (const operation of Object.keys(changed) as Operation[])
    changed[operation] = change(changed[operation]);
  return { gates: changed };
}

/** The gates with these names come first, in the order given. */
export function foremost(...names: readonly GateName[]): Mutation {
  return everyOperation((gates) => [...named(gates, names), ...others(gates, names)]);
}

/** The gates with these names come last, in the order given; only faults come later. */
function hindmost(...names: readonly GateName[]): Mutation {
  return everyOperation((gates) => faultsLast([...others(gates, names), ...named(gates, names)]));
}

/** The gates come in the opposite order; faults still come last. */
function reversed(gates: Gates): Gates {
  return faultsLast(gates.toReversed());
}

/** So many of the first gates come last; faults still come after them. */
function rotated(places: number): Mutation {
  return everyOperation((gates) => faultsLast([...gates.slice(places), ...gates.slice(0, places)]));
}

/** Every other call of the server meets the gates in the opposite order. */
function inTurns(): Mutation {
  return everyOperation((gates) => {
    const orders = [gates, reversed(gates)];
    const refuse = (call: Call) => firstRefusal(orders[counted(call, 'turns of the gates') % 2] ?? [], call);
    return gates.length === 0 ? gates : [{ name: 'fault', refuse }];
  });
}

/** Some operations have one reason more to refuse, which is looked for first. */
export function alsoRefused(
  operations: readonly Operation[],
  name: GateName,
  refuse: Gate['refuse'],
): Pick<Behaviour, 'gates'> {
  const changed: Record<Operation, Gates> = { ...conforming.gates };
  for (const operation of operations) changed[operation] = [{ name, refuse }, ...changed[operation]];
  return { gates: changed };
}

function named(gates: Gates, names: readonly GateName[]): Gates {
  return names.flatMap((name) => gates.filter((gate) => gate.name === name));
}

function others(gates: Gates, names: readonly GateName[]): Gates {
  return gates.filter((gate) => !names.includes(gate.name));
}

function faultsLast(gates: Gates): Gates {
  return [...others(gates, ['fault']), ...named(gates, ['fault'])];
}
