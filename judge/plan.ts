import { createHash } from 'node:crypto';
import { matchesOf } from '../spec/id-patterns.js';
import { ledger, type RequirementId } from '../spec/ledger.js';

/** How much a run sends. */
export type Depth = 'quick' | 'standard' | 'deep';

/** How far down the plan a run of some depth goes; how many cases each property draws stands beside the property. */
interface DepthLimits {
  /** Whether it goes on after the opening: to every check, and to every case that a property walks. */
  readonly goesBeyondOpening: boolean;
  /** Requests that it promises not to exceed, where nothing else is said. */
  readonly requestsAtMost?: number;
}

/** All that the engine knows of depths. */
export const depths: Readonly<Record<Depth, DepthLimits>> = {
  quick: { goesBeyondOpening: false, requestsAtMost: 500 },
  standard: { goesBeyondOpening: true },
  deep: { goesBeyondOpening: true },
};

/** The one generated case that a run is to send again. */
export interface ReplayedCase {
  readonly property: string;
  /** The block of cases, or the walk. */
  readonly block: number | 'walk';
  /** fast-check's path in the block; the index in the walk. */
  readonly path: string;
}

/** What generated cases a run sends. */
export interface Plan {
  readonly seed: number;
  readonly depth: Depth;
  /** Cases per property, in place of the depth's. */
  readonly cases?: number | undefined;
  readonly replay?: ReplayedCase | undefined;
}

/** Reads `valid-names:0:17:3:1` or `valid-names:walk:17`; undefined where it is neither. */
export function readPath(text: string): ReplayedCase | undefined {
  const match = /^([a-z-]+):(walk|\d+):(\d+(?::\d+)*)$/.exec(text);
  if (match === null) return undefined;
  const [, property = '', block = '', path = ''] = match;
  return { property, block: block === 'walk' ? 'walk' : Number(block), path };
}

/** The path as it is printed. */
export function writePath({ property, block, path }: ReplayedCase): string {
  return `${property}:${block}:${path}`;
}

/** The seed of one block of a property's cases: its own, so that a million cases need not be walked to reach the last. */
export function blockSeed(seed: number, property: string, block: number): number {
  return createHash('sha256').update(`${seed}:${property}:${block}`).digest().readInt32BE();
}

/** One part of a run: the how-manieth of how many, counted from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** The one part of a run that is not split. */
export const wholeRun: Shard = { index: 1, of: 1 };

/** Reads `2/3`; undefined where it is no part of anything. */
export function readShard(text: string): Shard | undefined {
  const match = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  if (match === null) return undefined;
  const [index, of] = [Number(match[1]), Number(match[2])];
  return index <= of ? { index, of } : undefined;
}

/** The shard as it is printed. */
export function writeShard({ index, of }: Shard): string {
  return `${index}/${of}`;
}

/** Which requirements a run is to decide: patterns over their ids, as given. */
export interface SelectionPatterns {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

const ids = ledger.map(({ id }) => id);

/** Which requirements a run is to decide. */
export class Selection {
  readonly #selected: ReadonlySet<RequirementId>;

  /** Patterns that match no requirement: most likely a mistyped one, which would silently judge nothing. */
  readonly unmatched: readonly string[];

  /** Throws UnusablePattern. */
  constructor(readonly patterns: SelectionPatterns) {
    const all = [...patterns.only, ...patterns.skip];
    const matches = matchesOf(all, ids);
    const named = (some: readonly string[]) => new Set(some.flatMap((pattern) => matches.get(pattern) ?? []));
    const [only, skip] = [named(patterns.only), named(patterns.skip)];
    this.#selected = new Set(
      ids.filter((id) => (patterns.only.length === 0 || only.has(id)) && !skip.has(id)),
    );
    this.unmatched = all.filter((pattern) => matches.get(pattern)?.length === 0);
  }

  /** Whether a requirement is to be decided. */
  has(id: RequirementId): boolean {
    return this.#selected.has(id);
  }

  /** Whether nothing is left to be decided: a verdict over nothing would prove nothing. */
  get isEmpty(): boolean {
    return this.#selected.size === 0;
  }
}
