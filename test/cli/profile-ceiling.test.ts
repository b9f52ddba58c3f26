import { expect, it } from 'vitest';
import { byRequest, judge, startDeployment } from './profile-deployment.js';

it.each([1, 40])(
  'a run with a profile never exceeds --max-requests %i and leaves nothing stored',
  async (most) => {
    const deployed = await startDeployment();
    const flags = `--max-requests ${most}`;
    const { code, report } = await judge(deployed, { profile: { store: byRequest }, flags });
    expect(deployed.seen.length).toBeLessThanOrEqual(most);
    expect(report.run.requests).toBeLessThanOrEqual(most);
    expect([report.run.complete, report.totals.fail, report.run.left_behind]).toEqual([false, 0, []]);
    expect([3, 4]).toContain(code);
    expect(await deployed.stored()).toEqual([]);
  },
);

it.each([
  ['the limit of a profile', '', [1, 30]],
  ['--max-requests above the limit of a profile', '--max-requests 60', [31, 60]],
] as const)('%s holds', async (_what, flags, [least, most]) => {
  const deployed = await startDeployment();
  const profile = { store: byRequest, limits: { requests: 30, concurrency: 2 } };
  await judge(deployed, { profile, ...(flags === '' ? {} : { flags }) });
  expect(deployed.seen.length).toBeGreaterThanOrEqual(least);
  expect(deployed.seen.length).toBeLessThanOrEqual(most);
});

it('a run that --max-time ends leaves nothing stored', async () => {
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
