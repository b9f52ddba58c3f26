import { expect, it } from 'vitest';
import { findRow, idsWith } from '../report-rows.js';
import { judgeReference } from './judge-reference.js';

const reason = 'out of time';

it.each([5, 25])('a run stopped after %i checks says why and gives back every world', async (checks) => {
  const stop = new AbortController();
  const { report, worldsLeft } = await judgeReference({
    signal: stop.signal,
    onProgress: ({ done }) => {
      if (done === checks) stop.abort(reason);
    },
  });
  expect(worldsLeft).toBe(0);
  expect(report).toMatchObject({ verdict: 'incomplete', totals: { fail: 0 } });
  expect(report.run).toMatchObject({ complete: false, notes: [] });
  const open = report.requirements.filter(({ status }) => status === 'inconclusive');
  expect(open.length).toBeGreaterThan(30);
  expect([...new Set(open.map((requirement) => requirement.reason))]).toEqual([reason]);
  // A rule that no answer had exercised by then must not be not-exercised, as if a capability were missing.
  for (const id of ['rate-limit.paid', 'rate-limit.platform.header.limit'] as const)
    expect(findRow(report, id)).toMatchObject({ status: 'inconclusive', reason });
  expect(idsWith(report, 'pass').length).toBeGreaterThan(1);
});
