import { setTimeout as sleep } from 'node:timers/promises';
import { conforming } from '../reference/behaviour.js';
import { startReference } from '../reference/server.js';

// A reference server for the bench, with the latency that the first argument names, in milliseconds.

const latencyMs = Number(process.argv[2] ?? 0);
const { baseUrl, controlUrl } = await startReference({
  behaviour:
    latencyMs === 0
      ? conforming
      : {
          ...conforming,
          transmit: async (response, answer, call) => {
            await sleep(latencyMs);
            await conforming.transmit(response, answer, call);
          },
        },
});
process.send?.({ baseUrl, controlUrl });
