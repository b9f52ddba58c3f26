import { expect, it } from 'vitest';
import { RequestCeiling, type Weight } from '../../targets/request-ceiling.js';

function takeAll(ceiling: RequestCeiling, weights: readonly Weight[]): readonly boolean[] {
  return weights.map((weight) => {
    try {
      ceiling.take(weight);
    } catch (error) {
      expect(String(error)).toContain('the ceiling of');
      return false;
    }
    return true;
  });
}

it('a request limit keeps a reserve for cleaning up, and says when it is reached', () => {
  let reached = 0;
  const ceiling = new RequestCeiling({ maxRequests: 4, onMaxRequests: () => ++reached });
  expect([takeAll(ceiling, [{ reserves: 1 }, {}]), reached]).toEqual([[true, true], 0]);
  expect(takeAll(ceiling, [{ reserves: 1 }, {}, {}])).toEqual([false, true, false]);
  expect(takeAll(ceiling, [{ uses: 1 }, { uses: 1 }])).toEqual([true, false]);
  expect([ceiling.sent, reached]).toEqual([4, 3]);
});

it('a request limit releases a reserve that is no longer needed', () => {
  const ceiling = new RequestCeiling({ maxRequests: 2 });
  expect(takeAll(ceiling, [{ reserves: 1 }, {}])).toEqual([true, false]);
  ceiling.release();
  expect(takeAll(ceiling, [{}, {}])).toEqual([true, false]);
});
