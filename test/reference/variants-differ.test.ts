import { expect, it } from 'vitest';
import { conforming } from '../../reference/conforming.js';
import type { Mutation } from '../../reference/mutation.js';
import { variants } from '../../reference/variants.js';
import { type Extra, exchange, makeProbed, type Probed, probe, type Seen, writeRequest } from './probe.js';

// The proof shows a mutant that changes nothing, since it survives. A variant that changes nothing would pass, so it is found here.

const reference = readReference();

async function readReference(): Promise<readonly Seen[]> {
  const server = makeProbed({ mutation: {} });
  const seen: Seen[] = [];
  for await (const one of probe(server)) seen.push(one);
  return seen;
}

type Difference = readonly [asked: string, expected: string, answer: string];

async function findDifference(row: { readonly mutation: Mutation }): Promise<Difference | undefined> {
  const expected = await reference;
  const server = makeProbed(row);
  let at = 0;
  for await (const [asked, answer] of probe(server)) {
    if (answer !== expected[at]?.[1]) return [asked, expected[at]?.[1] ?? '(nothing)', answer];
    at += 1;
  }
  return undefined;
}

it('the probe sees the same of the reference every time', async () => {
  expect(await findDifference({ mutation: {} })).toBeUndefined();
});

it('the probe names the first answer that differs', async () => {
  const isSecretName = (name: string): boolean => name !== 'absent' && conforming.isSecretName(name);
  const [asked, expected, actual] = (await findDifference({ mutation: { isSecretName } })) ?? [];
  expect(asked).toContain('/secrets/absent ');
  expect(expected).toContain('404 Not Found');
  expect(actual).toContain('400 Bad Request');
});

async function time(server: Probed, request: string, extra?: Extra) {
  const begun = performance.now();
  const pieces = await exchange(server, writeRequest(server, request, extra));
  return { ms: performance.now() - begun, pieces: pieces.length };
}

function timeBrokenStream(server: Probed) {
  server.here.faults = ['mid_stream_error'];
  return time(server, 'POST /v1/chat/completions', { body: '{"model":"acme/large","stream":true}' });
}

/** Variants whose answers are the same at other times, and how that shows. */
const timed: Readonly<Record<string, (server: Probed) => Promise<boolean>>> = {
  'answers-delayed': async (server) => (await time(server, 'GET /v1/key')).ms > 4,
  'answers-overtake': (server) =>
    showsInSomeTry(async () => {
      const order: number[] = [];
      const ask = (_: unknown, at: number) => time(server, 'GET /v1/key').then(() => order.push(at));
      await Promise.all(Array.from({ length: 4 }, ask));
      return order.join() !== '0,1,2,3';
    }),
  'body-byte-by-byte': (server) => showsInSomeTry(async () => (await time(server, 'GET /v1/key')).pieces > 9),
  'stream-left-open': async (server) => (await timeBrokenStream(server)).ms > 90,
  'noise-outage': async (server) => {
    await time(server, 'GET /v1/key');
    server.forward(2_000);
    return (await exchange(server, writeRequest(server, 'GET /v1/key'))).join('').includes(' 502 ');
  },
  'events-byte-by-byte': (server) => showsInSomeTry(async () => (await timeBrokenStream(server)).pieces > 9),
};

/**
 * Whether one of fifty tries shows a difference. On a busy machine requests may arrive one after another, and the pieces of
 * an answer together.
 */
async function showsInSomeTry(shows: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 0; tries < 50; tries++) if (await shows()) return true;
  return false;
}

// These tests mostly wait.
it.concurrent.for(variants)('the variant $id differs from the reference', async (variant, { expect }) => {
  const shows = timed[variant.id];
  if (shows === undefined) return expect(await findDifference(variant)).toBeDefined();
  const server = makeProbed(variant);
  expect(await shows(server)).toBe(true);
});
