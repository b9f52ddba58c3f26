import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ROLES } from '../../reference/vocabulary.js';
import { WorldStore } from '../../reference/world-store.js';

const MEGABYTE = 1_048_576;

function makeStore(now: () => number = Date.now): WorldStore {
  return new WorldStore({ ttlMs: 1000, roles: ROLES, now, elapsed: now });
}

it('finds keys and worlds until they are deleted', () => {
  const store = makeStore();
  const [one, two] = [store.open('one'), store.open('two')];
  const text = one.keys.get('member')?.text ?? '';
  expect(store.findKey(text)?.world).toBe(one);
  expect(store.sizes()).toEqual({ worlds: 2, keys: 2 * ROLES.length });
  store.delete(one.id);
  expect(store.findKey(text)).toBeUndefined();
  expect(store.find(one.id)).toBeUndefined();
  expect([...store.worlds()]).toEqual([two]);
  expect(store.sizes()).toEqual({ worlds: 1, keys: ROLES.length });
});

it('drops expired worlds, the oldest first', () => {
  let now = 0;
  const store = makeStore(() => now);
  store.open('old');
  now = 600;
  const young = store.open('young');
  now = 1000;
  expect([...store.worlds()]).toEqual([young]);
  now = 1600;
  expect(store.sizes()).toEqual({ worlds: 0, keys: 0 });
});

it('2,000 worlds opened and deleted leave nothing behind', () => {
  const store = makeStore();
  const cycle = (count: number): void => {
    for (let n = 0; n < count; n++) {
      const world = store.open('many');
      world.secrets.own.set('token', 'x'.repeat(100));
      world.keys.get('member')?.usage.add(Date.now());
      store.delete(world.id);
    }
  };
  cycle(500);
  const before = heapInUse();
  cycle(2_000);
  expect(store.sizes()).toEqual({ worlds: 0, keys: 0 });
  // Kept worlds would take more than 10 MB.
  expect(heapInUse() - before).toBeLessThan(5 * MEGABYTE);
});

/** Bytes of the heap that something still holds. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}
