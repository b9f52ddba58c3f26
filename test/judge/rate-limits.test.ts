import { expect, it } from 'vitest';
import { RateLimits, type RequestIdentity } from '../../judge/rate-limits.js';

const kind = (request: string, rest: Partial<RequestIdentity> = {}): RequestIdentity => ({
  operation: 'vault-delete',
  rule: 'vault-delete.403.regional-host',
  due: '403',
  request,
  exactRequest: request,
  ...rest,
});
const served = kind('DELETE own/a name', { rule: 'vault-delete.204.deleted', due: '204' });

it('slows a run down once for a rule whose requests are refused in many forms', () => {
  const limits = new RateLimits();
  limits.answer(served);
  const slows = ['own', 'sibling', 'foreign'].map((intern) => limits.refuse(kind(`DELETE ${intern}/a name`)));
  expect(slows).toEqual([true, false, false]);
  expect(limits.refuse(kind('DELETE own/a name', { rule: 'vault-delete.403.no-scope' }))).toBe(true);
});

it('slows a run down each time a request is refused that was answered before', () => {
  const limits = new RateLimits();
  limits.answer(served);
  expect([limits.refuse(served), limits.refuse(served), limits.isAtWork]).toEqual([true, true, true]);
});

it('suspects no rate limit where cases with one of the answers due are answered again', async () => {
  const limits = new RateLimits<string>();
  const due = '403 or 404';
  limits.keep('a key without a scope', [kind('', { rule: 'vault-delete.403.no-scope' })]);
  const refused = kind('DELETE own/a', { due });
  limits.refuse(refused);
  limits.refuse(kind('DELETE own/a', { rule: 'vault-delete.403.regional-host-spelling', due }));
  const asked: string[] = [];
  expect(await limits.suspects(refused, async (example) => asked.push(example))).toBe(false);
  expect(asked).toEqual(['a key without a scope']);
});
