import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, type Behaviour, type Call, JSON_MEDIA_TYPE } from '../reference/behaviour.js';
import { conforming } from '../reference/conforming.js';
import { mutants } from '../reference/mutants.js';
import type { Mutation } from '../reference/mutation.js';
import { variants } from '../reference/variants.js';
import { transmit } from '../reference/wire.js';

// What a reference server does otherwise in a test.

export function behaveAsMutant(id: string): Behaviour {
  return behaveAs(mutants, id);
}

export function behaveAsVariant(id: string): Behaviour {
  return behaveAs(variants, id);
}

function behaveAs(rows: readonly { readonly id: string; readonly mutation: Mutation }[], id: string) {
  const row = rows.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`There is no ${id} in the catalogue.`);
  return { ...conforming, ...row.mutation };
}

/** How often something was counted on a server, this time included; starts at 1. */
export function countTimes(call: Call, what = 'times'): number {
  const { memory } = call.server;
  const count = Number(memory.get(what) ?? 0) + 1;
  memory.set(what, count);
  return count;
}

export function makeEnvelope(status: number, headers: Readonly<Record<string, string>> = {}): Answer {
  const error = { code: status, message: 'A test wants it so.' };
  return { status, headers: { 'Content-Type': JSON_MEDIA_TYPE, ...headers }, body: { error } };
}

export function makeJson(status: number, body: Answer['body']): Answer {
  return { status, headers: { 'Content-Type': JSON_MEDIA_TYPE }, body };
}

export function makePage(status: number): Answer {
  return { status, headers: { 'Content-Type': 'text/html' }, body: '<html><h1>An edge</h1></html>' };
}

/** The page with which HAProxy answers in place of a server. */
export function makeHaproxyPage(status: number): Answer {
  return {
    status,
    headers: { 'Cache-Control': 'no-cache', 'Content-Type': 'text/html' },
    body: `<html><body><h1>${status} Error</h1>\nRequest forbidden by administrative rules.\n</body></html>\n`,
  };
}

export function replaceAnswers(
  concerns: (answer: Answer, call: Call) => boolean,
  other: Answer | ((call: Call) => Answer),
): Pick<Behaviour, 'answer'> {
  return {
    answer: (answer, call) => {
      if (!concerns(answer, call)) return answer;
      return typeof other === 'function' ? other(call) : other;
    },
  };
}

export function isVault(status: number): (answer: Answer, call: Call) => boolean {
  return (answer, call) => call.operation === 'vault-delete' && answer.status === status;
}

export function sendOtherwise(
  concerns: (answer: Answer, call: Call) => boolean,
  send: (response: ServerResponse, answer: Answer) => void,
): Pick<Behaviour, 'transmit'> {
  return {
    transmit: (response, answer, call) =>
      concerns(answer, call) ? send(response, answer) : transmit(response, answer, call),
  };
}

/** A behaviour that takes so many milliseconds for each answer, and tells how many it has begun. */
export function slowDown(ms: number) {
  let come = 0;
  let done = 0;
  const waiting: { readonly requests: number; readonly go: () => void }[] = [];
  const behaviour: Behaviour = {
    ...conforming,
    transmit: async (response, answer, call) => {
      come += 1;
      for (const { requests, go } of waiting) if (come >= requests) go();
      await sleep(ms);
      await conforming.transmit(response, answer, call);
      done += 1;
    },
  };
  /** Resolves once this many requests of the document's operations have come. */
  const reached = (requests: number): Promise<void> =>
    new Promise((go) => {
      if (come >= requests) go();
      else waiting.push({ requests, go });
    });
  /** Resolves once every answer that was begun has ended. */
  const ended = async (): Promise<void> => {
    while (done < come) await sleep(5);
  };
  return { behaviour, reached, ended };
}

/** The secrets of a server: every key of every world and every stored value. */
export interface Secrets {
  readonly behaviour: Behaviour;
  readonly keys: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

/** Wraps a behaviour so that each call records the secrets of its world. */
export function watchSecrets(given: Partial<Behaviour> = {}): Secrets {
  const behaviour = { ...conforming, ...given };
  const keys = new Set<string>();
  const values = new Set<string>();
  const answer = (made: Answer, call: Call): Answer => {
    const world = call.key?.world;
    for (const { text } of world?.keys.values() ?? []) keys.add(text);
    for (const secrets of Object.values(world?.secrets ?? {})) {
      for (const value of secrets.values()) values.add(value);
    }
    return behaviour.answer(made, call);
  };
  return { behaviour: { ...behaviour, answer }, keys, values };
}
