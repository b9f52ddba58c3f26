import { expect, it } from 'vitest';
import { RequestCeiling, type Weight } from '../../targets/request-ceiling.js';

function takeAll(ceiling: RequestCeiling, weights: readonly Weight[]): readonly boolean[] {
  return weights.map((weight) => {
    try {
      ceiling.take(weight);
      return true;
    } catch (error) {
      expect(String(error)).toContain('the ceiling of');
      return false;
    }
  });
}

it('a request limit keeps a reserve for cleaning up, and says when it is reached', () => {
  const calls: string[] = [];
  const ceiling = new RequestCeiling({ maxRequests: 4, onMaxRequests: () => calls.push('reached') });
  expect(takeAll(ceiling, [{ reserves: 1 }, {}])).toEqual([true, true]);
  expect(calls).toEqual([]);
  expect(takeAll(ceiling, [{ reserves: 1 }, {}, {}])).toEqual([false, true, false]);
  expect(takeAll(ceiling, [{ uses: 1 }, { uses: 1 }])).toEqual([true, false]);
  expect([ceiling.sent, calls.length]).toEqual([4, 3]);
});

it('a request limit releases a reserve that is no longer needed', () => {
  const ceiling = new RequestCeiling({ maxRequests: 2 });
  expect(takeAll(ceiling, [{ reserves: 1 }, {}])).toEqual([true, false]);
  ceiling.release();
  expect(takeAll(ceiling, [{}, {}])).toEqual([true, false]);
});
