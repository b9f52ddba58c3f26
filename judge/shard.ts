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
