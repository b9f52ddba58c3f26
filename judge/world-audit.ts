import type { RequirementId } from '../spec/ledger.js';
import type { World } from '../targets/world.js';
import type { Difference } from '../targets/world-state.js';
import { rowsShownBy } from './world-difference.js';
import type { WorldUse } from './world-pool.js';

/** A world that did not hold what it should, and who used it. */
export interface WorldSuspect<User> {
  readonly difference: Difference;
  /** Who may be to blame, those that most likely are first. */
  readonly users: readonly User[];
  /** Who stored the secret. */
  readonly storer: User | undefined;
}

/** Milliseconds that a difference must last: what lags behind the answers of a server is none. */
export const differenceLastsMs = 2_000;
// Each kind of difference is looked into once, and a few may show one kind.
const suspectsAtMost = 4;

/** Looks at every world before it is given back, and keeps those that do not hold what they should. */
export class WorldAudit<User> {
  readonly suspects: WorldSuspect<User>[] = [];
  readonly #shown = new Set<RequirementId>();
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** The requirements that worlds showed which hold what they should. */
  get shown(): ReadonlySet<RequirementId> {
    return this.#shown;
  }

  readonly look = async ({ state }: World, uses: readonly WorldUse<User>[]): Promise<void> => {
    if (state === undefined || state.stored.length === 0 || this.#signal.aborted) return;
    if (this.suspects.length >= suspectsAtMost) return;
    const differences = await state.differences(differenceLastsMs, this.#signal).catch(() => []);
    const [difference] = differences;
    if (difference === undefined) {
      for (const row of rowsShownBy(state.outcomes)) this.#shown.add(row);
      return;
    }
    const place = state.stored.findLastIndex(
      ({ scope, name }) => scope === difference.scope && name === difference.name,
    );
    const by = uses.findIndex(({ storedFrom, storedTo }) => storedFrom <= place && place < storedTo);
    this.suspects.push({
      difference,
      users: uses.slice(Math.max(by, 0)).map(({ user }) => user),
      storer: uses[by]?.user,
    });
  };
}
