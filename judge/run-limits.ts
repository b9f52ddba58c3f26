import { setMaxListeners } from 'node:events';
import type { Profile } from '../targets/profile/profile.js';
import { type Depth, requestLimits, type Shard, wholeRun } from './plan.js';

/** Limits on the load and the time of a run. */
export interface Limits {
  readonly concurrency: number;
  /** Requests a second; as many as the target sustains where undefined. */
  readonly rate: number | undefined;
  readonly maxRequests: number | undefined;
  readonly maxTimeMs: number;
}

/** Vault requests that may go into one world: a deployment limits them per workspace. */
export const vaultRequestsPerWorld = 50;

/** Worlds open at a time: each may cost the target a database. */
export const maxWorlds = 32;

export const worldsPerAttempt = 2;

const defaultConcurrency = 16;
/** Milliseconds that a run may take unless it is told otherwise. */
export const defaultMaxTimeMs = 240_000;

interface LimitFlags {
  readonly depth: Depth;
  readonly concurrency?: number | undefined;
  /** Requests a second; `auto` for as many as the target sustains, whatever the profile says. */
  readonly rate?: number | 'auto' | undefined;
  readonly maxRequests?: number | undefined;
  /** Milliseconds. */
  readonly maxTime?: number | undefined;
  readonly shard?: Shard | undefined;
}

/**
 * Resolves limits: flags take precedence over the profile. Both apply to the whole run and are divided among its shards;
 * the time and the request limit of a depth apply to each shard.
 */
export function resolveLimits(flags: LimitFlags, profile: Profile | undefined): Limits {
  const { concurrency, rate, requests, time } = profile?.limits ?? {};
  const { shard = wholeRun } = flags;
  const [inFlight, perSecond] = [flags.concurrency ?? concurrency ?? defaultConcurrency, flags.rate ?? rate];
  const most = flags.maxRequests ?? requests;
  // The first shards get what cannot be divided.
  const own = (all: number) => Math.floor(all / shard.of) + (shard.index <= all % shard.of ? 1 : 0);
  return {
    concurrency: Math.max(1, Math.floor(inFlight / shard.of)),
    rate: perSecond === undefined || perSecond === 'auto' ? undefined : perSecond / shard.of,
    maxRequests: most === undefined ? requestLimits[flags.depth] : own(most),
    maxTimeMs: flags.maxTime ?? (time === undefined ? defaultMaxTimeMs : time * 1_000),
  };
}

/** Stops a run early: its time is up, a limit is reached, or somebody interrupts it. */
export class RunDeadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #caller: AbortSignal | undefined;
  readonly #endsAt: number;
  /** Aborted when the run must stop; its reason says why. */
  readonly signal = this.#controller.signal;
  isInterrupted = false;

  /**
   * @param maxTimeMs milliseconds that the run may take
   * @param caller interrupts the run when it is aborted
   */
  constructor(maxTimeMs: number, caller?: AbortSignal) {
    // Every request in flight listens to it.
    setMaxListeners(0, this.signal);
    this.#endsAt = performance.now() + maxTimeMs;
    this.#timer = setTimeout(
      () => this.end(`out of time after ${maxTimeMs / 1000} s (--max-time)`),
      maxTimeMs,
    );
    this.#caller = caller;
    if (caller?.aborted) this.interrupt();
    else caller?.addEventListener('abort', this.interrupt, { once: true });
  }

  readonly msLeft = (): number => this.#endsAt - performance.now();

  end(reason: string): void {
    this.#controller.abort(reason);
  }

  readonly interrupt = (): void => {
    this.isInterrupted = true;
    this.end('interrupted');
  };

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.interrupt);
  }
}
