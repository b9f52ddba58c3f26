import { randomInt } from 'node:crypto';
import { describeNeed, type Need } from '../spec/need.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import type { Credit, Fault, Intern, Role, Scope, UsageRecord } from '../spec/vocabulary.js';
import type { StoredSecret } from './control-client.js';
import type { StoreStep } from './store-recipes.js';
import type { WorldState } from './world-state.js';

/** What a check is after cannot be seen here; the check is not exercised and says why. */
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
  constructor(need: Need, why: string = describeNeed(need)) {
    super(makeReason('lacking', why));
  }
}

/** An isolated tenant with its keys, interns and secrets, leased to one attempt of a check. */
export interface World {
  readonly id: string;
  readonly workspaceId: string | undefined;
  /** What every name that is stored or deleted here must begin with; empty where any name may be. */
  readonly prefix: string;
  /** What was stored in it by what a profile says, in order; absent where nobody can store like that by hand. */
  readonly storeSteps?: readonly StoreStep[];
  /** What it should hold; absent where the target does not list what it does hold. */
  readonly state?: WorldState | undefined;
  /** The id of the world's guardrail. Throws Unavailable where there is none. */
  guardrailId(): string;
  /** The key of a role. Throws Unavailable where there is none. */
  key(role: Role): string;
  /** Throws NotShown where other worlds share the key of a role: what is set in this one need not hold for it. */
  assertOwnKey(role: Role): void;
  /** Whether a text is a key that the run knows, of this world or another. */
  isKey(text: string): boolean;
  /** The id of an intern. Throws Unavailable where there is none. */
  intern(intern: Intern): string;
  /**
   * Stores a secret with a fresh value, under a fresh name where none is given, and returns its name. A value that is
   * given may be taken for none: that it is stored is not relied on, and only a control takes it.
   */
  store(scope: Scope, name?: string, value?: string): Promise<string>;
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
   * From now on verifies by other means what the control protocol says it has arranged. Where they contradict it, what
   * arranges throws ControlContradiction.
   */
  verifyClaims(): void;
  /** Gives the world back; never throws. */
  giveBack(): Promise<void>;
}

// Few letters, so that all stand in nearly every name: a server's trouble with one letter then shows in all or in none.
const letters = 'aeio';

/** What every name begins with that this process makes up: nobody else's secret is taken for one of its own. */
export const runPrefix = `plumb${drawLetters(8)}`;

/** Makes a legal name of letters only, so that a server's trouble with digits or underscores spoils no other check. */
export function freshName(): string {
  return `${runPrefix}${drawLetters(16)}`;
}

/** Whether a name is one of those that `freshName` makes. */
export function isFreshName(name: string): boolean {
  return /^plumb[aeio]{24}$/.test(name);
}

/** Whether a text keeps the rules of a secret's name (§2.3), apart from its length. */
export function isLegalName(text: string): boolean {
  return /^[a-z](?:_?[a-z0-9])*$/.test(text);
}

/** Writes a number in the letters of fresh names, always of the same length. */
export function writeInLetters(number: number, length: number): string {
  const digits = number.toString(letters.length).padStart(length, '0');
  return digits.replace(/\d/g, (digit) => letters[Number(digit)] ?? '');
}

function drawLetters(count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('');
}
