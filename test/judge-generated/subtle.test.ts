import { describe, expect, it } from 'vitest';
import { generatedChecks, ran } from './generated-run.js';
import { subtleServers } from './subtle-servers.js';

// What nobody thought of listing: each of these is found at standard depth by generated cases.
const seed = 7;

describe.each(subtleServers)('a server that $what', ({ behaviour, violates, shownBy }) => {
  it('is found at standard depth', { timeout: 60_000 }, async () => {
    // What one property finds, it finds among the others too.
    const checks = generatedChecks.filter(
      (check) => check.kind === 'generated' && check.property === shownBy,
    );
    const { report } = await ran({ behaviour, checks, plan: { seed } });
    const red = report.requirements.filter(({ status }) => status === 'fail').map(({ id }) => id);
    expect(
      red.filter((id) => violates.test(id)),
      `seed ${seed}: ${red.join(', ')}`,
    ).not.toEqual([]);
  });
});
