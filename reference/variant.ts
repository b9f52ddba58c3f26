import type { Override } from './mutant.js';
import type { Offers } from './offers.js';

/** The reference with one permitted difference. */
export interface Variant {
  /** What is different: `compressed-answers`. */
  readonly id: string;
  /** The section of the document that leaves the freedom. */
  readonly section: string;
  /** What is different, in one line. */
  readonly description: string;
  readonly override: Override;
  /** What its control offers, where that is less than everything. */
  readonly offers?: Partial<Offers>;
  /**
   * How a run may end where not with conformant: a target that offers less leaves requirements unproven, and
   * what disturbs a run may leave some undecided.
   */
  readonly mayEnd?: 'incomplete';
  /** Seconds that a run may take, where that is more than any other server needs. */
  readonly maxTimeS?: number;
}

/** Makes variants that use freedoms of the same section, each by its id. */
export function makeVariants(
  section: string,
  rows: Readonly<Record<string, Omit<Variant, 'id' | 'section'>>>,
): readonly Variant[] {
  return Object.entries(rows).map(([id, row]) => ({ id, section, ...row }));
}
