import { describeOutcome, type Exchange } from './exchange.js';
import type { Load } from './pacing.js';

/** An address that stopped serving. */
interface Outage {
  readonly origin: string;
  /** When it last served, in milliseconds since 1970. */
  readonly since: number;
  /** Requests that failed since. */
  readonly requests: number;
  readonly last: string;
  /** Whether it answers, if only with errors of its own. */
  readonly isReached: boolean;
}

// More than a check loses on purpose, and more than are usually in flight when a connection problem hits all of them.
const failedInAnOutage = 20;

/** Detects addresses that served once and then no more: they lose every request, or answer it with a 5xx. */
export class OutageDetector {
  readonly #known = new Map<string, Outage>();

  /** Notes how a request ended. */
  note({ base, operation }: Load, { lost, answer }: Pick<Exchange, 'lost' | 'answer'>): void {
    const origin = /^[^/]*\/\/[^/]*/.exec(base)?.[0] ?? base;
    const known = this.#known.get(origin);
    const isError = operation !== undefined && answer !== undefined && answer.status >= 500;
    if (answer === undefined || isError) {
      if (known === undefined) return;
      const last = describeOutcome({ answer, lost });
      Object.assign(known, { requests: known.requests + 1, last, isReached: isError });
      // A control may go on answering while its service does not.
    } else if (operation !== undefined || known?.isReached !== true) {
      this.#known.set(origin, { origin, since: Date.now(), requests: 0, last: '', isReached: false });
    }
  }

  get notes(): readonly string[] {
    return [...this.#known.values()]
      .filter(({ requests }) => requests >= failedInAnOutage)
      .map(({ origin, since, requests, last }) => {
        const time = new Date(since).toISOString().slice(11, 19);
        return `${origin} has served nothing since ${time} UTC: ${requests} requests in a row failed, the last with ${last}.`;
      });
  }
}
