import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '../targets/client.js';
import { ControlClient, type WorldDescription } from '../targets/control-client.js';

/** The file of the command. */
export const command = fileURLToPath(new URL('../cli/plumbline.js', import.meta.url));

/** Runs a program some times and returns the shortest time in seconds. Rejects if one run ends with an error. */
export async function secondsOf(program: string, args: readonly string[], rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    await promisify(execFile)(program, [...args], { maxBuffer: 64_000_000 });
    times.push((performance.now() - begun) / 1000);
  }
  return Math.min(...times);
}

/** Runs the command some times and returns the shortest time in seconds. */
export function secondsOfCommand(args: readonly string[], rounds: number): Promise<number> {
  return secondsOf(process.execPath, [command, ...args], rounds);
}

/** A reference server in a process of its own, which ends when it is disposed of. */
export type SeparateServer = Awaited<ReturnType<typeof startSeparate>>;

/** Starts a reference server in a process of its own that delays each answer by some milliseconds. */
export async function startSeparate(latencyMs = 0) {
  const child = fork(new URL('./server-process.js', import.meta.url), [String(latencyMs)]);
  const [urls] = (await once(child, 'message')) as [
    { readonly baseUrl: string; readonly controlUrl: string },
  ];
  return { ...urls, [Symbol.dispose]: () => void child.kill() };
}

/** Opens a world that lives as long as the server. */
export async function openWorld({ controlUrl }: SeparateServer): Promise<WorldDescription> {
  const client = new Client({ concurrency: 1, timeoutMs: 10_000 });
  const world = await new ControlClient(client, { url: controlUrl }).createWorld('bench');
  client.close();
  return world;
}
