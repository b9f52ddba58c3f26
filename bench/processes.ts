import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The file of the command. */
export const command = fileURLToPath(new URL('../cli/plumbline.js', import.meta.url));

/** The shortest of some runs of the command, from start to exit, in seconds. */
export function secondsOfCommand(args: readonly string[], rounds: number): Promise<number> {
  return secondsOfNode([command, ...args], rounds);
}

/** The shortest of some runs of Node, in seconds. */
export async function secondsOfNode(args: readonly string[], rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    await promisify(execFile)(process.execPath, [...args], { maxBuffer: 64_000_000 });
    times.push((performance.now() - begun) / 1000);
  }
  return Math.min(...times);
}

/** A reference server in a process of its own. */
export interface SeparateServer {
  readonly baseUrl: string;
  readonly controlUrl: string;
  close(): void;
}

/** Starts one whose answers each come after so many milliseconds. */
export async function startSeparate(latencyMs = 0): Promise<SeparateServer> {
  const child = fork(new URL('./server-process.js', import.meta.url), [String(latencyMs)]);
  const [urls] = (await once(child, 'message')) as [Omit<SeparateServer, 'close'>];
  return { ...urls, close: () => child.kill() };
}
