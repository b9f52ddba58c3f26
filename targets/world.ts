import { randomInt } from 'node:crypto';
import { type Need, unlocks } from '../spec/need.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import type { Credit, Fault, Intern, Role, Scope, UsageRecord } from '../spec/vocabulary.js';
import type { StoredSecret } from './control-client.js';
import type { WorldState } from './world-state.js';

/** What a check is after cannot be seen here; the check is skipped and says why. */
export class NotShown extends Error {
  override readonly name: string = 'NotShown';
  readonly reason: Reason;

  /** @param reason a text says why the check does not apply to what the target does */
  constructor(reason: Reason | string) {
    const given = typeof reason === 'string' ? makeReason('not-applicable', reason) : reason;
    super(reportReason(given).reason ?? undefined);
    this.reason = given;
  }
}

/** The target gave no means for what a check needs. */
export class Unavailable extends NotShown {
  override readonly name = 'Unavailable';

  /** @param why what would unlock it, where more is known than what the need says */
  constructor(need: Need, why: string = unlocks(need)) {
    super(makeReason('lacking', why));
  }
}

/** An isolated tenant with its keys, interns and secrets, leased to one attempt of a check. */
export interface World {
  readonly id: string;
  readonly workspaceId: string | undefined;
  /** What every name that is stored or deleted here must begin with; empty where any name may be. */
  readonly prefix: string;
  /** What it should hold; absent where the target does not list what it does hold. */
  readonly state?: WorldState | undefined;
  /** The id of the world's guardrail. Throws Unavailable where there is none. */
  guardrailId(): string;
  /** The key of a role. Throws Unavailable where there is none. */
  key(role: Role): string;
  /** Whether a text is a key that the run knows, of this world or another. */
  isKey(text: string): boolean;
  /** The id of an intern. Throws Unavailable where there is none. */
  intern(intern: Intern): string;
  /** Stores a secret with a fresh value, under a fresh name where none is given, and returns its name. */
  store(scope: Scope, name?: string): Promise<string>;
  /** What is stored, in every scope; names only. */
  secrets(): Promise<readonly StoredSecret[]>;
  setKeyInfo(role: Role, fields: Readonly<Record<string, unknown>>): Promise<void>;
  setGuardrail(fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** The faults, the usage and the credit that are set, in words that tell one setting from another. */
  readonly arranged: string;
  setFaults(...faults: readonly Fault[]): Promise<void>;
  setFreeUsage(role: Role, minute: number, day: number): Promise<void>;
  /** Sets what enforces the credit limits of a role's key. */
  setCredit(role: Role, credit: Credit): Promise<void>;
  /** Sets the requests that a role's key has made in place of those set. */
  setUsage(role: Role, records: readonly UsageRecord[]): Promise<void>;
  /**
   * From now on looks by other means at what the control protocol says it has arranged. Where they contradict it, what
   * arranges throws ControlContradiction.
   */
  verifyClaims(): void;
  /** Gives the world back; never throws. */
  giveBack(): Promise<void>;
}

// Few letters, so that all stand in nearly every name: a server's trouble with one letter then shows in all or in none.
const letters = 'aeio';

/** What every name begins with that this process makes up: nobody else's secret is taken for one of its own. */
export const runPrefix = `plumb${randomLetters(8)}`;

/** A legal name of letters only, so that a server's trouble with digits or underscores does not spoil other checks. */
export function freshName(): string {
  return `${runPrefix}${randomLetters(16)}`;
}

/** Whether a name is one of those that `freshName` makes. */
export function isFreshName(name: string): boolean {
  return /^plumb[aeio]{24}$/.test(name);
}

/** So many letters by chance. */
function randomLetters(count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('');
}

/** The world of a target of which nothing is known but its address: it has no key, and nothing can be arranged in it. */
export class BareWorld implements World {
  readonly id = 'none';
  readonly workspaceId = undefined;
  readonly prefix = '';
  readonly arranged = '';

  guardrailId(): never {
    throw new Unavailable('guardrail');
  }

  key(role: Parameters<World['key']>[0]): never {
    throw new Unavailable(`role:${role}`);
  }

  isKey(): boolean {
    return false;
  }

  intern(intern: Parameters<World['intern']>[0]): never {
    throw new Unavailable(`intern:${intern}`);
  }

  store(): Promise<never> {
    return Promise.reject(new Unavailable('store'));
  }

  secrets(): Promise<never> {
    return Promise.reject(new Unavailable('inspect'));
  }

  setKeyInfo(): Promise<never> {
    return Promise.reject(new Unavailable('feature:key_info'));
  }

  setGuardrail(): Promise<never> {
    return Promise.reject(new Unavailable('feature:guardrail'));
  }

  setFaults(fault: Parameters<World['setFaults']>[0]): Promise<never> {
    return Promise.reject(new Unavailable(`fault:${fault}`));
  }

  setFreeUsage(): Promise<never> {
    return Promise.reject(new Unavailable('feature:free_usage'));
  }

  setCredit(): Promise<never> {
    return Promise.reject(new Unavailable('feature:credit'));
  }

  setUsage(): Promise<never> {
    return Promise.reject(new Unavailable('feature:usage'));
  }

  verifyClaims(): void {
    // Nothing was claimed.
  }

  async giveBack(): Promise<void> {
    // It holds nothing.
  }
}
