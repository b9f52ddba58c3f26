import { expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { behaveAsMutant } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import {
  byCommand,
  byNames,
  byRequest,
  type Deployment,
  judge,
  startDeployment,
} from './profile-deployment.js';

function measureCoverage({ requirements }: Report): number {
  const musts = requirements.filter(({ level, status }) => level === 'must' && status !== 'not-observable');
  return musts.filter(({ status }) => status !== 'not-exercised').length / musts.length;
}

const names = {
  own: Array.from({ length: 40 }, (_, at) => `left_for_plumbline_${at}`),
  sibling: Array.from({ length: 5 }, (_, at) => `left_for_the_sibling_${at}`),
};

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

it.each(ways)(
  'a run with a profile that stores %s is incomplete, fails nothing and leaves the deployment as it was',
  async (way, store, share) => {
    const deployed = await startDeployment();
    for (const scope of ['own', 'sibling', 'workspace', 'foreign']) await deployed.store(scope, 'somebodys');
    const recipe = await store(deployed);
    const before = await deployed.stored();
    const profile = { store: recipe };
    const { code, report } = await judge(deployed, { profile, flags: '--depth quick' });
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
    expect([code, report.verdict, report.gate.exit_code]).toEqual([4, 'incomplete', 4]);
    expect(report.run.complete).toBe(true);
    expect(report.target).toMatchObject({ base_url: deployed.baseUrl, control: false });
    expect(measureCoverage(report)).toBeGreaterThanOrEqual(share);
    // Only names that the profile hands out may be gone, and new ones must be in the report.
    const after = await deployed.stored();
    const gone = before.filter((secret) => !after.includes(secret));
    expect(gone.filter((secret) => !secret.includes('left_for_'))).toEqual([]);
    const listed = report.run.left_behind.map(({ scope, name }) => `${scope}/${name}`).sort();
    expect(after.filter((secret) => !before.includes(secret)).sort()).toEqual(listed);
    expect(listed.filter((secret) => /^(?:own|sibling)/.test(secret))).toEqual([]);
    if (way !== 'beforehand') return;
    expect(gone).not.toEqual([]);
    expect(deployed.seen.filter(({ method }) => method === 'PUT')).toEqual([]);
  },
);

it('a run leaves requirements not exercised and says why when the stored names run out', async () => {
  const deployed = await startDeployment();
  const store = await byNames(deployed, { own: names.own.slice(0, 2) });
  const { code, report } = await judge(deployed, { profile: { store }, flags: '--depth quick' });
  expect([code, idsWith(report, 'fail')]).toEqual([4, []]);
  expect(report.requirements.map(({ reason }) => reason)).toContain(
    'the names that the profile gives for the intern "own" (store.names) are used up',
  );
  expect(await deployed.stored()).toEqual([]);
});

it('a profile chooses the levels that decide the gate', async () => {
  const deployed = await startDeployment({ behaviour: behaveAsMutant('key-info.daily-above-weekly') });
  const flags = '--only key-info.* --depth quick';
  const usual = await judge(deployed, { flags });
  expect([usual.code, usual.report.verdict]).toEqual([1, 'non-conformant']);
  const excused = [{ requirement: '*', reason: 'Staging cannot.' }];
  const policy = { decides: ['must'], excused };
  const { code, report } = await judge(deployed, { profile: { policy }, flags });
  expect([code, report.verdict]).toEqual([0, 'non-conformant']);
});

it.each(ways.slice(1))('a run finds a mutant with secrets that are stored %s', async (_way, store) => {
  const behaviour = behaveAsMutant('vault-delete.sibling-secret-through-own');
  const deployed = await startDeployment({ behaviour });
  const flags = '--only vault-delete.404.other-intern --depth quick';
  const { code, report } = await judge(deployed, { profile: { store: await store(deployed) }, flags });
  expect([code, idsWith(report, 'fail')]).toEqual([1, ['vault-delete.404.other-intern']]);
});

it('two simultaneous runs on one deployment do not disturb each other', async () => {
  const deployed = await startDeployment();
  const profile = { store: byRequest, limits: { concurrency: 8 } };
  const flags = '--depth quick --only {vault-delete,key-info}.*';
  const both = await Promise.all([1, 2].map(() => judge(deployed, { profile, flags })));
  for (const { code, report } of both) {
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
    expect([code, report.verdict, report.run.left_behind]).toEqual([4, 'incomplete', []]);
  }
  expect(await deployed.stored()).toEqual([]);
});
