import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../spec/thrown.js';
import { catalogued } from './catalogue.js';
import { type JudgingPlan, judgedServer } from './judged-server.js';

// Judges one server of the catalogue after another, as it is told.

/** What a worker is told to judge. */
export interface Order extends JudgingPlan {
  readonly id: string;
}

parentPort?.on('message', ({ id, ...plan }: Order) => {
  judgedServer(catalogued(id), plan).then(
    (server) => parentPort?.postMessage({ server }),
    (error: unknown) => parentPort?.postMessage({ error: messageOf(error) }),
  );
});
