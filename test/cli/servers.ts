import { createServer, type RequestListener, type Server } from 'node:http';
import type { Answer, Behaviour, Call } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { mutants } from '../../reference/mutants.js';
import { behaviourWith } from '../../reference/mutation.js';
import { type Reference, type ReferenceOptions, startReference } from '../../reference/server.js';
import { endWithTest } from '../ended-with-test.js';

/** Starts a reference server in the process of the test and closes it after the test. */
export async function serveReference(options: ReferenceOptions = {}): Promise<Reference> {
  const started = await startReference(options);
  endWithTest(() => started.close());
  return started;
}

/** Starts a server other than the reference, closes it after the test and returns its origin. */
export async function startServer(listener: RequestListener): Promise<string> {
  const started = createServer(listener);
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  endWithTest(() => closeServer(started));
  const address = started.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return `http://127.0.0.1:${address.port}`;
}

function closeServer(started: Server): Promise<void> {
  return new Promise((resolve) => {
    started.close(() => resolve());
    started.closeAllConnections();
  });
}

/** Answers every request with the page of an edge. */
export const htmlForEverything: RequestListener = (request, response) => {
  request.resume();
  response.writeHead(200, { 'Content-Type': 'text/html' });
  response.end('<!doctype html><title>Welcome</title><p>This is no API.</p>');
};

/** The behaviour of a mutant. */
export function behaveAsMutant(id: string): Behaviour {
  const row = mutants.find((candidate) => candidate.id === id);
  if (row === undefined) throw new Error(`There is no mutant ${id}.`);
  return behaviourWith(row.mutation);
}

/** The secrets of a server: every key of every world and every stored value. */
export interface Secrets {
  readonly behaviour: Behaviour;
  readonly keys: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

/** Wraps a behaviour so that each call records the secrets of its world. */
export function watchSecrets(behaviour: Behaviour = conforming): Secrets {
  const keys = new Set<string>();
  const values = new Set<string>();
  const answer = (given: Answer, call: Call): Answer => {
    const world = call.key?.world;
    for (const { text } of world?.keys.values() ?? []) keys.add(text);
    for (const secrets of Object.values(world?.secrets ?? {})) {
      for (const value of secrets.values()) values.add(value);
    }
    return behaviour.answer(given, call);
  };
  return { behaviour: { ...behaviour, answer }, keys, values };
}
