import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { conforming } from '../../reference/conforming.js';
import { slowDown } from '../behaviours.js';
import { expectNoStack, readReport } from './plumbline-process.js';
import {
  byCommand,
  byRequest,
  type Deployment,
  startDeployment,
  startProfiled,
} from './profile-deployment.js';

const somebodys = ['foreign/theirs', 'own/theirs', 'sibling/theirs', 'workspace/theirs'];

/** Starts a deployment in which somebody else has secrets. */
async function deployShared(behaviour: Behaviour = conforming): Promise<Deployment> {
  const deployed = await startDeployment({ behaviour });
  for (const scope of ['own', 'sibling', 'workspace', 'foreign']) await deployed.store(scope, 'theirs');
  return deployed;
}

/** Interrupts a run; expects a report that is incomplete, fails nothing and lists all leftovers, and returns these. */
async function interruptRun(
  deployed: Deployment,
  moment: () => Promise<unknown>,
  profile: object = { store: byRequest },
) {
  const flags = '--only vault-delete.** --depth quick';
  const { child, ended, directory } = startProfiled(deployed, { profile, flags });
  await Promise.race([moment(), ended]);
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
  return { ...output, left: run.left_behind };
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
    expect((await interruptRun(await deployShared(behaviour), () => asked)).left).toEqual([]);
  });

  it('a run that is interrupted while a command stores lists what nobody can delete', async () => {
    const deployed = await deployShared();
    const moment = async () => {
      while ((await deployed.stored()).length < 8) await sleep(10);
    };
    await interruptRun(deployed, moment, { store: byCommand(deployed) });
  });

  it('a run lists what the service does not delete, and what to do about it', async () => {
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
    const { left, stdout } = await interruptRun(deployed, async () => {
      while (deployed.seen.length < 40) await sleep(5);
      isClosed = true;
      while ((await deployed.stored()).length === somebodys.length) await sleep(5);
    });
    expect(left.length).toBeGreaterThan(0);
    for (const { name, why } of left) {
      expect(why).toBe('its delete got 503; delete it with the member key');
      expect(name).toMatch(/^plumb[aeio]+/);
    }
    expect(stdout).toContain(left[0]?.name ?? 'a name');
  });
});
