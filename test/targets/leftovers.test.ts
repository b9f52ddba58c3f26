import { expect, it } from 'vitest';
import type { SecretLeftover } from '../../spec/journal.js';
import type { Exchange } from '../../targets/exchange.js';
import { findDeletedSecret, Leftovers } from '../../targets/leftovers.js';
import { sampleExchange } from '../judge/samples.js';

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
