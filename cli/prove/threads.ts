import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ProvenServer } from '../../spec/proof.js';
import { messageOf } from '../../spec/thrown.js';
import type { ServerOrder } from './judge-server.js';

// Most objects live for one response only: a large young generation saves a tenth of the time.
const resourceLimits = { maxYoungGenerationSizeMb: 96 };

interface ThreadOptions {
  readonly jobs: number;
  readonly signal: AbortSignal;
  readonly onJudged: (servers: readonly ProvenServer[]) => void;
}

/**
 * Judges servers on threads until the signal is aborted; one that fails costs one server and is replaced. Returns the
 * results in the order asked for, and the errors of the suite or of a server, a line each.
 */
export async function judgeOnThreads(
  orders: readonly ServerOrder[],
  { jobs, signal, onJudged }: ThreadOptions,
): Promise<{ readonly servers: readonly ProvenServer[]; readonly faults: readonly string[] }> {
  const judged: (readonly ProvenServer[])[] = orders.map(() => []);
  const faults: string[] = [];
  const queue = orders.entries();
  const start = () => new Worker(new URL('./worker.js', import.meta.url), { resourceLimits });
  const runThread = async (): Promise<void> => {
    let worker = start();
    for (const [at, order] of queue) {
      if (signal.aborted) break;
      try {
        worker.postMessage(order);
        const [servers] = (await once(worker, 'message', { signal })) as [readonly ProvenServer[]];
        judged[at] = servers;
        onJudged(servers);
      } catch (error) {
        if (signal.aborted) break;
        faults.push(`${order.ids.join(' + ')}, seed ${order.seed}: ${messageOf(error)}`);
        worker = start();
      }
    }
    await worker.terminate();
  };
  await Promise.all(Array.from({ length: Math.min(jobs, orders.length) }, runThread));
  return { servers: judged.flat(), faults };
}
