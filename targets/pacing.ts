import type { Operation } from '../spec/vocabulary.js';
import { AdaptivePace } from './adaptive-pace.js';

/** What a request counts for: the host that it goes to, and what is asked of it. */
export interface Load {
  /** The base URL. */
  readonly base: string;
  /** Absent for what is no operation of the document, such as a call of the control protocol. */
  readonly operation?: Operation;
}

/** A limit that slowed a run down. */
export interface SlowDown {
  readonly host: string;
  /** The one operation that is limited; null where it is the host as a whole. */
  readonly operation: Operation | null;
  /** What the requests were answered beyond the limit: `429`, `503`. */
  readonly by: string;
  /** How many requests were refused. */
  readonly refused: number;
  /** Requests a second, at the slowest. */
  readonly rate: number;
}

interface Refused {
  /** When the request left, as `performance.now()` tells. */
  readonly sentAt: number;
  readonly status: number;
}

// So many other requests are served after the first refusal of an operation that is limited for itself.
const othersServed = 10;

/** One pace for each host, and one for an operation once it turns out to be limited alone. */
export class Pacing {
  readonly #hosts = new Map<string, HostPacing>();
  readonly #byBase = new Map<string, HostPacing>();

  /** Waits until a request may leave. Rejects when the signal is aborted before. */
  async turn(load: Load, signal?: AbortSignal): Promise<void> {
    await this.#host(load).turn(load, signal);
  }

  /** Takes note of a request that was served, or refused as it was to be. */
  serve(load: Load, sentAt: number): void {
    this.#host(load).serve(load, sentAt);
  }

  /** Takes note of a request that was refused for a rate limit. */
  refuse(load: Load, refused: Refused): void {
    this.#host(load).refuse(load, refused);
  }

  /** What slowed the run down so far. */
  get slowDowns(): readonly SlowDown[] {
    return [...this.#hosts].flatMap(([host, pacing]) =>
      pacing.slowDowns.map((slowDown) => ({ host, ...slowDown })),
    );
  }

  #host({ base }: Load): HostPacing {
    const known = this.#byBase.get(base);
    if (known !== undefined) return known;
    const { origin } = new URL(base);
    const host = this.#hosts.get(origin) ?? new HostPacing();
    this.#hosts.set(origin, host);
    this.#byBase.set(base, host);
    return host;
  }
}

type Kind = Operation | 'other';

function kindOf({ operation }: Load): Kind {
  return operation ?? 'other';
}

class HostPacing {
  readonly #all = new Limited();
  readonly #own = new Map<Kind, Limited>();
  /** For each kind that was refused: how many requests of other kinds were served since. */
  readonly #othersSince = new Map<Kind, number>();

  async turn(load: Load, signal: AbortSignal | undefined): Promise<void> {
    await (this.#own.get(kindOf(load)) ?? this.#all).pace.turn(signal);
  }

  serve(load: Load, sentAt: number): void {
    const own = kindOf(load);
    (this.#own.get(own) ?? this.#all).pace.serve(sentAt);
    for (const [kind, served] of this.#othersSince) if (kind !== own) this.#othersSince.set(kind, served + 1);
  }

  refuse(load: Load, refused: Refused): void {
    const kind = kindOf(load);
    const others = this.#othersSince.get(kind);
    if (others === undefined) this.#othersSince.set(kind, 0);
    const isAlone = this.#othersSince.size === 1 && (others ?? 0) >= othersServed;
    if (isAlone && !this.#own.has(kind)) this.#own.set(kind, this.#all.handOver());
    (this.#own.get(kind) ?? this.#all).refuse(refused);
  }

  get slowDowns(): readonly Omit<SlowDown, 'host'>[] {
    const limited = [[null, this.#all] as const, ...this.#own];
    return limited.flatMap(([kind, one]) => {
      const said = one.slowDown;
      return said === undefined ? [] : [{ operation: kind === 'other' ? null : kind, ...said }];
    });
  }
}

/** A pace, and what is told of it. */
class Limited {
  pace = new AdaptivePace();
  readonly #by = new Set<number>();
  #refused = 0;
  #lowest = Number.POSITIVE_INFINITY;

  refuse({ sentAt, status }: Refused): void {
    this.#by.add(status);
    this.#refused += 1;
    this.pace.refuse(sentAt);
    this.#lowest = Math.min(this.#lowest, this.pace.rate ?? Number.POSITIVE_INFINITY);
  }

  /** What is known so far, for one operation alone; starts anew for all others. */
  handOver(): Limited {
    const own = new Limited();
    own.pace = this.pace;
    for (const status of this.#by) own.#by.add(status);
    own.#refused = this.#refused;
    own.#lowest = this.#lowest;
    this.pace = new AdaptivePace();
    this.#by.clear();
    this.#refused = 0;
    this.#lowest = Number.POSITIVE_INFINITY;
    return own;
  }

  get slowDown(): Omit<SlowDown, 'host' | 'operation'> | undefined {
    if (this.#lowest === Number.POSITIVE_INFINITY) return undefined;
    return {
      by: [...this.#by].sort((one, other) => one - other).join(' and '),
      refused: this.#refused,
      rate: Math.round(this.#lowest * 10) / 10,
    };
  }
}
