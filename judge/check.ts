import { type RequirementId, type RequirementRow, requirement } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Operation } from '../spec/vocabulary.js';
import type { World } from '../targets/world.js';
import type { Api } from './api.js';
import type { AttemptMeans } from './attempt.js';
import type { Controls } from './controls.js';
import type { Judgement } from './judgement.js';
import type { Plan } from './plan.js';

/** What a check works with: a world of its own, and the way to send requests into it. */
export interface CheckContext {
  readonly world: World;
  readonly api: Api;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  /** Whether the target offers something that the check can do without. */
  offers(need: Need): boolean;
  /** What is sent of a list of like cases: all of it, or at depth quick the first and one more. */
  some<T>(list: readonly T[]): readonly T[];
  /** What is sent of a list that a property walks too: the first and one more, whatever the depth. */
  few<T>(list: readonly T[]): readonly T[];
  /** Leases a second, unrelated world; given back with the first. */
  openWorld(): Promise<{ readonly world: World; readonly api: Api }>;
}

/** What a check may leave changed in its world. */
type Alteration = 'settings' | 'free-usage' | 'names';

/** What a check may say of itself beyond its requirement. */
export interface CheckOptions {
  /** Other requirements that the check decides on its way. */
  readonly also?: readonly RequirementId[];
  /**
   * Which of its requirements it decides on a target that offers only some things, where that is less than all of them;
   * of the others it says nothing.
   */
  readonly shows?: (offers: (need: Need) => boolean) => readonly RequirementId[];
  /** What it needs beyond what its requirement needs. */
  readonly needs?: readonly Need[];
  /** The operation whose plain success must hold beside it. */
  readonly control: Operation;
  /** Its own subject is that plain success, so that another operation's must stand beside it. */
  readonly isControl?: boolean;
  /**
   * What it leaves changed in its world: settings, so that no other check may use the world after it; free usage alone,
   * which every check of free usage sets anew; or secrets whose names are not fresh ones, which another may store too.
   */
  readonly altersWorld?: Alteration;
  /** Vault requests that it sends at the most, where that is more than the usual check does. */
  readonly vaultRequests?: number;
  /**
   * Nothing else is in flight while it is judged: a server that keeps the last of something answers wrongly only where
   * one request follows another directly.
   */
  readonly alone?: true;
}

/** The id of a check: its requirement's, and a word for the case where a requirement has several checks. */
export type CheckId = RequirementId | `${RequirementId}/${string}`;

/** What is known of every check: listed one by one, or generated. */
interface CheckFacts {
  readonly id: CheckId;
  /** The requirement it is there for. */
  readonly requirement: RequirementId;
  /** Every requirement that it may decide, its own first. */
  readonly decides: readonly RequirementId[];
  readonly title: string;
  readonly needs: readonly Need[];
  readonly control: Operation;
  readonly isControl: boolean;
}

/** A check that is written out: arranges, asks and asserts; throws where it cannot go on. */
export interface ListedCheck extends CheckFacts {
  readonly kind: 'listed';
  readonly altersWorld: Alteration | undefined;
  readonly shows: CheckOptions['shows'];
  readonly vaultRequests: number | undefined;
  readonly alone: boolean;
  readonly run: (context: CheckContext) => Promise<void>;
}

/** A check of a property, over as many cases as the plan says. */
export interface GeneratedCheck extends CheckFacts {
  readonly kind: 'generated';
  /** The property's name in paths. */
  readonly property: string;
  /** About how many requests it sends: enough to divide a run by, and nothing is decided by it. */
  readonly requestsAbout: (plan: Pick<Plan, 'depth' | 'cases'>) => number;
  /** @param lanes cases at once */
  readonly judge: (means: AttemptMeans, controls: Controls, plan: Plan, lanes: number) => Promise<Judgement>;
}

/** Code that decides requirements. */
export type Check = ListedCheck | GeneratedCheck;

/** Defines a check. Its title, level and section come from the ledger, so that they cannot drift from it. */
export function check(id: CheckId, options: CheckOptions, run: ListedCheck['run']): ListedCheck {
  const [row, word] = addressed(id);
  return {
    kind: 'listed',
    id,
    requirement: row.id,
    decides: [row.id, ...(options.also ?? [])],
    title: word === undefined ? row.statement : `${row.statement} (${word})`,
    needs: [...new Set([...(row.needs ?? []), ...(options.needs ?? [])])],
    control: options.control,
    isControl: options.isControl ?? false,
    altersWorld: options.altersWorld,
    shows: options.shows,
    vaultRequests: options.vaultRequests,
    alone: options.alone ?? false,
    run,
  };
}

function addressed(id: CheckId): readonly [RequirementRow, string | undefined] {
  const slash = id.indexOf('/');
  const rowId = slash < 0 ? id : id.slice(0, slash);
  return [
    requirement(rowId as RequirementId),
    slash < 0 ? undefined : id.slice(slash + 1).replaceAll('-', ' '),
  ];
}
