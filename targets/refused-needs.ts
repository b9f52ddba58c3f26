import { type Need, unlocks } from '../spec/need.js';

/** A refusal of something that a target says it offers. */
export interface Refusal {
  readonly need: Need;
  /** What was asked, without what differs from one world to the next: `PUT /worlds/{id}/guardrail`. */
  readonly call: string;
  readonly status: number;
  readonly world: string;
}

// A single 404 may mean that a world has expired, so a second world must say the same.
const worldsNeeded = 2;

/** What a target turned out not to offer while it was judged. Remembered for the run, so that it is not asked again. */
export class RefusedNeeds {
  readonly #worlds = new Map<string, Set<string>>();
  readonly #granted = new Map<string, Need>();
  readonly #refused = new Map<string, { readonly need: Need; readonly why: string }>();
  #count = 0;

  /** Refusals so far: a check that met one may do without what was refused when it is tried again. */
  get count(): number {
    return this.#count;
  }

  /** Notes that a call did what it was asked. From then on a refusal of it is a disturbance. */
  grant(call: string, need: Need): void {
    this.#granted.set(call, need);
  }

  /** Whether a call has done what it was asked before. */
  isGranted(call: string): boolean {
    return this.#granted.has(call);
  }

  /** Notes that a call was refused as not offered, and says what would unlock what needed it. */
  refuse({ need, call, status, world }: Refusal): string {
    const why = `${unlocks(need)} (the control call ${call} was answered ${status})`;
    const worlds = this.#worlds.get(call) ?? new Set();
    this.#worlds.set(call, worlds.add(world));
    this.#count += 1;
    if (worlds.size >= worldsNeeded) this.#refused.set(call, { need, why });
    return why;
  }

  /** Notes that a need cannot be met, whatever is asked. */
  rule(need: Need, why: string): void {
    if (this.#refused.has(need)) return;
    this.#refused.set(need, { need, why });
    this.#count += 1;
  }

  /** Why a call is not made any more; undefined where it may be. */
  whyNot(call: string): string | undefined {
    return this.#refused.get(call)?.why;
  }

  /** Why a need is not met; undefined where nothing that it takes was refused, or where some of it was granted. */
  lacks(need: Need): string | undefined {
    // Asked for every answer, and nearly always of a target that refused nothing.
    if (this.#refused.size === 0 || [...this.#granted.values()].includes(need)) return undefined;
    return [...this.#refused.values()].find((refused) => refused.need === need)?.why;
  }
}
