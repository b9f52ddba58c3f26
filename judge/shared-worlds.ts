import type { World } from '../targets/world.js';
import type { Attempt } from './finding.js';
import { vaultRequestsPerWorld } from './limits.js';
import type { Depth } from './plan.js';

/** Attempts that may share worlds with one another. */
export type Pool = 'plain' | 'free-usage' | 'names';

/** Which attempts share worlds, and how much each may ask. */
interface Sharing {
  readonly pools: readonly Pool[];
  /** Vault requests that a check sends at the most, where it does not say that it sends more. */
  readonly perCheck: number;
}

/**
 * What is shared at a depth. Names that are not fresh are shared only where every request is dear: what one check left
 * behind by an accident could look like a violation to another.
 */
const sharingAt: Readonly<Record<Depth, Sharing>> = {
  quick: { pools: ['plain', 'free-usage', 'names'], perCheck: 13 },
  standard: { pools: ['plain', 'free-usage'], perCheck: 20 },
  deep: { pools: ['plain', 'free-usage'], perCheck: 20 },
};

/** A shared world in use, and how to hand it on. */
export interface Lent {
  readonly world: World;
  readonly handOn: (made: Attempt) => Promise<void>;
}

interface Lease {
  readonly pool: Pool;
  readonly world: World;
  used: number;
}

// Free models serve an account twenty requests a minute: fewer checks that use them may share a world.
const weightOfInference = 3;

/** Worlds that several checks use one after another, where every request is dear. */
export class SharedWorlds {
  readonly #idle = new Set<Lease>();
  readonly #sharing: Sharing;

  constructor(depth: Depth) {
    this.#sharing = sharingAt[depth];
  }

  /** Whether attempts of a kind share worlds at all. */
  shares(pool: Pool): boolean {
    return this.#sharing.pools.includes(pool);
  }

  /** A world that no other check is using and that has room for so many vault requests, and how to hand it on. */
  async lease(pool: Pool, room: number | undefined, open: () => Promise<World>): Promise<Lent> {
    const usedAtMost = vaultRequestsPerWorld - (room ?? this.#sharing.perCheck);
    const known = [...this.#idle].find((idle) => idle.pool === pool && idle.used <= usedAtMost);
    if (known !== undefined) this.#idle.delete(known);
    const lease = known ?? { pool, world: await open(), used: 0 };
    return { world: lease.world, handOn: (made) => this.#handOn(lease, made) };
  }

  /** Gives the worlds back. */
  async giveBack(): Promise<void> {
    const idle = [...this.#idle];
    this.#idle.clear();
    await Promise.all(idle.map(({ world }) => world.giveBack()));
  }

  /** A world in which something went wrong, or that was asked enough, serves no further check. */
  async #handOn(
    lease: Lease,
    { findings, disturbed, notShown, requests, isInference }: Attempt,
  ): Promise<void> {
    lease.used += requests * (isInference ? weightOfInference : 1);
    const isSpent = lease.used + this.#sharing.perCheck > vaultRequestsPerWorld;
    if (isSpent || findings.length > 0 || (disturbed ?? notShown) !== undefined) await lease.world.giveBack();
    else this.#idle.add(lease);
  }
}
