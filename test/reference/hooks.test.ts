import { afterEach, expect, it } from 'vitest';
import { FreeUsage } from '../../reference/accounts.js';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { FREE_MODEL } from '../../reference/inference.js';
import { replaceGate, withoutGate } from '../../reference/mutation.js';
import { transmit, transmitRaw } from '../../reference/wire.js';
import { arrange, bearer, exchangeRaw, onServer, type Stage, send } from './arrange.js';

let stage: Stage;
afterEach(() => stage.reference.close());

async function withBehaviour(change: Partial<Behaviour>): Promise<void> {
  stage = await arrange({ behaviour: { ...conforming, ...change } });
}

it('memory lasts as long as the server and counts across worlds', async () => {
  await withBehaviour({
    usageOf: ({ server }) => {
      const usage = server.memory.get('usage');
      if (usage instanceof FreeUsage) return usage;
      const made = new FreeUsage();
      server.memory.set('usage', made);
      return made;
    },
  });
  const other = onServer(stage.reference);
  for (let n = 0; n < 20; n++) await stage.infer('member', FREE_MODEL);
  expect((await other.infer('member', FREE_MODEL)).status).toBe(429);
});

it('a gate can be taken away or replaced, and an unknown one is a mistake', async () => {
  const gates = withoutGate(conforming.gates['vault-delete'], 'vault-writes');
  await withBehaviour({
    gates: {
      ...conforming.gates,
      'vault-delete': replaceGate(gates, 'secret-exists', (call, original) => {
        const refusal = original(call);
        return refusal && { ...refusal, status: 410 };
      }),
    },
  });
  await stage.store('own', 'token');
  expect((await stage.remove('write_disabled', 'token')).status).toBe(204);
  expect((await stage.remove('member', 'token')).status).toBe(410);
  expect(() => withoutGate(gates, 'vault-writes')).toThrow('There is no gate named vault-writes here.');
});

it('the last look at an answer knows the call', async () => {
  const seen: unknown[] = [];
  await withBehaviour({
    answer: (answer, { operation, method, path, parameters, host, key }) => {
      seen.push([answer.status, operation, method, path, parameters, host, key?.role, key?.world.id]);
      return answer;
    },
  });
  const { own } = stage.world.interns;
  await stage.remove('member', '%61b?x=1', { headers: { Host: 'h:1' } });
  await send(stage.reference.baseUrl, '/nowhere', { headers: { Host: 'h' } });
  await stage.control('GET', '');
  expect(seen).toEqual([
    [
      404,
      'vault-delete',
      'DELETE',
      `/v1/vault/interns/${own}/secrets/%61b?x=1`,
      { internId: own, name: 'ab' },
      'h:1',
      'member',
      stage.world.id,
    ],
    [404, 'no-route', 'GET', '/v1/nowhere', {}, 'h', undefined, undefined],
  ]);
});

it('a call can be taken for another before its gates, and knows which connection it came on', async () => {
  const connections: object[] = [];
  await withBehaviour({
    receive: (call) => {
      connections.push(call.connection);
      return call.operation === 'key-read' ? { ...call, key: call.key?.world.keys.get('management') } : call;
    },
  });
  const authorization = `Bearer ${stage.key('member')}`;
  const get = `GET /v1/key HTTP/1.1\r\nHost: h\r\nAuthorization: ${authorization}\r\n`;
  const answers = await exchangeRaw(stage.reference, `${get}\r\n${get}Connection: close\r\n\r\n`);
  expect(answers.match(/"usage":3,/g)).toHaveLength(2);
  await send(stage.reference.baseUrl, '/key', {
    headers: { ...bearer(stage.key('member')), Connection: 'close' },
  });
  expect(connections).toHaveLength(3);
  expect(connections[0]).toBe(connections[1]);
  expect(connections[0]).not.toBe(connections[2]);
});

it('a target can be rewritten before it is routed', async () => {
  await withBehaviour({ rewriteTarget: (target) => target.replaceAll('%25', '%') });
  await stage.store('own', 'abc');
  expect((await stage.remove('member', '%2561bc')).status).toBe(204);
});

it('bytes can be sent past HTTP', async () => {
  await withBehaviour({
    transmit: (response, answer, call) =>
      answer.status === 204
        ? transmitRaw(response, { ...answer, body: { gone: true } })
        : transmit(response, answer, call),
  });
  await stage.store('own', 'token');
  const target = `/v1/vault/interns/${stage.world.interns.own}/secrets/token`;
  const { Authorization } = bearer(stage.key('member'));
  const reply = await exchangeRaw(
    stage.reference,
    `DELETE ${target} HTTP/1.1\r\nHost: h\r\nAuthorization: ${Authorization}\r\n\r\n`,
  );
  expect(reply).toMatch(/^HTTP\/1\.1 204 No Content\r\nContent-Length: 13\r\n/);
  expect(reply).toMatch(/\r\n\r\n\{"gone":true\}$/);
});
