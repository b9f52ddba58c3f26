import type { Answers } from '../../generators/oracle.js';
import type { CheckContext } from '../../judge/api.js';
import type { AllowedAnswers as Expected } from '../../judge/call.js';
import { type Check, type CheckId, type CheckOptions, check } from '../../judge/check.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Need } from '../../spec/need.js';
import type { Fault } from '../../spec/vocabulary.js';
import { Unavailable, type World } from '../../targets/world.js';

/** A part of a batch: what it takes, what it decides, and what it asks. */
export interface Step {
  /** What the world suffers meanwhile. */
  readonly fault?: Fault;
  readonly needs?: readonly Need[];
  readonly rows: readonly RequirementId[];
  /** Rows that it may decide besides, and is not chosen for. */
  readonly besides?: readonly RequirementId[];
  readonly run: (context: CheckContext) => Promise<unknown>;
}

/** A check of several steps in one world, those that the target has the means for, and of what is asked after them. */
export function batchSteps(
  id: CheckId,
  options: Omit<CheckOptions, 'also' | 'shows'>,
  steps: readonly Step[],
  last: (context: CheckContext) => Promise<unknown> = async () => undefined,
): Check {
  const offeredOf = (offers: (need: Need) => boolean) =>
    steps.filter(
      ({ fault, needs = [] }) => (fault === undefined || offers(`fault:${fault}`)) && needs.every(offers),
    );
  const rowsOf = (some: readonly Step[]) => [...new Set(some.flatMap(({ rows }) => rows))];
  const run = async (context: CheckContext): Promise<void> => {
    const offered = offeredOf(context.offers);
    const faults = offered.flatMap(({ fault }) => fault ?? []);
    for (const step of offered) {
      if (step.fault !== undefined) await askForFault(context.world, step.fault, faults);
      await step.run(context);
    }
    if (faults.length > 0) await context.world.setFaults();
    await last(context);
  };
  const also = new Set(steps.flatMap(({ rows, besides = [] }) => [...rows, ...besides]));
  return check(
    id,
    {
      ...options,
      also: [...also].filter((row) => !id.startsWith(`${row}/`)),
      decidesWhen: (offers) => rowsOf(offeredOf(offers)),
    },
    run,
  );
}

/**
 * Narrows what the oracle permits to what a case of a batch may prove: the rule that is due alone, under the row that the
 * case is there for. After a wrong answer the batch goes on.
 */
export function makeStrict(
  { allowed, due, maySucceed }: Answers,
  row: RequirementId = due.requirement,
): Expected {
  const rules = [...allowed].map(([status, { requirement, isOpen }]) => {
    const isDue = requirement === due.requirement && isOpen !== true;
    return [status, isDue ? { requirement: row } : { requirement, isOpen: true as const }] as const;
  });
  return { allowed: new Map(rules), due: { ...due, requirement: row }, maySucceed, continueOnFailure: true };
}

/**
 * Makes a world suffer a fault of a batch. Throws Unavailable where it is refused, after it has asked for the others too:
 * all that are refused are known then, so that the batch is tried again no more often for many of them than for one.
 */
export async function askForFault(world: World, fault: Fault, all: readonly Fault[]): Promise<void> {
  try {
    await world.setFaults(fault);
  } catch (error) {
    if (error instanceof Unavailable) {
      const passOver = (other: unknown) => {
        if (!(other instanceof Unavailable)) throw other;
      };
      for (const other of all.filter((one) => one !== fault)) await world.setFaults(other).catch(passOver);
      await world.setFaults();
    }
    throw error;
  }
}
