import { describe, expect, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { areas } from '../../spec/ledger.js';
import { ids, judged } from './judged.js';

it('there is a mutant for every area', () => {
  expect(mutants.map(({ id }) => id.split('.')[0]).sort()).toEqual([...areas].sort());
});

describe.each(mutants)('$id', ({ id, behaviour }) => {
  it('is non-conformant: a requirement of its area is red, and hardly another', async () => {
    const { report, worldsLeft } = await judged({ behaviour });
    const area = `${id.split('.')[0]}.`;
    const red = ids(report, 'fail');
    console.log(
      id,
      red,
      ids(report, 'inconclusive'),
      report.run.requests,
      report.run.duration_ms,
      report.run.notes,
    );
    expect(report).toMatchObject({ verdict: 'non-conformant', gate: { exit_code: 1 } });
    expect(red.filter((requirement) => requirement.startsWith(area))).not.toEqual([]);
    expect(red.length).toBeLessThanOrEqual(3);
    expect(worldsLeft).toBe(0);
  });
});
