import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { command, openWorld, type SeparateServer } from './processes.js';
import { measure } from './throughput.js';

const connections = 50;
const requests = 10_000;

/** Measures requests per second through a proxy that judges them, and through one that only passes them on. */
export async function measureProxies(server: SeparateServer, folder: string) {
  const world = await openWorld(server);
  const { origin, pathname } = new URL(server.baseUrl);
  using judging = await startJudging(server.baseUrl, folder);
  using bare = await startBare(origin);
  const dispatcher = new Agent({ connections, pipelining: 1 });
  const headers = { Authorization: `Bearer ${world.keys.member}` };
  const throughput = (proxy: string): Promise<number> =>
    measure(Array.from({ length: requests }), connections, async () => {
      const { body } = await request(`${proxy}${pathname}/key`, { headers, dispatcher });
      await body.text();
    });
  const best = { judging: 0, bare: 0 };
  // The first round warms up.
  for (let round = 0; round <= 3; round++) {
    best.judging = Math.max(best.judging, await throughput(judging.origin));
    best.bare = Math.max(best.bare, await throughput(bare.origin));
  }
  await dispatcher.close();
  return best;
}

async function startJudging(target: string, folder: string) {
  const flags = ['--target', target, '--listen', '0', '--report', folder, '--max-time', '300'];
  const child = spawn(process.execPath, [command, 'proxy', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  for await (const line of createInterface(child.stderr)) {
    const [, origin] = /from (http:\/\/[^/]+)/.exec(line) ?? [];
    if (origin !== undefined) return { origin, [Symbol.dispose]: () => void child.kill() };
  }
  throw new Error('The judging proxy did not start.');
}

async function startBare(target: string) {
  const child = fork(new URL('./bare-proxy-process.js', import.meta.url), [target]);
  const [origin] = (await once(child, 'message')) as [string];
  return { origin, [Symbol.dispose]: () => void child.kill() };
}
