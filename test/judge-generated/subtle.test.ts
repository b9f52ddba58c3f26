import { describe, expect, it } from 'vitest';
import { allChecks } from '../../suites/all-checks.js';
import { ran } from './generated-run.js';
import { subtleServers } from './subtle-servers.js';

// What nobody thought of listing: each of these is found at standard depth by generated cases.
const seed = 7;

describe.each(subtleServers)('a server that $what', ({ behaviour, violates }) => {
  it('is found at standard depth', { timeout: 60_000 }, async () => {
    const { report } = await ran({ behaviour, checks: allChecks, plan: { seed } });
    const red = report.requirements.filter(({ status }) => status === 'fail').map(({ id }) => id);
    expect(
      red.filter((id) => violates.test(id)),
      `seed ${seed}: ${red.join(', ')}`,
    ).not.toEqual([]);
    const generated = report.checks.filter(({ outcome, classes }) => outcome === 'fail' && classes !== null);
    expect(
      generated.map(({ id }) => id),
      `seed ${seed}`,
    ).not.toEqual([]);
  });
});
