import { parentPort } from 'node:worker_threads';
import { judgeServers, type ServerOrder } from './judge-server.js';

// A thread of a proof: judges the servers of each order that it is sent. An error ends the thread and reaches its parent.

parentPort?.on('message', async (order: ServerOrder) => {
  parentPort?.postMessage(await judgeServers(order));
});
