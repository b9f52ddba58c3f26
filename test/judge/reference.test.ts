import { expect, it } from 'vitest';
import { ids, judged } from './judged.js';

// The variants are judged by `plumbline prove`; what all of them differ from is judged here, check by check.

it('the reference is conformant, and every world is given back', async () => {
  const { report, worldsHeld, worldsLeft } = await judged();
  expect(ids(report, 'fail')).toEqual([]);
  expect(ids(report, 'inconclusive')).toEqual([]);
  expect(report).toMatchObject({ verdict: 'conformant', gate: { exit_code: 0 } });
  expect(report.run.notes).toEqual([]);
  expect(worldsHeld).toBe(0);
  expect(worldsLeft).toBe(0);
});
