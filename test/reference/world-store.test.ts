import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { ROLES } from '../../reference/vocabulary.js';
import { WorldStore } from '../../reference/world-store.js';

const MEGABYTE = 1_048_576;

it('2,000 worlds opened and deleted leave nothing behind', () => {
  const store = new WorldStore({ ttlMs: 1000, roles: ROLES, now: Date.now, elapsed: Date.now });
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
  expect([...store.worlds(), ...store.keys()]).toEqual([]);
  // Kept worlds would take more than 10 MB.
  expect(heapInUse() - before).toBeLessThan(5 * MEGABYTE);
});

function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  return process.memoryUsage().heapUsed;
}
