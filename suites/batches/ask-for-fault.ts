import type { Fault } from '../../spec/vocabulary.js';
import { Unavailable, type World } from '../../targets/world.js';

/**
 * Makes a world suffer a fault of a chain. Throws Unavailable where it is refused, after it has asked for the others too:
 * all that are refused are known then, so that the chain is tried again no more often for many of them than for one.
 */
export async function askForFault(world: World, fault: Fault, chain: readonly Fault[]): Promise<void> {
  try {
    await world.setFaults(fault);
  } catch (error) {
    if (error instanceof Unavailable) {
      for (const other of chain.filter((one) => one !== fault)) await world.setFaults(other).catch(passOver);
      await world.setFaults();
    }
    throw error;
  }
}

function passOver(error: unknown): void {
  if (!(error instanceof Unavailable)) throw error;
}
