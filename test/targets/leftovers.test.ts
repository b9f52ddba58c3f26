import { expect, it } from 'vitest';
import type { Exchange } from '../../targets/exchange.js';
import { type StoredByRun, StoredSecrets } from '../../targets/leftovers.js';
import { sampleExchange } from '../judge/samples.js';

const own = '03f7a7fe-f41a-429b-ba43-dd7e1a1c7ea3';
const sibling = '03f7a7fe-0000-429b-ba43-dd7e1a1c7ea3';

function secret(name: string, more: Partial<StoredByRun> = {}): StoredByRun {
  return { scope: 'own', intern: own, name, ...more };
}

function exchange(url: string, status: number | 'lost' = 204, method = 'DELETE'): Exchange {
  const asked = sampleExchange({ method, url: `http://127.0.0.1:1/v1${url}` }, '', Number(status));
  return status === 'lost' ? { ...asked, answer: undefined, lost: 'connection lost (ECONNRESET)' } : asked;
}

/** The names that are left of one that was stored, once these exchanges were seen. */
function leftAfter(...exchanges: readonly Exchange[]): readonly string[] {
  const stored = new StoredSecrets();
  stored.add(secret('plumb_a'));
  for (const one of exchanges) stored.removeDeleted(one);
  return stored.left.map(({ name }) => name);
}

const path = `/vault/interns/${own}/secrets/plumb_a`;

it.each([
  ['a delete that succeeded', exchange(path)],
  ['a delete with a query', exchange(`${path}?force=true`)],
  ['a delete with the name percent-encoded', exchange(path.replace('plumb_a', '%70lumb%5Fa'))],
  ['a delete with the id in upper case', exchange(path.replace(own, own.toUpperCase()))],
])('a stored secret is gone after %s', (_what, seen) => {
  expect(leftAfter(seen)).toEqual([]);
});

it.each([
  ['a delete that was refused', exchange(path, 404)],
  ['a delete that got another success', exchange(path, 200)],
  ['a delete without an answer', exchange(path, 'lost')],
  ['a read', exchange(path, 204, 'GET')],
  ['a delete at another intern', exchange(path.replace(own, sibling))],
  ['a delete of another name', exchange(`${path}a`)],
  ['a delete of the same name in capitals', exchange(path.replace('plumb_a', 'PLUMB_A'))],
  ['a delete of something else', exchange('/guardrails/plumb_a')],
  ['a delete with a malformed percent-encoding', exchange(path.replace('plumb_a', 'plumb_a%'))],
])('a stored secret is left after %s', (_what, seen) => {
  expect(leftAfter(seen)).toEqual(['plumb_a']);
});

it('leftovers are kept apart by place and listed once', () => {
  const stored = new StoredSecrets();
  const all = [
    secret('plumb_a'),
    secret('plumb_a', { scope: 'sibling', intern: sibling }),
    secret('plumb_a', { scope: 'workspace', intern: undefined }),
  ];
  for (const one of all) expect(stored.add(one)).toBe(true);
  expect(stored.add(secret('plumb_a'))).toBe(false);
  expect(stored.left).toEqual(all);
  stored.remove({ intern: undefined, name: 'plumb_a' });
  stored.removeDeleted(exchange(path));
  expect(stored.left.map(({ scope }) => scope)).toEqual(['sibling']);
  expect(stored.add(secret('plumb_a'))).toBe(true);
});
