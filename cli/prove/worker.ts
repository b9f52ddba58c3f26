import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../spec/thrown.js';
import { judgeServers, type ServerOrder } from './judge-server.js';

// A thread of a proof: judges the servers of each order that it is sent.

parentPort?.on('message', (order: ServerOrder) => {
  judgeServers(order).then(
    (servers) => parentPort?.postMessage({ servers }),
    (error: unknown) => parentPort?.postMessage({ error: messageOf(error) }),
  );
});
