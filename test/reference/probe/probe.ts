import type { Capabilities } from '../../../reference/capabilities.js';
import { behaviourWith, type Mutation } from '../../../reference/mutation.js';
import { startReference } from '../../../reference/server.js';
import type { WorldView } from '../../../reference/world-store.js';
import { Connection, Renaming, rawText } from './exchanges.js';
import type { ControlCall, Request, Script, Sending, Step, Worlds } from './script.js';

// 45 seconds into a minute, 15 minutes before the end of a UTC day: both ends are within reach.
const START = Date.UTC(2026, 4, 20, 23, 44, 45);

/** A clock that moves only when it is told to, so that no answer depends on when it is asked for. */
class Clock {
  #now = START;

  /** Milliseconds since 1970. */
  readonly now = (): number => this.#now;

  forward(ms: number): void {
    this.#now += ms;
  }

  /** Puts the clock back to where it began, so that scripts can be played in any order. */
  reset(): void {
    this.#now = START;
  }
}

/** One thing that was seen: what was asked, and the answer, both with the server's own ids renamed. */
export interface Entry {
  readonly about: string;
  readonly seen: string;
  /** Whether it tells of time, which a busy machine can falsify. */
  readonly timed: boolean;
}

/** The server that a script is played on. */
interface Stage {
  readonly origin: string;
  readonly connection: Connection;
  readonly clock: Clock;
}

/** The tempo of a server that does not dawdle. */
const PROMPT = '(prompt)';

const TIMES = 12;

/** An answer on loopback takes a fraction of this, in milliseconds. */
const SLOW_MS = 3;

/** Longer than this now and then is a hitch, in milliseconds. */
const HITCH_MS = 20;

/** Plays a script in two fresh worlds and gives what is seen, one entry after another. */
async function* play(script: Script, stage: Stage): AsyncGenerator<Entry> {
  stage.clock.reset();
  const worlds = { here: await openWorld(stage, 'here'), there: await openWorld(stage, 'there') };
  const scene = { stage, worlds, renaming: new Renaming(stage.origin, worlds) };
  for (const step of script.steps) yield* perform(step, scene);
  yield await whatIsStored(worlds.there, scene);
  for (const { id } of [worlds.here, worlds.there]) {
    await control(stage, { method: 'DELETE', path: `/worlds/${id}` });
  }
}

interface Scene {
  readonly stage: Stage;
  readonly worlds: Worlds;
  readonly renaming: Renaming;
}

async function* perform(step: Step, scene: Scene): AsyncGenerator<Entry> {
  const { stage, worlds, renaming } = scene;
  switch (step.do) {
    case 'clock':
      stage.clock.forward(step.forwardMs);
      return;
    case 'control': {
      const call = step.call(worlds);
      const about = `control ${call.method} ${call.path}`;
      yield entry(renaming, about, await control(stage, call));
      return;
    }
    case 'send': {
      const sending = step.request(worlds);
      yield entry(renaming, sendingText(sending), await stage.connection.send(sending));
      return;
    }
    case 'look':
      yield await whatIsStored(worlds.here, scene);
      return;
    case 'raw': {
      const texts = step.exchanges.map(({ bytes }) => bytes(worlds));
      const answers = await Promise.all(
        step.exchanges.map(({ quietMs }, at) => rawText(stage.origin, texts[at] ?? '', quietMs)),
      );
      for (const [at, answer] of answers.entries()) yield entry(renaming, texts[at] ?? '', answer);
      return;
    }
    case 'tempo': {
      const taken = await times(step.request, scene);
      yield {
        about: `the time of ${renaming.rename(sendingText(step.request(worlds)))}`,
        seen: tempo(taken),
        timed: true,
      };
      return;
    }
  }
}

async function whatIsStored({ id }: WorldView, { stage, renaming }: Scene): Promise<Entry> {
  const call = { method: 'GET', path: `/worlds/${id}/secrets` };
  return entry(renaming, `what is stored in ${id}`, await control(stage, call));
}

async function times(request: Request, { stage, worlds }: Scene): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const begun = performance.now();
    await stage.connection.send(request(worlds));
    taken.push(performance.now() - begun);
  }
  return taken;
}

// A quantile, so that the pauses of a busy machine count for little.
function tempo(taken: readonly number[]): string {
  const sorted = [...taken].sort((one, other) => one - other);
  const half = sorted[Math.floor(TIMES / 2)] ?? 0;
  const mostOf = sorted[Math.floor((TIMES * 3) / 4)] ?? 0;
  return half < SLOW_MS && mostOf < HITCH_MS ? PROMPT : half < SLOW_MS ? '(hitches)' : '(slow)';
}

function entry(renaming: Renaming, about: string, seen: string): Entry {
  return { about: renaming.rename(about), seen: renaming.rename(seen), timed: false };
}

function sendingText({ method, target, headers, body }: Sending): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
  return [`${method} ${target}`, ...lines, body ?? ''].join('\n');
}

function control({ connection }: Stage, { method, path, body }: ControlCall): Promise<string> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  return connection.send({
    method,
    target: `/control${path}`,
    headers: { 'Content-Type': 'application/json' },
    body: text,
  });
}

async function openWorld(stage: Stage, label: string): Promise<WorldView> {
  const text = await control(stage, { method: 'POST', path: '/worlds', body: { label } });
  const body = /\{.*\}/.exec(text)?.[0];
  if (body === undefined) throw new Error(`opening a world was answered: ${text}`);
  return JSON.parse(body) as WorldView;
}

/** What the probe needs to know of a mutant or a variant. */
export interface Row {
  readonly mutation: Mutation;
  readonly capabilities?: Partial<Capabilities>;
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
async function openStage({ mutation, capabilities }: Row): Promise<OpenStage> {
  const clock = new Clock();
  const reference = await startReference({
    behaviour: behaviourWith(mutation),
    now: clock.now,
    bodyDeadlineMs: BODY_DEADLINE_MS,
    worldTtlMs: WEEK_MS,
    ...(capabilities === undefined ? {} : { capabilities }),
  });
  const { origin } = new URL(reference.baseUrl);
  const connection = new Connection(origin);
  const close = async (): Promise<void> => {
    connection.close();
    await reference.close();
  };
  return { stage: { origin, connection, clock }, close };
}
