import { createHash } from 'node:crypto';

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
