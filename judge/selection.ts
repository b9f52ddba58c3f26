import { matchesOf } from '../spec/id-patterns.js';
import { ledger, type RequirementId } from '../spec/ledger.js';

/** Which requirements a run is to decide: patterns over their ids, as given. */
export interface SelectionPatterns {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

const ids = ledger.map(({ id }) => id);

/** Which requirements a run is to decide. */
export class Selection {
  readonly #selected: ReadonlySet<RequirementId>;

  /** Patterns that match no requirement: most likely a mistyped one, which would silently judge nothing. */
  readonly unmatched: readonly string[];

  /** Throws UnusablePattern. */
  constructor(readonly patterns: SelectionPatterns) {
    const all = [...patterns.only, ...patterns.skip];
    const matches = matchesOf(all, ids);
    const named = (some: readonly string[]) => new Set(some.flatMap((pattern) => matches.get(pattern) ?? []));
    const [only, skip] = [named(patterns.only), named(patterns.skip)];
    this.#selected = new Set(
      ids.filter((id) => (patterns.only.length === 0 || only.has(id)) && !skip.has(id)),
    );
    this.unmatched = all.filter((pattern) => matches.get(pattern)?.length === 0);
  }

  /** Whether a requirement is to be decided. */
  has(id: RequirementId): boolean {
    return this.#selected.has(id);
  }

  /** Whether nothing is left to be decided: a verdict over nothing would prove nothing. */
  get isEmpty(): boolean {
    return this.#selected.size === 0;
  }
}
