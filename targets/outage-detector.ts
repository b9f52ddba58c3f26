import type { Operation } from '../spec/vocabulary.js';
import { describeOutcome, type Exchange } from './exchange.js';
import type { Outgoing } from './transports.js';

interface Outage {
  readonly origin: string;
  /** When it last served, in milliseconds since 1970. */
  readonly since: number;
  /** How many requests have failed since then. */
  requests: number;
  /** The first of them that got no answer: it may be what the service could not bear. */
  firstLost: string | undefined;
  last: string;
  /** The operations that have answered with a 5xx since then. */
  readonly failing: Set<Operation>;
}

// More than a check loses on purpose, and more than are usually in flight when a connection problem hits all of them.
const failedInAnOutage = 20;
// Longer than a service takes to restart.
const givenUpMs = 60_000;
// Characters of the path of a request.
const pathKept = 200;

/** Detects addresses that served once and then no more: they lose every request, or answer it with a 5xx. */
export class OutageDetector {
  readonly #known = new Map<string, Outage>();
  /** Requests in a row that nothing answered, at any address, and when the first of them failed. */
  #unanswered = { requests: 0, since: 0 };

  note(
    { base, operation, method, path, headers }: Outgoing,
    { lost, answer }: Pick<Exchange, 'lost' | 'answer'>,
  ): void {
    const origin = /^[^/]*\/\/[^/]*/.exec(base)?.[0] ?? base;
    const known = this.#known.get(origin);
    if (answer !== undefined || this.#unanswered.requests === 0)
      this.#unanswered = { requests: 0, since: Date.now() };
    if (answer === undefined) this.#unanswered.requests += 1;
    const isError = operation !== undefined && answer !== undefined && answer.status >= 500;
    if (answer === undefined || isError) {
      if (known === undefined) return;
      if (answer === undefined)
        known.firstLost ??= `${method} ${path.split('?')[0]?.slice(0, pathKept)} (X-Request-Id ${headers['X-Request-Id']})`;
      known.requests += 1;
      known.last = describeOutcome({ answer, lost });
      if (isError) known.failing.add(operation);
      // A control may go on answering while its service does not.
    } else if (operation !== undefined || known === undefined || known.failing.size === 0) {
      const begun = { requests: 0, firstLost: undefined, last: '', failing: new Set<Operation>() };
      this.#known.set(origin, { origin, since: Date.now(), ...begun });
    }
  }

  /** When the target stopped answering; undefined until that is long enough ago to end the run. */
  get givenUpSince(): string | undefined {
    const { requests, since } = this.#unanswered;
    const isOver = requests >= failedInAnOutage && Date.now() - since >= givenUpMs;
    return isOver && this.#known.size > 0 ? formatTime(since) : undefined;
  }

  get notes(): readonly string[] {
    return (
      [...this.#known.values()]
        // Where one operation fails, the service may still serve others.
        .filter(({ requests, failing }) => requests >= failedInAnOutage && failing.size !== 1)
        .map(({ origin, since, requests, firstLost, last }) => {
          const lost = firstLost === undefined ? '' : ` The first without an answer was ${firstLost}.`;
          return `${origin} has served nothing since ${formatTime(since)}: ${requests} requests in a row failed, the last with ${last}.${lost}`;
        })
    );
  }
}

function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}
