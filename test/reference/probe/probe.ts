import { type Override, overridden } from '../../../reference/mutant.js';
import type { Offers } from '../../../reference/offers.js';
import { startReference } from '../../../reference/server.js';
import { Clock } from './clock.js';
import { Connection } from './connection.js';
import { type Entry, PROMPT, play } from './play.js';
import type { Script } from './script.js';

/** What the probe needs to know of a mutant or a variant. */
export interface Row {
  readonly override: Override;
  readonly offers?: Partial<Offers>;
}

/** All that was seen of one server, by the titles of the scripts. */
export type Transcript = ReadonlyMap<string, readonly Entry[]>;

/** The first answer in which two servers differ. */
export interface Difference {
  readonly script: string;
  readonly about: string;
  readonly expected: string;
  readonly actual: string;
  /** Whether it tells of time only. */
  readonly timed: boolean;
}

/** A body that stops arriving is given up after so many milliseconds: the shorter, the quicker the probe. */
const BODY_DEADLINE_MS = 60;
const WEEK_MS = 604_800_000;
/** How often a difference in time must show, every time on a fresh server, for a busy machine makes some too. */
const TIMES_SLOW = 3;

/** What a server answers to the scripts. */
export async function transcribe(row: Row, scripts: readonly Script[]): Promise<Transcript> {
  const transcript = new Map<string, Entry[]>(scripts.map(({ title }) => [title, []]));
  await seeAll(row, scripts, (entry, { title }) => {
    transcript.get(title)?.push(entry);
    return true;
  });
  return transcript;
}

/**
 * The first difference from the transcript of another server that no busy machine explains; undefined where
 * there is none. The scripts, in any order, are some of those that the transcript tells of.
 */
export async function lifeSign(
  row: Row,
  scripts: readonly Script[],
  transcript: Transcript,
): Promise<Difference | undefined> {
  let difference: Difference | undefined;
  for (let time = 0; time < TIMES_SLOW; time++) {
    difference = await firstDifference(row, scripts, transcript);
    if (difference?.timed !== true) return difference;
  }
  return difference;
}

async function firstDifference(
  row: Row,
  scripts: readonly Script[],
  transcript: Transcript,
): Promise<Difference | undefined> {
  let found: Difference | undefined;
  await seeAll(row, scripts, ({ about, seen, timed }, { title }, at) => {
    const expected = timed ? PROMPT : (transcript.get(title)?.[at]?.seen ?? '(nothing)');
    if (expected !== seen) found = { script: title, about, expected, actual: seen, timed };
    return found === undefined;
  });
  return found;
}

// Plays the scripts on a server of its own until `see` has seen enough.
async function seeAll(
  { override, offers }: Row,
  scripts: readonly Script[],
  see: (entry: Entry, script: Script, at: number) => boolean,
): Promise<void> {
  const clock = new Clock();
  const reference = await startReference({
    behaviour: overridden(override),
    now: clock.now,
    bodyDeadlineMs: BODY_DEADLINE_MS,
    worldTtlMs: WEEK_MS,
    ...(offers === undefined ? {} : { offers }),
  });
  const { origin } = new URL(reference.baseUrl);
  const connection = new Connection(origin);
  try {
    for (const script of scripts) {
      let at = 0;
      for await (const entry of play(script, { origin, connection, clock })) {
        if (!see(entry, script, at)) return;
        at += 1;
      }
    }
  } finally {
    connection.close();
    await reference.close();
  }
}
