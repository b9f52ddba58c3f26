import type { Level, RequirementId } from '../spec/ledger.js';

/** How a target is judged; everything has the default of `plumbline run`. */
export interface JudgeOptions {
  /** How much is sent; `standard` by default. */
  readonly depth?: 'quick' | 'standard' | 'deep' | undefined;
  /** The seed of every generated case; random by default. The report holds it. */
  readonly seed?: number | undefined;
  /** The one generated case to send again, as a report names it with its seed. */
  readonly path?: string | undefined;
  /** Generated cases per property, instead of the depth's number. */
  readonly cases?: number | undefined;
  /** The requirements to decide: ids, or patterns over them; all by default. */
  readonly only?: readonly (RequirementId | (string & {}))[] | undefined;
  /** The requirements to leave out: ids, or patterns over them. */
  readonly skip?: readonly (RequirementId | (string & {}))[] | undefined;
  /** Requests in flight; the profile's, or 16. */
  readonly concurrency?: number | undefined;
  /** Requests a second; the profile's, or unlimited. */
  readonly rate?: number | undefined;
  /** Requests that may be sent, everything counted; the profile's, or the depth's. */
  readonly maxRequests?: number | undefined;
  /** Seconds that the run may take; the profile's, or 240. What is left then is inconclusive. */
  readonly maxTime?: number | undefined;
  /** Seconds that one request may take; 10 by default. */
  readonly timeout?: number | undefined;
  /** Aborting it ends the run cleanly: its worlds are deleted, and the report says that the run is incomplete. */
  readonly signal?: AbortSignal | undefined;
  /** What may be done to a target that is not on loopback. */
  readonly permissions?: JudgePermissions | undefined;
  /** The policy of the gate. By default the profile's; without one, each failed `must` or `derived` requirement and each `must` without a result fails it. */
  readonly policy?: JudgePolicy | undefined;
}

/** What may be done to a target that is not on loopback; nothing by default. */
export interface JudgePermissions {
  /** Secrets may be stored and deleted, as `--allow-destructive` says. */
  readonly destructive?: boolean | undefined;
  /** Inference requests, which cost money, may be sent, as `--inference` says. */
  readonly inference?: boolean | undefined;
}

/** The policy of the gate. It does not affect the verdict. */
export interface JudgePolicy {
  /** The levels whose violations stop a release; `must` and `derived` by default. */
  readonly decides?: readonly Exclude<Level, 'silent'>[] | undefined;
  /** Requirements, or patterns over their ids, that may get no result, and why. */
  readonly excused?: readonly { readonly requirement: string; readonly reason: string }[] | undefined;
}
