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

it('a stopped run aborts its pending requests', async () => {
  const stop = new AbortController();
  const start = performance.now();
  const { worldsLeft } = await judgeReference({
    signal: stop.signal,
    behaviour: {
      transmit: (response, answer, call) => {
        if (call.operation !== 'vault-delete' || call.server.memory.size > 0) {
          response.writeHead(answer.status, answer.headers).end(JSON.stringify(answer.body));
          return;
        }
        // The first delete is never answered.
        call.server.memory.set('silent', true);
        setTimeout(() => stop.abort(reason), 50);
      },
    },
  });
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(worldsLeft).toBe(0);
});
