import { expect, it } from 'vitest';
import { FEATURES } from '../../reference/vocabulary.js';
import { findRow } from '../judge/judge-reference.js';
import { runOnReference } from './plumbline-process.js';
import { slowDown } from './slow-answers.js';

it('a control without half of the roles ends with 4 and names them', async () => {
  const run = await runOnReference(
    {
      capabilities: {
        roles: ['member', 'management', 'provisioning', 'disabled', 'free_small'],
        // The credit of the member could be set to what those roles have.
        features: FEATURES.filter((feature) => feature !== 'credit'),
      },
    },
    '--depth quick --max-requests 900',
  );
  expect([run.code, run.server.worldCount()], run.words).toEqual([4, 0]);
  expect(run.words).toMatch(/^incomplete: \d+ must requirements? inconclusive or not exercised /);
  const report = run.report();
  expect([report.verdict, report.gate.exit_code]).toEqual(['incomplete', 4]);
  expect(report.totals).toMatchObject({ fail: 0, inconclusive: 0 });
  const reason = expect.stringContaining('a key of the role ');
  for (const id of ['vault-delete.404.outside-programme', 'credit-limit.overdrawn.paid'] as const)
    expect(findRow(report, id)).toMatchObject({ status: 'not-exercised', reason });
  // Writes can be disabled by a fault as well as by a role.
  expect(findRow(report, 'vault-delete.503.writes-disabled').status).toBe('pass');
});

it('a requirement that is not selected does not make a run incomplete', async () => {
  const options = { capabilities: { inference: false } };
  const { code, report } = await runOnReference(options, '--only vault-delete.204.* --depth quick');
  expect(code).toBe(0);
  const unselected = { status: 'not-exercised', reason: 'not selected' };
  expect(findRow(report(), 'inference.routed')).toMatchObject(unselected);
});

it('a run that is out of time reports the rest as inconclusive and gives back every world', async () => {
  const run = await runOnReference({ behaviour: slowDown(30).behaviour }, '--max-time 0.8');
  expect([run.code, run.words]).toEqual([
    4,
    expect.stringMatching(/^incomplete: .*out of time after 0\.8 s/),
  ]);
  expect(run.ms).toBeLessThan(15_000);
  const { run: told, totals } = run.report();
  expect([told.complete, totals.fail, run.server.worldCount()]).toEqual([false, 0, 0]);
});
