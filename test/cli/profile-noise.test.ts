import { expect, it } from 'vitest';
import { type Behaviour, makeGate } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { alsoRefuse, closeConnection, everyNth } from '../../reference/mutation.js';
import { behaveAsVariant } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { byRequest, judge, startDeployment } from './profile-deployment.js';

const operations = Object.keys(conforming.gates) as (keyof typeof conforming.gates)[];

async function runDisturbed(by: string | Partial<Behaviour>, flags: string) {
  const behaviour = typeof by === 'string' ? behaveAsVariant(by) : by;
  const deployed = await startDeployment({ behaviour });
  const { report, code } = await judge(deployed, { profile: { store: byRequest }, flags });
  const listed = report.run.left_behind.map(({ scope, name }) => `${scope}/${name}`);
  return { report, code, listed: [...listed].sort(), left: [...(await deployed.stored())].sort() };
}

const some = '{vault-delete,secret-name,key-info,envelope,auth}.**';

function expectFair({ report, code, listed, left }: Awaited<ReturnType<typeof runDisturbed>>): void {
  expect(idsWith(report, 'fail')).toEqual([]);
  expect([code, report.verdict]).toEqual([4, 'incomplete']);
  expect(idsWith(report, 'pass').length).toBeGreaterThan(20);
  expect(left).toEqual(listed);
}

it.each(['noise-502', 'noise-connection-reset'])('a deployment with %s fails no requirement', async (id) => {
  const result = await runDisturbed(id, `--only ${some} --depth quick --max-requests 3000`);
  expectFair(result);
  expect(result.report.run.complete).toBe(true);
});

const everyThird = everyNth(3, 'calls');
const badGateway = { status: 502, message: 'A node cannot be reached' };

// What is in step with the run is met at the same request of a case each time that the case is repeated.
it.each([
  ['resets connections', closeConnection(everyThird)],
  ['cannot be reached', alsoRefuse(operations, makeGate('fault', everyThird, badGateway).refuse)],
])('one of three nodes that %s fails no requirement at depth quick', async (_what, mutation) => {
  const { report, code } = await runDisturbed(mutation, `--depth quick --only ${some}`);
  expect(idsWith(report, 'fail')).toEqual([]);
  expect([code, report.verdict]).toEqual([4, 'incomplete']);
});

it('a service that limits requests fails nothing, and the run ends in time', async () => {
  const [waiting, limited] = await Promise.all([
    runDisturbed('noise-503-retry-after', `--only ${some} --depth quick`),
    runDisturbed('noise-vault-120-a-minute', '--max-time 4'),
  ]);
  expectFair(waiting);
  expectFair(limited);
  expect(limited.report.run.complete).toBe(false);
  // Cleanup has another ten seconds.
  expect(limited.report.run.duration_ms).toBeLessThan(16_000);
});

it('what another run stored and deletes again under a name of a check fails nothing', async () => {
  const deployed = await startDeployment();
  await deployed.store('own', 'constructor');
  const { report } = await judge(deployed, {
    profile: { store: byRequest, disposable_interns: ['own'] },
    flags: '--only secret-name.accepts.words',
  });
  expect(idsWith(report, 'fail')).toEqual([]);
});
