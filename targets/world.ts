import { randomInt } from 'node:crypto';
import { describeNeed, type Need } from '../spec/need.js';
import { makeReason, type Reason, reportReason } from '../spec/reasons.js';
import {
  type Credit,
  type Fault,
  type Intern,
  type Role,
  type Scope,
  statusOfFault,
  type UsageRecord,
} from '../spec/vocabulary.js';
import type { StoredSecret } from './control-client.js';
import type { SentRequest } from './exchange.js';
import type { WorldState } from './world-state.js';

/** A check cannot be exercised on this target, for this reason. */
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

/** The target does not offer what a check needs. */
export class Unavailable extends NotShown {
  override readonly name = 'Unavailable';

  /** @param why what would unlock it, where more is known than the need itself says */
  constructor(need: Need, why: string = describeNeed(need)) {
    super(makeReason('lacking', why));
  }
}

/** A store on a target without the control protocol, to be repeated by hand. */
export interface StoreStep {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A request, or a program and its environment variables. */
  readonly step:
    | SentRequest
    | { readonly environment: Readonly<Record<string, string>>; readonly run: readonly string[] };
}

/** An isolated tenant with its keys, interns and secrets, leased to one attempt of a check. */
export interface World {
  readonly id: string;
  readonly workspaceId: string | undefined;
  /** The prefix of every name that may be stored or deleted here; empty where any name may. */
  readonly prefix: string;
  /** The names that are made up here. Each attempt that leases the world sets its own. */
  names: FreshNames;
  /** The stores made by a profile's recipe, in order; absent where they cannot be repeated by hand. */
  readonly storeSteps?: readonly StoreStep[];
  /** The expected content; absent where the target cannot list the actual one. */
  readonly state?: WorldState | undefined;
  /** The id of the world's guardrail. Throws Unavailable where there is none. */
  guardrailId(): string;
  /** The key of a role. Throws Unavailable where there is none. */
  key(role: Role): string;
  /** A key of the workspace of the intern `foreign`, where the target has one. */
  readonly foreignKey?: string | undefined;
  /** Throws NotShown where other worlds share the key of a role: settings of this world need not apply to it. */
  assertOwnKey(role: Role): void;
  isKey(text: string): boolean;
  /** The id of an intern. Throws Unavailable where there is none. */
  intern(intern: Intern): string;
  /**
   * Stores a secret, with a fresh value and under a fresh name unless they are given, and returns its name. The server may
   * not accept a given value, so the store counts as unconfirmed; only a control accepts one.
   */
  store(scope: Scope, name?: string, value?: string): Promise<string>;
  /**
   * Whether the target lists a secret. Waits up to 2 s for what is due, since a listing may lag behind. Throws Unavailable where
   * the target cannot list secrets.
   */
  lists(scope: Scope, name: string, isDue?: boolean): Promise<boolean>;
  /** Finds which of some secrets the target does not list, with the same wait. */
  findUnlisted<Secret extends StoredSecret>(secrets: readonly Secret[]): Promise<readonly Secret[]>;
  setKeyInfo(role: Role, fields: Readonly<Record<string, unknown>>): Promise<void>;
  setGuardrail(fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** When something was last set, by `performance.now()`, at first when it was opened; absent where nothing can be set. */
  readonly lastSetAt?: number;
  /** Describes the faults, usage and credit that are set; equal for equal settings. */
  readonly arranged: string;
  /** The faults that are set. */
  readonly faults: readonly Fault[];
  setFaults(...faults: readonly Fault[]): Promise<void>;
  /** The faults that were set earlier and are not now; a control may lift them late. */
  readonly earlierFaults: readonly Fault[];
  setFreeUsage(role: Role, minute: number, day: number): Promise<void>;
  setCredit(role: Role, credit: Credit): Promise<void>;
  setUsage(role: Role, records: readonly UsageRecord[]): Promise<void>;
  /**
   * From now on verifies by other means what the control protocol claims to have arranged. Where that is contradicted,
   * arranging throws ControlContradiction.
   */
  verifyClaims(): void;
  /** From now on waits as many milliseconds after each setting as `findMs` says, in case the target applies it late. */
  waitAfterSettings(findMs: () => number): void;
  close(): Promise<void>;
}

// So few letters that nearly every name has them all: a server's trouble with a letter then shows in all names or in none.
const letters = 'aeio';

/** The prefix of every name that this process makes up, so that it never deletes anybody else's secret. */
export const runPrefix = `plumb${drawLetters(8)}`;

/** Makes a legal name of letters only: a server's trouble with digits or underscores affects no other check. */
export function freshName(): string {
  return `${runPrefix}${drawLetters(16)}`;
}

/** Makes up the secret names of an attempt. When the attempt is repeated, it gives the same names in the same order. */
export class FreshNames {
  readonly made: string[] = [];

  /** @param given the names to give first, in order */
  constructor(private readonly given: readonly string[] = []) {}

  next(): string {
    const name = this.given[this.made.length] ?? freshName();
    this.made.push(name);
    return name;
  }

  /** Makes a name of 87 characters: some servers cut names at 64, or compare only so many. */
  nextLong(): string {
    return this.next() + this.next() + this.next();
  }
}

/** Whether `freshName` may have made a name. */
export function isFreshName(name: string): boolean {
  return /^plumb[aeio]{24}$/.test(name);
}

/** Whether a text follows the rules for secret names (§2.3), apart from the length. */
export function isLegalName(text: string): boolean {
  return /^[a-z](?:_?[a-z0-9])*$/.test(text);
}

/** Writes a number in the letters of fresh names, padded to a length. */
export function writeInLetters(number: number, length: number): string {
  const digits = number.toString(letters.length).padStart(length, '0');
  return digits.replace(/\d/g, (digit) => letters[Number(digit)] ?? '');
}

function drawLetters(count: number): string {
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join('');
}

/** Whether a status is that of an earlier fault, which is still in force where the control lifts it late. */
export function meetsEarlierFault(
  { earlierFaults }: Pick<World, 'earlierFaults'>,
  status: number | undefined,
): boolean {
  return earlierFaults.some((fault) => statusOfFault[fault] === status);
}
