import { describe, expect, it } from 'vitest';
import { mutants } from '../../reference/mutants.js';
import { areas } from '../../spec/ledger.js';
import { ids, judged } from './judged.js';

it('every area has its mutant', () => {
  const covered = new Set(mutants.map(({ id }) => id.split('.')[0]));
  expect(areas.filter((area) => !covered.has(area))).toEqual([]);
});

const onePerArea = areas.flatMap((area) => mutants.find(({ id }) => id.startsWith(`${area}.`)) ?? []);

describe.each(onePerArea)('$id', ({ id, section, behaviour }) => {
  it('is caught by a requirement of its area, and hardly anything else is red', async () => {
    const { report, worldsLeft } = await judged({ behaviour });
    const red = report.requirements.filter(({ status }) => status === 'fail');
    expect(report).toMatchObject({ verdict: 'non-conformant', gate: { exit_code: 1 } });
    expect(red.filter((row) => row.id.startsWith(`${id.split('.')[0]}.`))).not.toEqual([]);
    expect(red.map((row) => row.section)).toContain(section);
    expect(red.length).toBeLessThanOrEqual(3);
    expect(ids(report, 'inconclusive')).toEqual([]);
    expect(worldsLeft).toBe(0);
  });
});
