import { describe, expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { idsWith } from './plumbline-process.js';
import {
  byCommand,
  byNames,
  byRequest,
  type Deployment,
  judge,
  startDeployment,
} from './profile-deployment.js';
import { behaveAsMutant } from './servers.js';

/** Returns the share of the observable musts that the run exercised. */
function measureCoverage({ requirements }: Report): number {
  const musts = requirements.filter(({ level, status }) => level === 'must' && status !== 'not-observable');
  return musts.filter(({ status }) => status !== 'not-exercised').length / musts.length;
}

/** Returns the leftovers in the report, in the form in which the server lists secrets. */
function listLeftovers({ run }: Report): readonly string[] {
  return run.left_behind.map(({ scope, name }) => `${scope}/${name}`).sort();
}

const names = {
  own: Array.from({ length: 40 }, (_, at) => `left_for_plumbline_${at}`),
  sibling: Array.from({ length: 5 }, (_, at) => `left_for_the_sibling_${at}`),
};

const quick = ['--depth', 'quick'];

/** The three ways to store a secret, and the least share of musts that each exercises. */
const ways: readonly (readonly [
  way: string,
  store: (deployed: Deployment) => object | Promise<object>,
  share: number,
])[] = [
  ['by a request', () => byRequest, 0.6],
  ['by a command', byCommand, 0.6],
  ['beforehand', (deployed) => byNames(deployed, names), 0.4],
];

describe.each(ways)('a deployment whose secrets are stored %s', (way, store, share) => {
  it('a run with a profile is incomplete, fails nothing and leaves the deployment as it was', async () => {
    const deployed = await startDeployment();
    for (const scope of ['own', 'sibling', 'workspace', 'foreign']) await deployed.store(scope, 'somebodys');
    const recipe = await store(deployed);
    const before = await deployed.stored();
    const { code, report } = await judge(deployed, { profile: { store: recipe }, flags: quick });
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
    expect([code, report.verdict, report.gate.exit_code]).toEqual([4, 'incomplete', 4]);
    expect(report.run.complete).toBe(true);
    expect(report.target).toMatchObject({ base_url: deployed.baseUrl, control: false });
    expect(measureCoverage(report)).toBeGreaterThanOrEqual(share);
    // Only names that the profile hands out may be gone, and new ones must be in the report.
    const after = await deployed.stored();
    const gone = before.filter((secret) => !after.includes(secret));
    expect(gone.filter((secret) => !secret.includes('left_for_'))).toEqual([]);
    expect(after.filter((secret) => !before.includes(secret)).sort()).toEqual(listLeftovers(report));
    expect(listLeftovers(report).filter((secret) => /^(?:own|sibling)/.test(secret))).toEqual([]);
    if (way !== 'beforehand') return;
    expect(gone).not.toEqual([]);
    expect(deployed.seen.filter(({ method }) => method === 'PUT')).toEqual([]);
  });
});

describe('names that are already stored', () => {
  it('a run leaves requirements not exercised and says why when the stored names run out', async () => {
    const deployed = await startDeployment();
    const store = await byNames(deployed, { own: names.own.slice(0, 2) });
    const { code, report } = await judge(deployed, { profile: { store }, flags: ['--depth', 'quick'] });
    expect([code, idsWith(report, 'fail')]).toEqual([4, []]);
    const reasons = report.requirements.map(({ reason }) => reason);
    expect(reasons).toContain(
      'the names that the profile gives for the intern "own" (store.names) are used up',
    );
    expect(await deployed.stored()).toEqual([]);
  });

  it('stored names that exist at both interns fail nothing', async () => {
    const deployed = await startDeployment();
    const same = names.own;
    const store = await byNames(deployed, { own: same, sibling: same.toReversed() });
    const flags = ['--only', 'vault-delete.*', ...quick];
    const { code, report } = await judge(deployed, { profile: { store }, flags });
    expect([code, idsWith(report, 'fail')]).toEqual([4, []]);
  });
});

describe('the policy of a profile', () => {
  const rows = ['vault-delete.*', 'stream-error.*', 'rate-limit.*', 'secret-name.*', 'guardrail-read.*'];
  const more = ['key-info.*', 'inference.*', 'stream-error.error.*', 'stream-error.choices.*'];
  const excused = [...rows, ...more].map((requirement) => ({ requirement, reason: 'Staging cannot.' }));

  it('a profile chooses the levels that decide the gate', async () => {
    const deployed = await startDeployment({ behaviour: behaveAsMutant('key-info.daily-above-weekly') });
    const flags = ['--only', 'key-info.*', '--depth', 'quick'];
    const usual = await judge(deployed, { profile: {}, flags });
    expect([usual.code, usual.report.verdict]).toEqual([1, 'non-conformant']);
    const policy = { decides: ['must'], excused };
    const { code, report } = await judge(deployed, { profile: { policy }, flags });
    expect([code, report.verdict]).toEqual([0, 'non-conformant']);
  });
});

it('a run finds a mutant with stored names and with a command', async () => {
  const behaviour = behaveAsMutant('vault-delete.sibling-secret-through-own');
  const flags = ['--only', 'vault-delete.404.other-intern', '--depth', 'quick'];
  const listed = await startDeployment({ behaviour });
  const stored = await judge(listed, { profile: { store: await byNames(listed, names) }, flags });
  const commanded = await startDeployment({ behaviour });
  const run = await judge(commanded, { profile: { store: byCommand(commanded) }, flags });
  for (const { code, report } of [stored, run]) {
    expect([code, idsWith(report, 'fail')]).toEqual([1, ['vault-delete.404.other-intern']]);
  }
});

it('two simultaneous runs on one deployment do not disturb each other', async () => {
  const deployed = await startDeployment();
  const run = () =>
    judge(deployed, {
      profile: { store: byRequest, limits: { concurrency: 8 } },
      flags: ['--depth', 'quick', '--cases', '2', '--max-requests', '900'],
    });
  const both = await Promise.all([run(), run()]);
  for (const { code, report } of both) {
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
    expect([code, report.verdict]).toEqual([4, 'incomplete']);
    expect(report.run.left_behind).toEqual([]);
  }
  expect(await deployed.stored()).toEqual([]);
});
