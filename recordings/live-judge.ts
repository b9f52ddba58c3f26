import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Traffic } from '../spec/journal.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Report } from '../spec/report.js';
import { ordinaryBytes, type PassedExchange } from './passing-exchange.js';

/** What the judging thread needs to know before it begins. */
export interface LiveFacts {
  readonly target: string;
  readonly inferencePath?: string | undefined;
  readonly canaries: readonly string[];
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly insecure: boolean;
  /** The command line that starts this proxy again; each violation adds its `--only`. */
  readonly command: string;
  readonly isRecorded: boolean;
}

/** A violation as it is found, before the report. */
export interface LiveViolation {
  readonly requirement: RequirementId;
  readonly message: string;
}

/** A message to the thread. */
export type LiveOrder =
  | { readonly kind: 'judge'; readonly exchanges: readonly PassedExchange[] }
  | {
      readonly kind: 'end';
      readonly unjudged: number;
      /** Why the target could not be reached, if it could not. */
      readonly unreachable: string | undefined;
      readonly faults: readonly string[];
    };

/** A message from the thread: for each order, the violations of each exchange; at the end, the report. */
export type LiveReply =
  | { readonly kind: 'ready' }
  | {
      readonly kind: 'judged';
      readonly violations: readonly (readonly LiveViolation[])[];
      readonly seen: number;
    }
  | { readonly kind: 'ended'; readonly report: Report; readonly traffic: Traffic };

type LiveEnd = Extract<LiveOrder, { kind: 'end' }>;
type LiveResult = Extract<LiveReply, { kind: 'ended' }>;

// The most exchanges in the queue; beyond that, they are counted and dropped, so that judging never slows the traffic down.
// Long ones, and those that are not judged, may take half of it.
const maxWaiting = 4_000;
const maxWaitingBytes = 8_000_000;
// Most objects are short-lived; a larger young generation would only use more memory.
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

interface Waiting extends Pick<PassedExchange, 'isWatched'> {
  readonly bytes: number;
  readonly onJudged: ((violations: readonly LiveViolation[]) => void) | undefined;
}

/** Judges exchanges on a thread of its own, while others pass. */
export class LiveJudge {
  /** The number of exchanges that were dropped because judging could not keep up. */
  overflow = 0;
  /** The numbers of exchanges judged and of requirements seen so far. */
  judged = 0;
  seen = 0;
  /** The exchanges of one turn of the event loop, which are sent together. */
  #batch: PassedExchange[] = [];
  #batched: Waiting[] = [];
  readonly #sent: Waiting[][] = [];
  #waiting = 0;
  #waitingBytes = 0;
  /** Resolves with the report; rejects with the error that ends the thread. */
  readonly #ended: Promise<LiveResult>;

  private constructor(
    private readonly worker: Worker,
    private readonly onViolation: (violation: LiveViolation) => void,
  ) {
    this.#ended = new Promise((resolve, reject) => {
      worker.once('error', reject).on('message', (reply: LiveReply) => {
        if (reply.kind === 'judged') this.#settle(reply);
        if (reply.kind === 'ended') resolve(reply);
      });
    });
    this.#ended.catch(() => undefined);
  }

  /** Starts the thread and resolves once it can judge. Rejects if its modules cannot be loaded. */
  static async start(facts: LiveFacts, onViolation: (violation: LiveViolation) => void): Promise<LiveJudge> {
    const worker = new Worker(new URL('./live-judge-worker.js', import.meta.url), {
      workerData: facts,
      resourceLimits,
    });
    await once(worker, 'message');
    return new LiveJudge(worker, onViolation);
  }

  /** Queues an exchange, or drops and counts it if the queue is full. */
  take(exchange: PassedExchange, onJudged?: Waiting['onJudged']): void {
    const bytes = 1_000 + (exchange.body?.length ?? 0) + (exchange.answer?.body.length ?? 0);
    const { isWatched } = exchange;
    const room = isWatched && bytes <= ordinaryBytes ? 1 : 0.5;
    if (this.#waiting >= maxWaiting * room || this.#waitingBytes >= maxWaitingBytes * room) {
      if (isWatched) this.overflow += 1;
      onJudged?.([]);
      return;
    }
    this.#waiting += 1;
    this.#waitingBytes += bytes;
    this.#batched.push({ bytes, isWatched, onJudged });
    this.#batch.push(exchange);
    if (this.#batch.length === 1) setImmediate(() => this.#sendBatch());
  }

  /** Queues an exchange and resolves with its violations; with none if it is not judged in time. */
  findViolations(exchange: PassedExchange, withinMs: number): Promise<readonly LiveViolation[]> {
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve([]), withinMs);
      this.take(exchange, (violations) => {
        clearTimeout(late);
        resolve(violations);
      });
    });
  }

  /** Judges what is queued and makes the report. Rejects if the thread failed. */
  async end(facts: Omit<LiveEnd, 'kind'>): Promise<LiveResult> {
    this.#sendBatch();
    this.#send({ kind: 'end', ...facts });
    const result = await this.#ended;
    await this.worker.terminate();
    return result;
  }

  #sendBatch(): void {
    const exchanges = this.#batch;
    if (exchanges.length === 0) return;
    this.#sent.push(this.#batched);
    this.#batch = [];
    this.#batched = [];
    const bodies = exchanges.flatMap(({ body, answer }) => [body, answer?.body]);
    this.#send(
      { kind: 'judge', exchanges },
      // Copying a short body is cheaper.
      bodies.flatMap((body) => (body !== undefined && body.length > Buffer.poolSize ? [body.buffer] : [])),
    );
  }

  #send(order: LiveOrder, moved: readonly ArrayBufferLike[] = []): void {
    this.worker.postMessage(order, moved as ArrayBuffer[]);
  }

  #settle({ violations, seen }: Extract<LiveReply, { kind: 'judged' }>): void {
    const batch = this.#sent.shift() ?? [];
    this.seen = seen;
    for (const [at, { bytes, isWatched, onJudged }] of batch.entries()) {
      const found = violations[at] ?? [];
      if (isWatched) this.judged += 1;
      this.#waiting -= 1;
      this.#waitingBytes -= bytes;
      onJudged?.(found);
      for (const violation of found) this.onViolation(violation);
    }
  }
}
