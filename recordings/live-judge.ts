import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Traffic } from '../spec/journal.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Report } from '../spec/report.js';
import { ordinaryBytes, type PassedExchange } from './passing-exchange.js';

/** What the thread that judges is told before it begins. */
export interface LiveFacts {
  /** The base URL of the target. */
  readonly target: string;
  readonly inferencePath: string | undefined;
  readonly canaries: readonly string[];
  readonly only: readonly string[];
  readonly skip: readonly string[];
  /** Whether any certificate of the target is accepted. */
  readonly insecure: boolean;
  /** The command line that judges such traffic again, without the requirement. */
  readonly command: string;
  /** Whether the exchanges are kept for a recording. */
  readonly isRecorded: boolean;
}

/** A violation as it is seen, before all is summed up. */
export interface LiveViolation {
  readonly requirement: RequirementId;
  readonly message: string;
}

/** What is told to the thread. */
export type LiveOrder =
  | { readonly kind: 'judge'; readonly exchanges: readonly PassedExchange[] }
  | { readonly kind: 'end'; readonly unjudged: number; readonly faults: readonly string[] };

/** What the thread tells: of each order to judge, the violations of each exchange; at the end the report. */
export type LiveReply =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'judged';
      readonly violations: readonly (readonly LiveViolation[])[];
      readonly seen: number;
    }
  | { readonly kind: 'ended'; readonly report: Report; readonly traffic: Traffic };

// What waits to be judged: beyond it exchanges are counted and let go, so that judging never slows the traffic. Long
// ones leave half of the room to ordinary ones.
const waitingAtMost = 4_000;
const waitingBytesAtMost = 8_000_000;
// Most of what is judged is let go at once: room for it would only grow.
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

interface Waiting {
  readonly bytes: number;
  readonly tell: ((violations: readonly LiveViolation[]) => void) | undefined;
}

/** Judges exchanges on a thread of its own, while others pass. */
export class LiveJudge {
  /** Exchanges that were let go, since judging could not keep up. */
  overflow = 0;
  /** Exchanges that were judged so far, and the requirements that they showed. */
  judged = 0;
  seen = 0;
  readonly #worker: Worker;
  readonly #onViolation: (violation: LiveViolation) => void;
  /** What comes together within one turn of the event loop is sent together. */
  #batch: PassedExchange[] = [];
  #batched: Waiting[] = [];
  readonly #sent: Waiting[][] = [];
  #waiting = 0;
  #waitingBytes = 0;
  readonly #idle: (() => void)[] = [];
  /** Rejects with the error that ends the thread. */
  readonly #broken: Promise<never>;

  private constructor(worker: Worker, onViolation: (violation: LiveViolation) => void) {
    this.#onViolation = onViolation;
    this.#worker = worker.on('message', (reply: LiveReply) => {
      if (reply.kind === 'judged') this.#settle(reply);
    });
    this.#broken = new Promise((_resolve, reject) => worker.once('error', reject));
    this.#broken.catch(() => undefined);
  }

  /** Starts the thread. Resolves once it can judge; rejects with the error of one that cannot be loaded. */
  static async start(facts: LiveFacts, onViolation: (violation: LiveViolation) => void): Promise<LiveJudge> {
    const worker = new Worker(new URL('./live-judge-worker.js', import.meta.url), {
      workerData: facts,
      resourceLimits,
    });
    await once(worker, 'message');
    return new LiveJudge(worker, onViolation);
  }

  /** Takes in what passed, or counts it where too much waits already. */
  take(exchange: PassedExchange): void {
    this.#add(exchange, undefined);
  }

  /** Takes it in, and resolves with what it violates; with nothing where it is not judged within some milliseconds. */
  findViolations(exchange: PassedExchange, withinMs: number): Promise<readonly LiveViolation[]> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve([]), withinMs);
      this.#add(exchange, (violations) => {
        clearTimeout(late);
        resolve(violations);
      });
    });
  }

  /** Judges what waits, and sums up. Rejects with the error that ended the thread, if any did. */
  async end(facts: { readonly unjudged: number; readonly faults: readonly string[] }): Promise<{
    readonly report: Report;
    readonly traffic: Traffic;
  }> {
    const idle = new Promise<void>((resolve) => {
      if (this.#waiting === 0) resolve();
      else this.#idle.push(resolve);
    });
    await Promise.race([idle, this.#broken]);
    const ended = new Promise<Extract<LiveReply, { kind: 'ended' }>>((resolve) => {
      this.#worker.on('message', (reply: LiveReply) => {
        if (reply.kind === 'ended') resolve(reply);
      });
    });
    this.#send({ kind: 'end', ...facts });
    const { report, traffic } = await Promise.race([ended, this.#broken]);
    await this.#worker.terminate();
    return { report, traffic };
  }

  #add(exchange: PassedExchange, tell: Waiting['tell']): void {
    const bytes = countBytes(exchange);
    const room = bytes > ordinaryBytes ? waitingBytesAtMost / 2 : waitingBytesAtMost;
    if (this.#waiting >= waitingAtMost || this.#waitingBytes >= room) {
      this.overflow += 1;
      tell?.([]);
      return;
    }
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    this.#batched.push({ bytes, tell });
    this.#batch.push(exchange);
    if (this.#batch.length === 1) setImmediate(() => this.#sendBatch());
  }

  #sendBatch(): void {
    const exchanges = this.#batch;
    this.#sent.push(this.#batched);
    this.#batch = [];
    this.#batched = [];
    const bodies = exchanges.flatMap(({ body, answer }) => [body, answer?.body]);
    this.#send(
      { kind: 'judge', exchanges },
      // A short body is copied, which takes less.
      bodies.flatMap((body) => (body !== undefined && body.length > Buffer.poolSize ? [body.buffer] : [])),
    );
  }

  #send(order: LiveOrder, moved: readonly ArrayBufferLike[] = []): void {
    this.#worker.postMessage(order, moved as ArrayBuffer[]);
  }

  #settle({ violations, seen }: Extract<LiveReply, { kind: 'judged' }>): void {
    const batch = this.#sent.shift() ?? [];
    this.seen = seen;
    for (const [at, { bytes, tell }] of batch.entries()) {
      const found = violations[at] ?? [];
      this.judged += 1;
      this.#waiting -= 1;
      this.#waitingBytes -= bytes;
      tell?.(found);
      for (const violation of found) this.#onViolation(violation);
    }
    if (this.#waiting === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}

function countBytes({ body, answer }: PassedExchange): number {
  return 1_000 + (body?.length ?? 0) + (answer?.body.length ?? 0);
}
