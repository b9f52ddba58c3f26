import { expect, test } from 'vitest';
import { findViolatedRow } from '../../judge/world-audit.js';
import type { Exchange } from '../../targets/exchange.js';
import { WorldState } from '../../targets/world-state.js';
import { sampleExchange } from './samples.js';

const id = '6f0c0000-0000-4000-8000-00000000000a';
const { signal } = new AbortController();

interface Asked {
  readonly method?: string;
  readonly path: string;
  readonly status: number | undefined;
}

function exchange({ method = 'DELETE', path, status }: Asked): Exchange {
  const asked = sampleExchange({ method, url: `http://localhost/v1/vault/interns/${path}` }, '', status);
  return { ...asked, operation: 'vault-delete', ...(status === undefined ? { answer: undefined } : {}) };
}

/** Returns how the listing of a world differs from its state after it stored `name` and `other` and got a request. */
async function differencesAfter(asked: Asked, listed: readonly string[]): Promise<readonly string[]> {
  const list = () => Promise.resolve(listed.map((name) => ({ scope: 'own', name })));
  const state = new WorldState({ interns: { own: id }, list });
  for (const name of ['name', 'other']) state.noteStored('own', name);
  state.noteAnswer(exchange(asked));
  return (await state.differences(0, signal)).map(({ kind, name }) => `${kind} ${name}`);
}

test.each([400, 401, 403, 404, 429, 500, 503])('a secret gone after a %i is missing', async (status) => {
  const asked = { path: `${id}/secrets/name`, status };
  expect(await differencesAfter(asked, ['name', 'other'])).toEqual([]);
  expect(await differencesAfter(asked, ['other'])).toEqual(['missing name']);
});

test.each([408, 502, 504, 418, undefined])('after %s the secret may be present or gone', async (status) => {
  const asked = { path: `${id}/secrets/name`, status };
  expect(await differencesAfter(asked, ['name', 'other'])).toEqual([]);
  expect(await differencesAfter(asked, ['other'])).toEqual([]);
  expect(await differencesAfter(asked, ['name'])).toEqual(['missing other']);
});

test('after a 204 only the named secret is gone', async () => {
  const asked = { path: `${id.toUpperCase()}/secrets/name`, status: 204 };
  expect(await differencesAfter(asked, ['other'])).toEqual([]);
  expect(await differencesAfter(asked, ['name', 'other'])).toEqual(['remaining name']);
  expect(await differencesAfter(asked, [])).toEqual(['missing other']);
});

test.each([
  '//secrets/name',
  ...['name/', '/name', './name', 'x%2F..%2Fname', '%6eame%2F'].map((end) => `/secrets/${end}`),
])('the odd path %s below an intern leaves only the secret open that it may name', async (path) => {
  const asked = { path: `${id}${path}`, status: 404 };
  expect(await differencesAfter(asked, ['other'])).toEqual([]);
  expect(await differencesAfter(asked, ['name'])).toEqual(['missing other']);
});

test.each(['x%2Fname', 'name%2Fx', 'name%5cx', 'name;x/y'])(
  'the odd path secrets/%s names no secret, whatever it is answered',
  async (end) => {
    for (const status of [204, 404])
      expect(await differencesAfter({ path: `${id}/secrets/${end}`, status }, ['other'])).toEqual([
        'missing name',
      ]);
  },
);

test('a read changes nothing, and an unexpected secret is reported as added', async () => {
  const asked = { method: 'GET', path: `${id}/secrets/name`, status: 200 };
  expect(await differencesAfter(asked, ['other', 'name', 'third'])).toEqual(['added third']);
  expect(await differencesAfter(asked, ['other'])).toEqual(['missing name']);
});

test('after a 504 a secret of the same name elsewhere is still due', async () => {
  const list = () => Promise.resolve([]);
  const state = new WorldState({ interns: { own: id }, list });
  for (const scope of ['own', 'workspace'] as const) state.noteStored(scope, 'name');
  state.noteAnswer(exchange({ path: `${id}/secrets/name`, status: 504 }));
  const missing = { kind: 'missing', scope: 'workspace', name: 'name' };
  expect(await state.differences(0, signal)).toEqual([missing]);
});

test('a difference that does not last is not reported', async () => {
  let times = 0;
  const list = () => Promise.resolve(++times < 3 ? [] : [{ scope: 'own', name: 'name' }]);
  const state = new WorldState({ interns: { own: id }, list });
  state.noteStored('own', 'name');
  expect(await state.differences(2_000, signal)).toEqual([]);
});

test('secrets that a world had from the start are not reported as added', async () => {
  const list = () => Promise.resolve([{ scope: 'workspace', name: 'seeded' }]);
  const state = new WorldState({ interns: { own: id }, list });
  expect(await state.takeBaseline()).toBe(1);
  expect(await state.differences(0, signal)).toEqual([]);
});

test.each(['a(', '[', '\\'])('a secret that nobody stored may have any name, such as %s', (name) => {
  const asked = exchange({ path: `${id}/secrets/name`, status: 204 });
  const row = 'vault-delete.204.only-the-named';
  expect(findViolatedRow(asked, { kind: 'added', scope: 'own', name })).toBe(row);
});
