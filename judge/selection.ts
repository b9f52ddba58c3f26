import picomatch from 'picomatch';
import { ledger, type RequirementId } from '../spec/ledger.js';

/** Which requirements a run is to decide: patterns over their ids, as given. */
export interface SelectionPatterns {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** Which requirements a run is to decide. */
export class Selection {
  readonly #selected: ReadonlySet<RequirementId>;

  constructor(readonly patterns: SelectionPatterns) {
    const only = patterns.only.map((pattern) => picomatch(pattern));
    const skip = patterns.skip.map((pattern) => picomatch(pattern));
    const ids = ledger.map(({ id }) => id);
    this.#selected = new Set(
      ids.filter(
        (id) =>
          (only.length === 0 || only.some((matches) => matches(id))) && !skip.some((matches) => matches(id)),
      ),
    );
  }

  /** Whether a requirement is to be decided. */
  has(id: RequirementId): boolean {
    return this.#selected.has(id);
  }

  /** Whether nothing is left to be decided: a verdict over nothing would prove nothing. */
  get isEmpty(): boolean {
    return this.#selected.size === 0;
  }

  /** Patterns that match no requirement: most likely a mistyped one, which would silently judge nothing. */
  get unmatched(): readonly string[] {
    return [...this.patterns.only, ...this.patterns.skip].filter((pattern) => {
      const matches = picomatch(pattern);
      return !ledger.some(({ id }) => matches(id));
    });
  }
}
