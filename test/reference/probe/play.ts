import type { WorldView } from '../../../reference/world-store.js';
import type { Clock } from './clock.js';
import type { Connection } from './connection.js';
import { rawText } from './raw-connection.js';
import { Renaming } from './renaming.js';
import type { ControlCall, Request, Script, Sending, Step, Worlds } from './script.js';

/** One thing that was seen: what was asked, and the answer, both with the server's own ids renamed. */
export interface Entry {
  readonly about: string;
  readonly seen: string;
  /** Whether it tells of time, which a busy machine can falsify. */
  readonly timed: boolean;
}

/** The server that a script is played on. */
export interface Stage {
  readonly origin: string;
  readonly connection: Connection;
  readonly clock: Clock;
}

/** The tempo of a server that does not dawdle. */
export const PROMPT = '(prompt)';

const TIMES = 12;
/** An answer on loopback takes a fraction of this, in milliseconds. */
const SLOW_MS = 3;
/** Longer than this now and then is a hitch, in milliseconds. */
const HITCH_MS = 20;

/** Plays a script in two fresh worlds and gives what is seen, one entry after another. */
export async function* play(script: Script, stage: Stage): AsyncGenerator<Entry> {
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
    case 'together':
      yield* together(step.requests, scene);
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

// Which of several equal requests comes first is open, so their answers are put in order.
async function* together(requests: readonly Request[], scene: Scene): AsyncGenerator<Entry> {
  const { stage, worlds, renaming } = scene;
  const sendings = requests.map((request) => request(worlds));
  const answers = await Promise.all(sendings.map((sending) => stage.connection.sendAlone(sending)));
  const entries = answers.map((answer, at) => {
    const sending = sendings[at];
    return entry(renaming, sending === undefined ? '' : `at once: ${sendingText(sending)}`, answer);
  });
  const key = ({ about, seen }: Entry): string => `${about}\n${seen}`;
  yield* entries.sort((one, other) => (key(one) < key(other) ? -1 : 1));
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
