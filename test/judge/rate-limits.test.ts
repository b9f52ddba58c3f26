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

it('one rule slows a run down once, however many forms of its requests are refused', () => {
  const limits = new RateLimits();
  limits.noteExpected(served);
  const slows = ['own', 'sibling', 'foreign'].map((intern) =>
    limits.noteRefusal(kind(`DELETE ${intern}/a name`)),
  );
  expect(slows).toEqual([true, false, false]);
  expect(limits.noteRefusal(kind('DELETE own/a name', { rule: 'vault-delete.403.no-scope' }))).toBe(true);
});

it('a run slows down each time that an accepted request is refused', () => {
  const limits = new RateLimits();
  limits.noteExpected(served);
  expect([limits.noteRefusal(served), limits.noteRefusal(served), limits.isAtWork]).toEqual([
    true,
    true,
    true,
  ]);
});

it('no rate limit is suspected while the known-good requests are answered', async () => {
  const limits = new RateLimits<string>();
  const due = '403 or 404';
  limits.keepExample('a key without a scope', [kind('', { rule: 'vault-delete.403.no-scope' })]);
  const refused = kind('DELETE own/a', { due });
  limits.noteRefusal(refused);
  limits.noteRefusal(kind('DELETE own/a', { rule: 'vault-delete.403.regional-host-spelling', due }));
  const asked: string[] = [];
  expect(await limits.suspects(refused, async (example) => asked.push(example))).toBe(false);
  expect(asked).toEqual(['a key without a scope']);
});
