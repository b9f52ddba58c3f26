import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import type { SecretLeftover } from '../../spec/journal.js';
import { isLoopback } from '../../targets/agents.js';
import type { Exchange } from '../../targets/exchange.js';
import { findDeletedSecret, Leftovers } from '../../targets/leftovers.js';
import { openTarget } from '../../targets/open-target.js';
import type { Target, TargetAddress } from '../../targets/target.js';
import { sampleExchange } from '../judge/samples.js';
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

const oddAddresses = ['file:///etc/passwd', 'http://me:secret@127.0.0.1:1/v1', 'http://127.0.0.1:1/v1?x'];
it.each(oddAddresses)('a target whose control names the address %s cannot be opened', async (base_url) => {
  const offered = { protocol: '1', base_url, roles: [], faults: [], features: [] };
  const opening = openTarget({ ...limits, control: { url: await startServer(answerJson(200, offered)) } });
  await expect(opening).rejects.toThrow('gives a base_url that is not a plain http or https URL');
});

it('a world is given back once, even if the server is gone', async () => {
  const { reference: server, target: open } = await openReference();
  const world = await open.openWorld('a test');
  await server.close();
  // A server that was reached in the last 30 s is waited for.
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + 31_000);
  onTestFinished(() => clock.mockRestore());
  await expect(Promise.all([world.close(), world.close()])).resolves.toBeDefined();
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

const own = '03f7a7fe-f41a-429b-ba43-dd7e1a1c7ea3';
const sibling = '03f7a7fe-0000-429b-ba43-dd7e1a1c7ea3';

function secret(more: Partial<SecretLeftover> = {}): SecretLeftover {
  return { kind: 'secret', scope: 'own', intern: own, name: 'plumb_a', ...more };
}

function exchange(url: string, status: number | 'lost' = 204, method = 'DELETE'): Exchange {
  const asked = sampleExchange({ method, url: `http://127.0.0.1:1/v1${url}` }, '', Number(status));
  return status === 'lost' ? { ...asked, answer: undefined, lost: 'connection lost (ECONNRESET)' } : asked;
}

const path = `/vault/interns/${own}/secrets/plumb_a`;

it.each([
  ['a delete that succeeded', exchange(path), false],
  ['a delete with a query', exchange(`${path}?force=true`), false],
  ['a delete with the name percent-encoded', exchange(path.replace('plumb_a', '%70lumb%5Fa')), false],
  ['a delete with the id in upper case', exchange(path.replace(own, own.toUpperCase())), false],
  ['a delete that was refused', exchange(path, 404), true],
  ['a delete that got another success', exchange(path, 200), true],
  ['a delete without an answer', exchange(path, 'lost'), true],
  ['a read', exchange(path, 204, 'GET'), true],
  ['a delete at another intern', exchange(path.replace(own, sibling)), true],
  ['a delete of another name', exchange(`${path}a`), true],
  ['a delete of the same name in capitals', exchange(path.replace('plumb_a', 'PLUMB_A')), true],
  ['a delete of something else', exchange('/guardrails/plumb_a'), true],
  ['a delete with a malformed percent-encoding', exchange(path.replace('plumb_a', 'plumb_a%')), true],
])('after %s, a stored secret is left: %s', (_what, seen, isLeft) => {
  const stored = new Leftovers();
  stored.set(secret());
  const deleted = findDeletedSecret(seen);
  expect(deleted === undefined || !stored.remove(deleted)).toBe(isLeft);
});

it('leftovers are kept apart by place and listed once', () => {
  const stored = new Leftovers();
  const ofOwn = secret();
  const ofSibling = secret({ scope: 'sibling', intern: sibling });
  const ofWorkspace = secret({ scope: 'workspace', intern: undefined });
  for (const one of [ofOwn, ofSibling, ofWorkspace, ofOwn]) stored.set(one);
  expect(stored.all).toEqual([ofOwn, ofSibling, ofWorkspace]);
  const removed = [ofWorkspace, ofWorkspace, ofOwn].map((one) => stored.remove(one));
  expect(removed).toEqual([true, false, true]);
  expect(stored.all).toEqual([ofSibling]);
  expect([stored.has(ofOwn), stored.has(ofSibling)]).toEqual([false, true]);
});
