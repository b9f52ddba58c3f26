import { describe, expect, it } from 'vitest';
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

describe('a request limit', () => {
  it('a request limit allows its number of requests and rejects the next', () => {
    const told: string[] = [];
    const ceiling = new RequestCeiling({ maxRequests: 2, onMaxRequests: () => told.push('reached') });
    expect(takeAll(ceiling, [{}, {}, {}])).toEqual([true, true, false]);
    expect([ceiling.sent, told]).toEqual([2, ['reached']]);
  });

  it('a request limit keeps a reserve for cleaning up', () => {
    const ceiling = new RequestCeiling({ maxRequests: 4 });
    expect(takeAll(ceiling, [{ reserves: 1 }, {}, { reserves: 1 }, {}, {}])).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    expect(takeAll(ceiling, [{ uses: 1 }, { uses: 1 }])).toEqual([true, false]);
    expect(ceiling.sent).toBe(4);
  });

  it('a request limit releases a reserve that is no longer needed', () => {
    const ceiling = new RequestCeiling({ maxRequests: 2 });
    expect(takeAll(ceiling, [{ reserves: 1 }, {}])).toEqual([true, false]);
    ceiling.release();
    expect(takeAll(ceiling, [{}, {}])).toEqual([true, false]);
  });

  it('a run without a request limit allows every request', () => {
    const ceiling = new RequestCeiling({});
    expect(takeAll(ceiling, Array<Weight>(1_000).fill({}))).not.toContain(false);
  });
});
