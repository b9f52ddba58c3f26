import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ProvenServer } from '../../spec/proof.js';
import type { Order } from './worker.js';

type Reply = { readonly server: ProvenServer; readonly error?: undefined } | { readonly error: string };

// What one answer leaves behind is soon forgotten: a roomy nursery saves the collector a tenth of the time.
const resourceLimits = { maxYoungGenerationSizeMb: 96 };

/**
 * Judges servers on several threads, each one after another, and gives what each came to in the order asked for.
 * Throws what went wrong in the suite itself. Ends early, with what there is, once the signal is aborted.
 */
export async function judgedOnThreads(
  orders: readonly Order[],
  {
    jobs,
    signal,
    onServer,
  }: {
    readonly jobs: number;
    readonly signal: AbortSignal;
    readonly onServer: (server: ProvenServer) => void;
  },
): Promise<readonly ProvenServer[]> {
  const servers: (ProvenServer | undefined)[] = orders.map(() => undefined);
  const queue = orders.entries();
  const thread = async (): Promise<void> => {
    const worker = new Worker(new URL('./worker.js', import.meta.url), { resourceLimits });
    try {
      for (const [at, order] of queue) {
        if (signal.aborted) return;
        const server = await judgedBy(worker, order, signal);
        if (server === undefined) return;
        servers[at] = server;
        onServer(server);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, orders.length) }, thread));
  return servers.filter((server) => server !== undefined);
}

async function judgedBy(
  worker: Worker,
  order: Order,
  signal: AbortSignal,
): Promise<ProvenServer | undefined> {
  worker.postMessage(order);
  try {
    const [reply]: Reply[] = await once(worker, 'message', { signal });
    if (reply === undefined || reply.error !== undefined)
      throw new Error(`${order.id}, seed ${order.seed}: ${reply?.error ?? 'the thread said nothing'}`);
    return reply.server;
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
