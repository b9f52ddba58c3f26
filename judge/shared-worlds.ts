import type { World } from '../targets/world.js';
import type { Attempt } from './attempt.js';
import { vaultRequestsPerWorld } from './lane.js';

interface Lease {
  readonly world: World;
  used: number;
}

// What a listed check sends at the most.
const perCheck = 20;
// Free models serve an account twenty requests a minute: fewer checks that use them may share a world.
const weightOfInference = 3;

/** Worlds that several checks use one after another, where every request is dear. */
export class SharedWorlds {
  readonly #idle: Lease[] = [];

  /** A world that no other check is using, and how to hand it on. */
  async lease(
    open: () => Promise<World>,
  ): Promise<{ readonly world: World; readonly handOn: (made: Attempt) => Promise<void> }> {
    const lease = this.#idle.pop() ?? { world: await open(), used: 0 };
    return { world: lease.world, handOn: (made) => this.#handOn(lease, made) };
  }

  /** Gives the worlds back. */
  async giveBack(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map(({ world }) => world.giveBack()));
  }

  /** A world in which something went wrong, or that was asked enough, serves no further check. */
  async #handOn(lease: Lease, { findings, disturbed, requests, isInference }: Attempt): Promise<void> {
    lease.used += requests * (isInference ? weightOfInference : 1);
    const isSpent = lease.used + perCheck > vaultRequestsPerWorld;
    if (isSpent || findings.length > 0 || disturbed !== undefined) await lease.world.giveBack();
    else this.#idle.push(lease);
  }
}
