import type { RequirementId } from '../spec/ledger.js';
import type { Failure, ReportedCheck } from '../spec/report.js';
import type { Target } from '../targets/target.js';
import type { Check } from './check.js';
import { passiveCheckId } from './close-ledger.js';
import type { Judgement } from './judgement.js';
import { PassiveJudge } from './passive.js';
import { type JudgedAddress, reportedCheck, reportedPassiveCheck } from './reported-check.js';
import { Run } from './run.js';
import { Selection } from './selection.js';

/** What a test runner hands to a test: a way to say that it was skipped, and why. */
interface TestContext {
  skip(reason?: string): void;
}

/** A test runner's `test`: vitest's or node:test's. */
export type TestFunction = (name: string, body: (context: TestContext) => Promise<void>) => unknown;

/** What the checks are judged on. */
export interface TestedTarget {
  readonly checks: readonly Check[];
  /** The seed of every generated case. */
  readonly seed: number;
  /** Opens the target when the first test runs. */
  readonly open: () => Promise<Target>;
  /** The addresses of the target, for the commands that show a violation again. */
  readonly address?: JudgedAddress;
}

/**
 * Registers every check as a test of its own, and after them one for each rule that looks at every response.
 * They share one run and follow one another, as the tests of a file do. The last one gives the target back.
 */
export function registerChecks(test: TestFunction, tested: TestedTarget): void {
  const session = new TestSession(tested);
  for (const check of tested.checks) {
    test(check.id, async (context) => settle(context, await session.judge(check)));
  }
  for (const id of PassiveJudge.requirements) {
    test(passiveCheckId(id), async (context) => settle(context, await session.passive(id)));
  }
  test('every world is given back', () => session.close());
}

/** Ends a test as its check ended: what was not decided is never reported as passed. */
function settle(context: TestContext, { outcome, reason, failure, further_failures }: ReportedCheck): void {
  if (failure !== null) throw new Error([failure, ...further_failures].map(told).join('\n\n'));
  if (outcome !== 'pass') context.skip(`${outcome}: ${reason ?? 'it was not decided'}`);
}

function told({ message, situation, confirmed, reproduce }: Failure): string {
  return [
    message,
    `situation ${situation}`,
    `confirmed ${confirmed}`,
    reproduce.curl,
    reproduce.command,
  ].join('\n  ');
}

/** The one run that the tests of a file share. */
class TestSession {
  readonly #tested: TestedTarget;
  readonly #judgements: Judgement[] = [];
  #opened: Promise<{ readonly target: Target; readonly run: Run }> | undefined;

  constructor(tested: TestedTarget) {
    this.#tested = tested;
  }

  async judge(check: Check): Promise<ReportedCheck> {
    const { run } = await this.#open();
    const judgement = await run.judge(check);
    this.#judgements.push(judgement);
    return reportedCheck(judgement, this.#address);
  }

  async passive(id: RequirementId): Promise<ReportedCheck> {
    const { run } = await this.#open();
    return reportedPassiveCheck(id, { ...run.seen, judgements: this.#judgements }, this.#address);
  }

  async close(): Promise<void> {
    const { target } = await this.#open();
    await target.close();
  }

  get #address(): JudgedAddress {
    return this.#tested.address ?? { baseUrl: undefined, controlUrl: undefined };
  }

  #open() {
    this.#opened ??= this.#start();
    return this.#opened;
  }

  async #start() {
    const target = await this.#tested.open();
    const run = new Run(target, {
      selection: new Selection({ only: [], skip: [] }),
      plan: { seed: this.#tested.seed, depth: 'standard' },
      concurrency: 16,
      signal: new AbortController().signal,
    });
    await run.prove();
    return { target, run };
  }
}
