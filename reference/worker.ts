import { parentPort } from 'node:worker_threads';
import { startReference } from './server.js';

// The reference server on a thread of its own: it sends its address to whoever started it. Under a name, since how
// host names compare does not show on an address; under its address where the machine does not know the name.

const { baseUrl, controlUrl } = await startReference({ host: 'localhost' }).catch(() => startReference());
parentPort?.postMessage({ baseUrl, controlUrl });
