import { describe, expect, it } from 'vitest';
import { conforming } from '../../reference/behaviour.js';
import { variants } from '../../reference/variants.js';
import { ids, judged } from './judged.js';

const reference = { id: 'the reference itself', behaviour: conforming };

describe.each([reference, ...variants])('$id', ({ behaviour }) => {
  it('is conformant', async () => {
    const { report, worldsHeld, worldsLeft } = await judged({ behaviour });
    expect(ids(report, 'fail')).toEqual([]);
    expect(ids(report, 'inconclusive')).toEqual([]);
    expect(report).toMatchObject({ verdict: 'conformant', gate: { exit_code: 0 } });
    expect(report.run.notes).toEqual([]);
    expect(worldsHeld).toBe(0);
    expect(worldsLeft).toBe(0);
  });
});
