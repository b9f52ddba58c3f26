import { matchIds } from '../spec/id-patterns.js';
import { ledger, type RequirementId } from '../spec/ledger.js';

const ids = ledger.map(({ id }) => id);

/** The requirements that a run decides, by patterns over their ids. */
export class Selection {
  readonly #selected: ReadonlySet<RequirementId>;

  /** Patterns that match no requirement, most likely mistyped. */
  readonly unmatched: readonly string[];

  /** Throws UnusablePattern. */
  constructor(readonly patterns: Readonly<Record<'only' | 'skip', readonly string[]>>) {
    const all = [...patterns.only, ...patterns.skip];
    const matches = matchIds(all, ids);
    const named = (some: readonly string[]) => new Set(some.flatMap((pattern) => matches.get(pattern) ?? []));
    const [only, skip] = [named(patterns.only), named(patterns.skip)];
    this.#selected = new Set(
      ids.filter((id) => (patterns.only.length === 0 || only.has(id)) && !skip.has(id)),
    );
    this.unmatched = all.filter((pattern) => matches.get(pattern)?.length === 0);
  }

  has(id: RequirementId): boolean {
    return this.#selected.has(id);
  }

  get isEmpty(): boolean {
    return this.#selected.size === 0;
  }
}
