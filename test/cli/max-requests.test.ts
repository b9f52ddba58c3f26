import { expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { serveReference } from '../servers.js';
import { startAlteredControl } from './altered-control.js';
import { runInto } from './plumbline-process.js';

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

it.each([1, 40, 300])('a run never exceeds --max-requests %i and gives back every world', async (most) => {
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
  expect(open.every(({ reason }) => reason?.includes('the ceiling of 120 requests is reached'))).toBe(true);
  expect(stdout).toContain('the ceiling of 120 requests is reached');
});
