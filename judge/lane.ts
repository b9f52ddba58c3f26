import type { World } from '../targets/world.js';
import { type AttemptMeans, attemptIn, makeAttempt, type Trial } from './attempt.js';
import type { Attempt } from './finding.js';
import { vaultRequestsPerWorld } from './limits.js';

/** Sends cases one after another into worlds that several of them share; many lanes run side by side. */
export class Lane {
  readonly #means: AttemptMeans;
  readonly #vaultRequests: number;
  #worlds: World[] = [];
  #used = 0;

  /** @param vaultRequests what one case sends to the vault at most */
  constructor(means: AttemptMeans, vaultRequests: number) {
    this.#means = means;
    this.#vaultRequests = vaultRequests;
  }

  /** Makes one attempt; a world in which something went wrong serves no further case. */
  async attempt(trial: Trial): Promise<Attempt> {
    return await makeAttempt(() => this.#attempt(trial), this.#means);
  }

  async #attempt(trial: Trial): Promise<Attempt> {
    if (this.#used + this.#vaultRequests > vaultRequestsPerWorld) await this.giveBack();
    let asked = 0;
    const made = await attemptIn(() => this.#lease(asked++, trial), trial, this.#means);
    this.#used += Math.min(made.requests, this.#vaultRequests);
    if (trial.spoilsWorld === true || made.findings.length > 0 || made.disturbed !== undefined)
      await this.giveBack();
    return made;
  }

  /** Gives the worlds back. */
  async giveBack(): Promise<void> {
    const worlds = this.#worlds;
    this.#worlds = [];
    this.#used = 0;
    await Promise.all(worlds.map((world) => world.giveBack()));
  }

  async #lease(place: number, trial: Trial): Promise<World> {
    this.#means.signal.throwIfAborted();
    const known = this.#worlds[place];
    if (known !== undefined) return known;
    const world = await this.#means.target.openWorld(trial.subject);
    this.#worlds.push(world);
    return world;
  }
}
