import type { ReportedSlowDown } from '../spec/report.js';
import type { Operation } from '../spec/vocabulary.js';
import { AdaptivePace } from './adaptive-pace.js';

/** What a request counts for: the host that it goes to, and what is asked of it. */
export interface Load {
  /** The base URL. */
  readonly base: string;
  /** Absent for what is no operation of the document, such as a call of the control protocol. */
  readonly operation?: Operation;
}

interface Refused {
  /** When the request left, as `performance.now()` tells. */
  readonly sentAt: number;
  readonly status: number;
}

// So many other requests are served after the first refusal of an operation that is limited for itself.
const othersServed = 30;

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
  get slowDowns(): readonly ReportedSlowDown[] {
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
  #all = new Limited();
  /** The only kind of request that was ever refused, and its own pace, once others were served meanwhile. */
  #alone: { readonly kind: Kind; readonly limited: Limited } | undefined;
  /** For each kind that was refused: how many requests of other kinds were served since. */
  readonly #othersSince = new Map<Kind, number>();

  async turn(load: Load, signal: AbortSignal | undefined): Promise<void> {
    await this.#limited(kindOf(load)).pace.turn(signal);
  }

  serve(load: Load, sentAt: number): void {
    const own = kindOf(load);
    this.#limited(own).pace.serve(sentAt);
    for (const [kind, served] of this.#othersSince) if (kind !== own) this.#othersSince.set(kind, served + 1);
  }

  refuse(load: Load, refused: Refused): void {
    const kind = kindOf(load);
    const others = this.#othersSince.get(kind) ?? 0;
    this.#othersSince.set(kind, others);
    if (this.#othersSince.size > 1) this.#shareAgain();
    else if (this.#alone === undefined && others >= othersServed) {
      this.#alone = { kind, limited: this.#all };
      this.#all = new Limited();
    }
    this.#limited(kind).refuse(refused);
  }

  /** It is not the one kind alone that is limited: what is known of it holds for all. */
  #shareAgain(): void {
    if (this.#alone === undefined) return;
    this.#all = this.#alone.limited;
    this.#alone = undefined;
  }

  #limited(kind: Kind): Limited {
    return this.#alone?.kind === kind ? this.#alone.limited : this.#all;
  }

  get slowDowns(): readonly Omit<ReportedSlowDown, 'host'>[] {
    const { kind, limited } = this.#alone ?? { kind: 'other', limited: undefined };
    const own = kind === 'other' ? null : kind;
    return [
      ...[this.#all.slowDown].flatMap((slowDown) => (slowDown ? [{ operation: null, ...slowDown }] : [])),
      ...[limited?.slowDown].flatMap((slowDown) => (slowDown ? [{ operation: own, ...slowDown }] : [])),
    ];
  }
}

/** A pace, and what is told of it. */
class Limited {
  readonly pace = new AdaptivePace();
  readonly #by = new Set<number>();
  #refused = 0;
  #lowest = Number.POSITIVE_INFINITY;

  refuse({ sentAt, status }: Refused): void {
    this.#by.add(status);
    this.#refused += 1;
    this.pace.refuse(sentAt);
    this.#lowest = Math.min(this.#lowest, this.pace.rate ?? Number.POSITIVE_INFINITY);
  }

  get slowDown(): Omit<ReportedSlowDown, 'host' | 'operation'> | undefined {
    if (this.#lowest === Number.POSITIVE_INFINITY) return undefined;
    return {
      by: [...this.#by].sort((one, other) => one - other).join(' and '),
      refused: this.#refused,
      rate: Math.round(this.#lowest * 10) / 10,
    };
  }
}
