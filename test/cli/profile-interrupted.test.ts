import { expect, it } from 'vitest';
import { conforming } from '../../reference/conforming.js';
import { slowDown } from '../behaviours.js';
import { expectNoStack, readReport } from './plumbline-process.js';
import { byRequest, startDeployment, startProfiled } from './profile-deployment.js';

// random-stops.test.ts sends signals at random moments.
it('a run with a profile that is interrupted fails nothing and lists what the service does not delete, and what to do about it', async () => {
  let isClosed = false;
  const effects: typeof conforming.effects = {
    ...conforming.effects,
    'vault-delete': (call) =>
      isClosed
        ? call.behaviour.refuse(call, { status: 503, message: 'Closed' })
        : conforming.effects['vault-delete'](call),
  };
  const deployed = await startDeployment({ behaviour: { ...slowDown(20).behaviour, effects } });
  const somebodys = ['foreign/theirs', 'own/theirs', 'sibling/theirs', 'workspace/theirs'];
  for (const scope of ['own', 'sibling', 'workspace', 'foreign']) await deployed.store(scope, 'theirs');
  const flags = '--only vault-delete.** --depth quick';
  const { child, ended, directory } = startProfiled(deployed, { profile: { store: byRequest }, flags });
  await expect.poll(() => deployed.seen.length, { timeout: 30_000 }).toBeGreaterThanOrEqual(40);
  isClosed = true;
  const isStoring = async () => (await deployed.stored()).length > somebodys.length;
  await expect.poll(isStoring, { timeout: 30_000, interval: 5 }).toBe(true);
  child.kill('SIGINT');
  const begun = performance.now();
  const { code, ...output } = await ended;
  expectNoStack({ code, ...output });
  expect(code).toBe(130);
  expect(performance.now() - begun).toBeLessThan(15_000);
  const { run, gate, totals } = readReport(directory);
  expect([run.complete, gate.exit_code, totals.fail]).toEqual([false, 130, 0]);
  const left = run.left_behind.map(({ scope, name }) => `${scope}/${name}`);
  expect((await deployed.stored()).toSorted()).toEqual([...somebodys, ...left].sort());
  expect(left.length).toBeGreaterThan(0);
  for (const { name, why } of run.left_behind) {
    expect(why).toBe('its delete got 503; delete it with the member key');
    expect(name).toMatch(/^plumb[aeio]+/);
  }
  expect(output.stdout).toContain(run.left_behind[0]?.name ?? 'a name');
});
