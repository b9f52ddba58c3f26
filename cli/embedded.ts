import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The reference server that `run --reference` judges. */
export interface Embedded {
  /** The URL of its control protocol, once it listens. */
  readonly controlUrl: Promise<string>;
  close(): Promise<void>;
}

/** Starts it on a thread of its own, so that judging and answering share no core; it comes up while others load. */
export function startEmbedded(): Embedded {
  const worker = new Worker(new URL('../reference/worker.js', import.meta.url));
  const controlUrl = Promise.race([once(worker, 'message'), once(worker, 'exit')]).then(([told]) => {
    const { controlUrl } = Object(told) as { readonly controlUrl?: string };
    if (controlUrl === undefined) throw new Error('The embedded reference server ended before it listened.');
    return controlUrl;
  });
  // Whoever awaits it is told; until then it must not count as an error that nothing caught.
  controlUrl.catch(() => undefined);
  return {
    controlUrl,
    close: async () => {
      await worker.terminate();
    },
  };
}
