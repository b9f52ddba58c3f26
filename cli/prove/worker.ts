import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../spec/thrown.js';
import { judgedServers, type ServerOrder } from './judged-server.js';

// Judges one server after another, as it is told.

parentPort?.on('message', (order: ServerOrder) => {
  judgedServers(order).then(
    (servers) => parentPort?.postMessage({ servers }),
    (error: unknown) => parentPort?.postMessage({ error: messageOf(error) }),
  );
});
