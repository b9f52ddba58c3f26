import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { expectNoStack, readReport } from './plumbline-process.js';
import {
  byCommand,
  byRequest,
  type Deployment,
  startDeployment,
  startProfiled,
} from './profile-deployment.js';
import { slowDown } from './slow-answers.js';

// It sends 180 requests.
const flags = ['--only', '{vault-delete,secret-name}.**', '--depth', 'quick'];
const somebodys = ['foreign/theirs', 'own/theirs', 'sibling/theirs', 'workspace/theirs'];

/** Starts a deployment in which somebody else has secrets. */
async function deployShared(behaviour: Behaviour = conforming): Promise<Deployment> {
  const deployed = await startDeployment({ behaviour });
  for (const scope of ['own', 'sibling', 'workspace', 'foreign']) await deployed.store(scope, 'theirs');
  return deployed;
}

/** Sends a signal to a run; returns its outcome and what its tenant contains. */
async function stopRun(
  deployed: Deployment,
  signal: NodeJS.Signals,
  moment: () => Promise<unknown>,
  profile: object = { store: byRequest },
) {
  const run = startProfiled(deployed, { profile, flags });
  await Promise.race([moment(), run.ended]);
  run.child.kill(signal);
  const begun = performance.now();
  const ended = await run.ended;
  expectNoStack(ended);
  return { ...ended, took: performance.now() - begun, run, left: [...(await deployed.stored())].sort() };
}

type Stopped = Awaited<ReturnType<typeof stopRun>>;

/** Expects a report that is incomplete, fails nothing and lists all leftovers. */
function expectOrderly({ code, took, run, left }: Stopped, moment: string): void {
  expect(code, moment).toBe(130);
  expect(took, moment).toBeLessThan(15_000);
  const report = readReport(run.directory);
  expect([report.run.complete, report.gate.exit_code], moment).toEqual([false, 130]);
  expect(report.totals.fail, moment).toBe(0);
  const told = report.run.left_behind.map(({ scope, name }) => `${scope}/${name}`);
  expect(left, moment).toEqual([...somebodys, ...told].sort());
}

// random-stops.test.ts sends signals at random moments. These tests mostly wait.
describe.concurrent('a signal while secrets are being stored', () => {
  it('a run that is interrupted while the service confirms a write late leaves nothing stored', async () => {
    let storing = () => {};
    const asked = new Promise<void>((resolve) => {
      storing = resolve;
    });
    const behaviour: Behaviour = {
      ...conforming,
      transmit: async (response, answer, call) => {
        if (call.operation === 'vault-store') {
          storing();
          await sleep(300);
        }
        await conforming.transmit(response, answer, call);
      },
    };
    expectOrderly(await stopRun(await deployShared(behaviour), 'SIGTERM', () => asked), 'at the first store');
  });

  it('a run that is interrupted while a command stores lists what nobody can delete', async () => {
    const deployed = await deployShared();
    const moment = async () => {
      while ((await deployed.stored()).length < 8) await sleep(10);
    };
    const profile = { store: byCommand(deployed) };
    expectOrderly(await stopRun(deployed, 'SIGINT', moment, profile), 'while a command runs');
  });
});

it.concurrent('a run lists what the service does not delete, and what to do about it', async () => {
  let isClosed = false;
  const deployed = await deployShared({
    ...slowDown(20).behaviour,
    effects: {
      ...conforming.effects,
      'vault-delete': (call) =>
        isClosed
          ? call.behaviour.refuse(call, { status: 503, message: 'Closed' })
          : conforming.effects['vault-delete'](call),
    },
  });
  const result = await stopRun(deployed, 'SIGINT', async () => {
    while (deployed.seen.length < 60) await sleep(5);
    isClosed = true;
    while ((await deployed.stored()).length === somebodys.length) await sleep(5);
  });
  expectOrderly(result, 'while deletes are refused');
  const { run } = readReport(result.run.directory);
  expect(run.left_behind.length).toBeGreaterThan(0);
  for (const { name, why } of run.left_behind) {
    expect(why).toBe('its delete got 503; delete it with the member key');
    expect(name).toMatch(/^plumb[aeio]+/);
  }
  expect(result.stdout).toContain(run.left_behind[0]?.name ?? 'a name');
});
