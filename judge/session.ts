import { randomUUID } from 'node:crypto';
import type { Report } from '../spec/report.js';
import { ControlError } from '../targets/control-client.js';
import { Canaries } from '../targets/leak-detection.js';
import { openTarget } from '../targets/open-target.js';
import { Redactor } from '../targets/redaction.js';
import type { Target, TargetAddress } from '../targets/target.js';
import { explainAbort } from './attempt.js';
import { PassiveJudge } from './passive.js';
import { makeReport, type RunFacts } from './report.js';
import { Run, type RunEvents, type RunOptions } from './run.js';
import type { Limits, RunDeadline } from './run-limits.js';
import type { RunRecord } from './run-record.js';
import { planShard } from './shard-plan.js';

export interface SessionOptions extends RunOptions {
  readonly address: Pick<
    TargetAddress,
    'baseUrl' | 'origin' | 'control' | 'profile' | 'tls' | 'permissions' | 'onSend'
  >;
  readonly limits: Limits;
  readonly timeoutMs: number;
  readonly deadline: RunOptions['deadline'] & Pick<RunDeadline, 'isInterrupted' | 'end'>;
  /** Advice after the error where the control protocol does not answer. */
  readonly hint?: string;
  readonly facts?: SessionFacts;
}

/** Facts for the report that the session does not know. */
export type SessionFacts = Partial<
  Omit<RunFacts, 'startedAt' | 'durationMs' | 'complete' | 'interrupted' | 'selection' | 'seed' | 'insecure'>
>;

/** One run against one target, from opening it to its report. The caller closes it. */
export class Session implements AsyncDisposable {
  readonly #startedAt = new Date();
  readonly #start = performance.now();
  #closed: Promise<void> | undefined;
  readonly redactor: Redactor;

  /** @param target undefined where it could not be opened, for the reason given */
  private constructor(
    private readonly options: SessionOptions,
    readonly target: Target | undefined,
    private readonly unreachable = '',
  ) {
    this.redactor = target?.redactor ?? new Redactor();
  }

  /** Opens the target. If it cannot be reached, the session judges nothing and says why. */
  static async open(given: SessionOptions): Promise<Session> {
    const options = { ...given, facts: { runId: randomUUID(), ...given.facts } };
    const { deadline, hint = '', timeoutMs } = options;
    const { concurrency, rate, maxRequests } = options.limits;
    try {
      const target = await openTarget({
        ...options.address,
        ...{ concurrency, rate, maxRequests, timeoutMs },
        runId: options.facts.runId,
        signal: deadline.signal,
        onMaxRequests: () => deadline.end(`limit of ${maxRequests} requests reached (--max-requests)`),
        onOutage: (reason) => deadline.end(reason),
      });
      return new Session(options, target);
    } catch (error) {
      if (deadline.signal.aborted) return new Session(options, undefined, explainAbort(deadline.signal));
      if (!(error instanceof ControlError)) throw error;
      return new Session(options, undefined, `${error.message}${hint}`);
    }
  }

  /** Judges every selected check, or nothing where the target could not be opened. Closes the session before rejecting. */
  async judge(events: RunEvents = {}): Promise<RunRecord> {
    const { options, target } = this;
    if (target === undefined) {
      const { division } = planShard(options.checks, options);
      const passive = new PassiveJudge({ canaries: new Canaries(), redactor: this.redactor });
      const unjudged = this.unreachable;
      return { judgements: [], passive, unjudged, division, controlViolations: [], faults: [] };
    }
    return await new Run(target, options, events).judge().catch(async (error: unknown) => {
      await this.close();
      throw error;
    });
  }

  async close(): Promise<void> {
    this.#closed ??= this.target?.close();
    await this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The facts of the report that are known before the run ends. */
  get facts(): RunFacts {
    const { selection, plan, shard, facts } = this.options;
    const { seed, depth, cases } = plan;
    return {
      ...facts,
      ...{ selection, seed, depth, cases, shard },
      startedAt: this.#startedAt,
      durationMs: performance.now() - this.#start,
      complete: false,
      interrupted: false,
    };
  }

  /** Makes the report. Call it after `close`: only then is it known what the run left behind. */
  report(record: RunRecord): Report {
    const { deadline } = this.options;
    return makeReport(record, this.target, {
      ...this.facts,
      complete: !deadline.signal.aborted,
      interrupted: deadline.isInterrupted,
    });
  }
}
