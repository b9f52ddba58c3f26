import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A reference server in a process of its own. */
export interface SeparateServer {
  readonly baseUrl: string;
  readonly controlUrl: string;
  close(): void;
}

/** Starts one whose answers each come after so many milliseconds. */
export async function startSeparate(latencyMs = 0): Promise<SeparateServer> {
  const child = fork(new URL('./server-process.js', import.meta.url), [String(latencyMs)]);
  const [urls] = (await once(child, 'message')) as [
    { readonly baseUrl: string; readonly controlUrl: string },
  ];
  return { ...urls, close: () => child.kill() };
}
