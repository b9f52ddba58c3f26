import pLimit from 'p-limit';
import type { RequirementId } from '../spec/ledger.js';
import type { Course } from './course.js';
import type { Attempt } from './finding.js';

/**
 * The requirements of which a run that may send little has confirmed a violation. One trouble is confirmed at a time,
 * so that of many checks that see the same violation one alone spends requests on it.
 */
export class ConfirmedRows {
  readonly #turn = pLimit(1);
  readonly #rows = new Set<RequirementId>();
  readonly #urgent = new Set<Promise<void>>();

  /**
   * Confirms what a first attempt showed, unless everything that it showed was confirmed meanwhile.
   * @param subject what alone will be told of it; everything that was found where it is undefined
   */
  async inTurn(
    first: Attempt,
    course: Course,
    confirm: () => Promise<void>,
    subject: string | undefined,
  ): Promise<void> {
    const confirmed = this.#turn(async () => {
      if (this.#isKnown(first)) return;
      await confirm();
      for (const finding of course.confirmed)
        if (subject === undefined || finding.subject === subject) this.#rows.add(finding.requirement);
    });
    if (isTelling(first)) this.#urgent.add(confirmed);
    await confirmed.finally(() => this.#urgent.delete(confirmed));
  }

  /** Waits for what is most likely a violation: it is worth more requests than what was not asked yet. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#urgent);
  }

  #isKnown({ findings, disturbed }: Attempt): boolean {
    if (findings.length === 0 || disturbed !== undefined) return false;
    return findings.every(({ requirement }) => this.#rows.has(requirement));
  }
}

/** Whether an attempt shows an answer that a service in trouble does not give. */
function isTelling({ findings }: Attempt): boolean {
  return findings.some(({ conclusive, trouble }) => conclusive || trouble === undefined);
}
