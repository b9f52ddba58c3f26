import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Client } from '../targets/client.js';
import { ControlClient, type WorldDescription } from '../targets/control-client.js';

/** The file of the command. */
export const command = fileURLToPath(new URL('../cli/plumbline.js', import.meta.url));

/** The shortest of some runs of the command, from start to exit, in seconds. */
export function secondsOfCommand(args: readonly string[], rounds: number): Promise<number> {
  return secondsOfNode([command, ...args], rounds);
}

/** The shortest of some runs of Node, in seconds. */
export function secondsOfNode(args: readonly string[], rounds: number): Promise<number> {
  return secondsOf(process.execPath, args, rounds);
}

/** The shortest of some runs of a program, in seconds. Rejects where one ends with an error. */
export async function secondsOf(program: string, args: readonly string[], rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const begun = performance.now();
    await promisify(execFile)(program, [...args], { maxBuffer: 64_000_000 });
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

/** Opens a world that lives as long as the server. */
export async function openWorld({ controlUrl }: SeparateServer): Promise<WorldDescription> {
  const client = new Client({ concurrency: 1, timeoutMs: 10_000 });
  const world = await new ControlClient(client, { url: controlUrl }).createWorld('bench');
  client.close();
  return world;
}
