import type { Profile } from '../targets/profile/profile.js';
import { type Depth, requestsAtMost } from './plan.js';

/** How hard a target may be used, and for how long. */
export interface Limits {
  readonly concurrency: number;
  readonly rate: number | undefined;
  readonly maxRequests: number | undefined;
  readonly maxTimeMs: number;
}

const usualConcurrency = 16;
const usualMaxTimeMs = 240_000;

/** What bounds a run where somebody says so. */
interface LimitFlags {
  readonly depth: Depth;
  readonly concurrency?: number;
  /** Requests a second. */
  readonly rate?: number;
  readonly maxRequests?: number;
  /** Milliseconds. */
  readonly maxTime?: number;
}

/** Flags go before what the profile says. */
export function limitsOf(flags: LimitFlags, profile: Profile | undefined): Limits {
  const { concurrency, rate, requests, time } = profile?.limits ?? {};
  return {
    concurrency: flags.concurrency ?? concurrency ?? usualConcurrency,
    rate: flags.rate ?? rate,
    maxRequests: flags.maxRequests ?? requests ?? requestsAtMost[flags.depth],
    maxTimeMs: flags.maxTime ?? (time === undefined ? usualMaxTimeMs : time * 1_000),
  };
}
