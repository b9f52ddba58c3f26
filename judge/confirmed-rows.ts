import pLimit from 'p-limit';
import type { RequirementId } from '../spec/ledger.js';
import type { Attempt } from './attempt.js';
import type { Course } from './course.js';

/**
 * The requirements of which a run that may send little has confirmed a violation. One trouble is confirmed at a time,
 * so that of many checks that see the same violation one alone spends requests on it.
 */
export class ConfirmedRows {
  readonly #turn = pLimit(1);
  readonly #rows = new Set<RequirementId>();

  /** Confirms what a first attempt showed, unless everything that it showed was confirmed meanwhile. */
  inTurn(first: Attempt, course: Course, confirm: () => Promise<void>): Promise<void> {
    return this.#turn(async () => {
      if (this.#isKnown(first)) return;
      await confirm();
      for (const { requirement } of course.confirmed) this.#rows.add(requirement);
    });
  }

  /** Waits for what is being confirmed: what was seen is worth more requests than what was not asked yet. */
  settled(): Promise<void> {
    return this.#turn(() => undefined);
  }

  #isKnown({ findings, disturbed }: Attempt): boolean {
    if (findings.length === 0 || disturbed !== undefined) return false;
    return findings.every(({ requirement }) => this.#rows.has(requirement));
  }
}
