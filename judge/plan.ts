/** How far down the plan a run goes. */
export type Depth = 'quick' | 'standard' | 'deep';

/** Whether a run of a depth continues after the opening, to every check and every case that a property walks. */
export function goesBeyondOpening(depth: Depth): boolean {
  return depth !== 'quick';
}

/** The most requests, by depth, unless the user asks for another limit. */
export const requestLimits: Readonly<Partial<Record<Depth, number>>> = { quick: 500 };

/** The number of seeds: each is a whole number below it. */
export const seedCount = 2 ** 31;

/** Node's timers count milliseconds in 31 bits. */
export const longestTimerMs = 2 ** 31 - 1;

/** The generated case that a run replays. */
export interface ReplayedCase {
  readonly property: string;
  /** The block of cases, or the walk. */
  readonly block: number | 'walk';
  /** fast-check's path in the block; the index in the walk. */
  readonly path: string;
}

/** Which generated cases a run sends. */
export interface Plan {
  readonly seed: number;
  readonly depth: Depth;
  /** Cases per property, in place of the depth's. */
  readonly cases?: number | undefined;
  readonly replay?: ReplayedCase | undefined;
}

/** Parses `valid-names:0:17:3:1` or `valid-names:walk:17`; returns undefined for anything else. */
export function readCasePath(text: string): ReplayedCase | undefined {
  const match = /^([a-z-]+):(walk|\d+):(\d+(?::\d+)*)$/.exec(text);
  if (match === null) return undefined;
  const [, property = '', block = '', path = ''] = match;
  return { property, block: block === 'walk' ? 'walk' : Number(block), path };
}

export function writeCasePath({ property, block, path }: ReplayedCase): string {
  return `${property}:${block}:${path}`;
}

/** One part of a run: its index, from 1, and the number of parts. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** The shard of a run that is not split. */
export const wholeRun: Shard = { index: 1, of: 1 };

/** Parses `2/3`; returns undefined where it is not a shard. */
export function readShard(text: string): Shard | undefined {
  const match = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(text);
  if (match === null) return undefined;
  const [index, of] = [Number(match[1]), Number(match[2])];
  return index <= of ? { index, of } : undefined;
}

export function writeShard({ index, of }: Shard): string {
  return `${index}/${of}`;
}
