import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { isLoopback } from '../../targets/agents.js';
import { openTarget } from '../../targets/open-target.js';
import type { Target, TargetAddress } from '../../targets/target.js';
import { answerJson, serveReference, startServer } from '../servers.js';

const limits = { concurrency: 4, timeoutMs: 2_000 };
let target: Target | undefined;
afterEach(async () => {
  await target?.close();
  target = undefined;
});

async function openReference(address: Partial<TargetAddress> = {}) {
  const reference = await serveReference();
  target = await openTarget({ ...limits, control: { url: reference.controlUrl }, ...address });
  return { reference, target };
}

it('the control protocol gives the address of its target unless another is given', async () => {
  const own = await openReference();
  expect(own.target.baseUrl).toBe(own.reference.baseUrl);
  expect(own.target.controlled).toBe(true);
  expect(own.target.regional).toEqual({ host: 'eu.vault.test' });
  await own.target.close();
  const { target: other } = await openReference({ baseUrl: 'http://127.0.0.1:9/v1//' });
  expect(other.baseUrl).toBe('http://127.0.0.1:9/v1');
});

it.each([
  ...['localhost:1', 'a.localhost', '[::1]:1', '127.3.2.1'].map((host) => [host, true] as const),
  ...['127.0.0.1.example.test', 'localhost.example.test', '10.0.0.1'].map((host) => [host, false] as const),
])('whether %s is on loopback: %s', (host, expected) => {
  expect(isLoopback(`http://${host}/v1`)).toBe(expected);
});

it.each(['file:///etc/passwd', 'http://me:secret@127.0.0.1:1/v1', 'http://127.0.0.1:1/v1?x'])(
  'a target whose control names the address %s cannot be opened',
  async (base_url) => {
    const offered = { protocol: '1', base_url, roles: [], faults: [], features: [] };
    const opening = openTarget({ ...limits, control: { url: await startServer(answerJson(200, offered)) } });
    await expect(opening).rejects.toThrow('gives a base_url that is not a plain http or https URL');
  },
);

it('a world is given back once, even if the server is gone', async () => {
  const { reference: server, target: open } = await openReference();
  const world = await open.openWorld('a test');
  await server.close();
  await expect(Promise.all([world.giveBack(), world.giveBack()])).resolves.toBeDefined();
});

it('closing a target gives back every world, one that is still being opened included', async () => {
  const { reference: server, target: open } = await openReference();
  await open.openWorld('made');
  const { sent } = open.client;
  const making = open.openWorld('being made');
  while (open.client.sent === sent) await sleep(1);
  await open.close();
  await making;
  expect(server.worldCount()).toBe(0);
  await expect(open.openWorld('too late')).rejects.toBe('the run is over');
});
