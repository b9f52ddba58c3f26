import { expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { serveReference } from '../servers.js';
import { startAlteredControl } from './altered-control.js';
import { runInto } from './plumbline-process.js';
import { byRequest, judge, startDeployment } from './profile-deployment.js';

/** Runs against a reference that counts its requests, those to its control included. */
async function runCounted(flags: string) {
  let asked = 0;
  const server = await serveReference({
    behaviour: {
      ...behaveAsMutant('vault-delete.sibling-secret-through-own'),
      rewriteTarget: (target) => {
        asked += 1;
        return target;
      },
    },
  });
  const control = await startAlteredControl(server, {});
  const run = await runInto(`--control ${control.url} ${flags}`);
  return { ...run, sent: asked + control.calls.length, worlds: server.worldCount() };
}

it.each([1, 300])('a run never exceeds --max-requests %i and gives back every world', async (most) => {
  const { sent, report, worlds, code } = await runCounted(`--max-requests ${most}`);
  expect(sent).toBeLessThanOrEqual(most);
  const { run, gate } = report();
  // An aborted request is counted but may not have arrived.
  expect(run.requests).toBeGreaterThanOrEqual(sent);
  expect(run.requests).toBeLessThanOrEqual(most);
  expect([worlds, run.complete, gate.exit_code]).toEqual([0, false, code]);
  expect([1, 3, 4]).toContain(code);
});

it('a run that reaches --max-requests reports the rest as inconclusive and says why', async () => {
  const only = '--only guardrail-read.* --only envelope.*';
  const { report, stdout } = await runCounted(`--max-requests 120 ${only}`);
  const open = report().requirements.filter(({ status }) => status === 'inconclusive');
  expect(open.length).toBeGreaterThan(0);
  expect(open.every(({ reason }) => reason?.includes('limit of 120 requests reached'))).toBe(true);
  expect(stdout).toContain('limit of 120 requests reached');
});

it.each([
  ['--max-requests 1', '--max-requests 1', {}, [0, 1]],
  ['--max-requests 40', '--max-requests 40', {}, [0, 40]],
  ['the limit of a profile', [], { requests: 30, concurrency: 2 }, [1, 30]],
  ['a flag above the limit of a profile', '--max-requests 60', { requests: 30, concurrency: 2 }, [31, 60]],
] as const)('a profiled run never exceeds %s and leaves nothing stored', async (_, flags, limits, bounds) => {
  const [least, most] = bounds;
  const deployed = await startDeployment();
  const { code, report } = await judge(deployed, { profile: { store: byRequest, limits }, flags });
  expect(deployed.seen.length).toBeGreaterThanOrEqual(least);
  expect(deployed.seen.length).toBeLessThanOrEqual(most);
  expect(report.run.requests).toBeLessThanOrEqual(most);
  expect([report.run.complete, report.totals.fail, report.run.left_behind]).toEqual([false, 0, []]);
  expect([3, 4]).toContain(code);
  expect(await deployed.stored()).toEqual([]);
});

it('a run that limits.time of a profile ends leaves nothing stored', async () => {
  const deployed = await startDeployment();
  const profile = { store: byRequest, limits: { time: 0.5 } };
  const { code, report, ms } = await judge(deployed, { profile });
  expect([code, report.run.complete, report.totals.fail]).toEqual([4, false, 0]);
  expect(ms).toBeLessThan(15_000);
  expect([report.run.left_behind, await deployed.stored()]).toEqual([[], []]);
  expect(report.requirements.map(({ reason }) => reason).join()).toContain('out of time after 0.5 s');
});

it('limits.rate spreads all requests of a run', async () => {
  const deployed = await startDeployment();
  const profile = { store: byRequest, limits: { rate: 40, time: 2 } };
  const { report } = await judge(deployed, { profile });
  // Cleanup does not wait for its turn, and no more than the requests in flight is stored by then.
  expect(deployed.seen.length).toBeLessThanOrEqual((40 * report.run.duration_ms) / 1_000 + 1 + 16);
  expect(deployed.seen.length).toBeGreaterThan(40);
  expect(await deployed.stored()).toEqual([]);
});
