import { firstRefusal } from '../application.js';
import type { Behaviour, Call, Gate, GateName } from '../behaviour.js';
import { conforming } from '../conforming.js';
import { counted, type Override } from '../mutation.js';
import type { Operation } from '../vocabulary.js';

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
export function foremost(...names: readonly GateName[]): Override {
  return everyOperation((gates) => [...named(gates, names), ...others(gates, names)]);
}

/** The gates with these names come last, in the order given; only faults come later. */
export function hindmost(...names: readonly GateName[]): Override {
  return everyOperation((gates) => faultsLast([...others(gates, names), ...named(gates, names)]));
}

/** The gates come in the opposite order; faults still come last. */
export function reversed(gates: Gates): Gates {
  return faultsLast(gates.toReversed());
}

/** So many of the first gates come last; faults still come after them. */
export function rotated(places: number): Override {
  return everyOperation((gates) => faultsLast([...gates.slice(places), ...gates.slice(0, places)]));
}

/** Every other call of the server meets the gates in the opposite order. */
export function inTurns(): Override {
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
