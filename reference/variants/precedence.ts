import { findRefusal } from '../application.js';
import type { Behaviour, Call, Gate, GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { countUp, type Mutation } from '../mutation.js';
import { everyday, permitted, type VariantRows } from '../variant.js';
import type { Operation } from '../vocabulary.js';

/** Variants that report another of several faults in a request: the document states no precedence (§7.1). */
export const precedenceVariants: VariantRows = {
  'gates-reversed': everyday('7.1')(
    'What is wrong with a request is looked for in the opposite order; faults still come last',
    everyOperation(reverse),
  ),
  'malformed-first': everyday('7.1')(
    'What is malformed (400) is reported before anything else',
    putFirst('intern-id', 'secret-name', 'request-body', 'inference-request', 'known-model'),
  ),
  'key-first': permitted('7.1')(
    'What is wrong with the key (401) is reported before anything else, the hostname included',
    putFirst('authentication', 'key-enabled', 'no-provisioning-key'),
  ),
  'forbidden-first': everyday('7.1')(
    'What is forbidden (403) is reported before anything else',
    putFirst('workspace-scope', 'regional-host', 'management-key', 'inference-key'),
  ),
  'writes-disabled-first': everyday('7.1')(
    'Disabled vault writes (503) are reported before anything else',
    putFirst('vault-writes'),
  ),
  'faults-first': everyday('7.1')(
    'A back end in trouble is reported before anything else with a known key',
    putFirst('fault'),
  ),
  'gates-in-turns': everyday('7.1')('Which of several errors is reported changes by turns', alternate()),
};

// Orders of the gates, for variants that differ in which of several faults they report.

type Gates = readonly Gate[];

/** Changes the gates of every operation in the same way. */
export function everyOperation(change: (gates: Gates) => Gates): Pick<Behaviour, 'gates'> {
  const changed: Record<Operation, Gates> = { ...conforming.gates };
  for (const operation of Object.keys(changed) as Operation[])
    changed[operation] = change(changed[operation]);
  return { gates: changed };
}

/** Puts the gates with these names first, in the order given. */
function putFirst(...names: readonly GateName[]): Mutation {
  return everyOperation((gates) => [...pickGates(gates, names), ...omitGates(gates, names)]);
}

/** Reverses the gates; faults still come last. */
function reverse(gates: Gates): Gates {
  return [...omitGates(gates, ['fault']).toReversed(), ...pickGates(gates, ['fault'])];
}

/** Reverses the gates for every other call of the server. */
function alternate(): Mutation {
  return everyOperation((gates) => {
    const orders = [gates, reverse(gates)];
    const refuse = (call: Call) => findRefusal(orders[countUp(call, 'turns of the gates') % 2] ?? [], call);
    return gates.length === 0 ? gates : [{ name: 'fault', refuse }];
  });
}

function pickGates(gates: Gates, names: readonly GateName[]): Gates {
  return names.flatMap((name) => gates.filter((gate) => gate.name === name));
}

function omitGates(gates: Gates, names: readonly GateName[]): Gates {
  return gates.filter((gate) => !names.includes(gate.name));
}
