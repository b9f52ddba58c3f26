import { parentPort } from 'node:worker_threads';
import { startReference } from './server.js';

// The reference server on a thread of its own: whoever started it is told where it listens.

const { baseUrl, controlUrl } = await startReference();
parentPort?.postMessage({ baseUrl, controlUrl });
