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

it('a run slows down once for the refusals of one rule, and each time that an accepted request is refused', () => {
  const limits = new RateLimits();
  limits.noteExpected(served);
  const ofRule = ['own', 'sibling', 'foreign'].map((intern) => kind(`DELETE ${intern}/a name`));
  expect(ofRule.map((one) => limits.noteRefusal(one))).toEqual([true, false, false]);
  expect(limits.noteRefusal(kind('DELETE own/a name', { rule: 'vault-delete.403.no-scope' }))).toBe(true);
  const ofServed = new RateLimits();
  ofServed.noteExpected(served);
  expect([served, served].map((one) => ofServed.noteRefusal(one))).toEqual([true, true]);
  expect(ofServed.isAtWork).toBe(true);
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

it('an unexpected answer is noise beyond other rules where the same request got its own another time', () => {
  const limits = new RateLimits();
  const broken = kind('DELETE own/a');
  for (const one of [served, broken, broken]) limits.noteUnexpected(one);
  const other = 'auth.bearer';
  expect(limits.noiseBeyond(other)).toBeCloseTo(0);
  for (let time = 0; time < 3; time++) limits.noteExpected(served);
  expect(limits.noiseBeyond(other)).toBe(1 / 4);
  limits.noteUnexpected(served);
  expect(limits.noiseBeyond(other)).toBe(2 / 5);
  expect(limits.noiseBeyond('vault-delete.204.deleted')).toBeCloseTo(0);
});

it('an unexpected answer is no noise where the same request got the answer that was due before a change', () => {
  const limits = new RateLimits();
  limits.noteExpected(served);
  limits.noteUnexpected({ ...served, due: '404' });
  expect(limits.noiseBeyond('auth.bearer')).toBe(0);
});
