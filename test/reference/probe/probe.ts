import type { Offers } from '../../../reference/capabilities.js';
import { behaviourWith, type Mutation } from '../../../reference/mutation.js';
import { startReference } from '../../../reference/server.js';
import { Clock } from './clock.js';
import { Connection } from './connection.js';
import { type Entry, PROMPT, play, type Stage } from './play.js';
import type { Script } from './script.js';

/** What the probe needs to know of a mutant or a variant. */
export interface Row {
  readonly mutation: Mutation;
  readonly offers?: Partial<Offers>;
}

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

/** All that is seen of one server; a script is played when it is first asked for. */
export class Transcript {
  readonly #opened: Promise<OpenStage>;
  readonly #seen = new Map<Script, Entry[]>();

  constructor(row: Row) {
    this.#opened = openStage(row);
  }

  /** What the server answers to a script. */
  async of(script: Script): Promise<readonly Entry[]> {
    const known = this.#seen.get(script);
    if (known !== undefined) return known;
    const { stage } = await this.#opened;
    const entries: Entry[] = [];
    for await (const entry of play(script, stage)) entries.push(entry);
    this.#seen.set(script, entries);
    return entries;
  }

  async close(): Promise<void> {
    await (await this.#opened).close();
  }
}

/**
 * The first difference from the transcript of another server that no busy machine explains; undefined where
 * there is none.
 */
export async function findDifference(
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
  const { stage, close } = await openStage(row);
  try {
    for (const script of scripts) {
      const answers = await transcript.of(script);
      let at = 0;
      for await (const { about, seen, timed } of play(script, stage)) {
        const expected = timed ? PROMPT : (answers[at]?.seen ?? '(nothing)');
        if (expected !== seen) return { script: script.title, about, expected, actual: seen, timed };
        at += 1;
      }
    }
    return undefined;
  } finally {
    await close();
  }
}

interface OpenStage {
  readonly stage: Stage;
  readonly close: () => Promise<void>;
}

// A server of its own, to play scripts on.
async function openStage({ mutation, offers }: Row): Promise<OpenStage> {
  const clock = new Clock();
  const reference = await startReference({
    behaviour: behaviourWith(mutation),
    now: clock.now,
    bodyDeadlineMs: BODY_DEADLINE_MS,
    worldTtlMs: WEEK_MS,
    ...(offers === undefined ? {} : { offers }),
  });
  const { origin } = new URL(reference.baseUrl);
  const connection = new Connection(origin);
  const close = async (): Promise<void> => {
    connection.close();
    await reference.close();
  };
  return { stage: { origin, connection, clock }, close };
}
