import { expect, it } from 'vitest';
import type { Capabilities } from '../../reference/capabilities.js';
import { FEATURES } from '../../reference/vocabulary.js';
import { findRow } from '../judge/judge-reference.js';
import { runInto } from './plumbline-process.js';
import { serveReference } from './servers.js';
import { slowDown } from './slow-answers.js';

it('a control without half of the roles ends with 4 and names them', async () => {
  const capabilities: Partial<Capabilities> = {
    roles: ['member', 'management', 'provisioning', 'disabled', 'free_small'],
    // The credit of the member could be set to what those roles have.
    features: FEATURES.filter((feature) => feature !== 'credit'),
  };
  const { controlUrl, worldCount } = await serveReference({ capabilities });
  const run = await runInto(['--control', controlUrl, '--depth', 'quick', '--max-requests', '900']);
  expect(run.code, run.words).toBe(4);
  expect(run.words).toMatch(/^incomplete: \d+ must requirements? inconclusive or not exercised /);
  expect(worldCount()).toBe(0);
  const report = run.report();
  expect([report.verdict, report.gate.exit_code]).toEqual(['incomplete', 4]);
  expect(report.totals).toMatchObject({ fail: 0, inconclusive: 0 });
  const lacking = ['vault-delete.404.outside-programme', 'credit-limit.overdrawn.paid'] as const;
  for (const id of lacking) {
    const { status, reason } = findRow(report, id);
    expect([status, reason]).toEqual(['not-exercised', expect.stringContaining('a key of the role ')]);
  }
  // Writes can be disabled by a fault as well as by a role.
  expect(findRow(report, 'vault-delete.503.writes-disabled').status).toBe('pass');
});

it('a requirement that is not selected does not make a run incomplete', async () => {
  const { controlUrl } = await serveReference({ capabilities: { inference: false } });
  const run = await runInto(['--control', controlUrl, '--only', 'vault-delete.*', '--depth', 'quick']);
  expect(run.code).toBe(0);
  const { status, reason } = findRow(run.report(), 'inference.routed');
  expect([status, reason]).toEqual(['not-exercised', 'not selected']);
});

it('a run that is out of time reports the rest as inconclusive and gives back every world', async () => {
  const { controlUrl, worldCount } = await serveReference({ behaviour: slowDown(30).behaviour });
  const run = await runInto(['--control', controlUrl, '--max-time', '0.8']);
  expect([run.code, run.words]).toEqual([
    4,
    expect.stringMatching(/^incomplete: .*out of time after 0\.8 s/),
  ]);
  expect(run.ms).toBeLessThan(15_000);
  const report = run.report();
  expect([report.run.complete, report.totals.fail, worldCount()]).toEqual([false, 0, 0]);
});
