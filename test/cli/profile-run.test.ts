import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Behaviour, Call } from '../../reference/behaviour.js';
import { FREE_MODEL } from '../../reference/inference.js';
import { nameOf, worldOfIntern } from '../../reference/mutants/conditions.js';
import { deleteThough } from '../../reference/mutants/vault-mutations.js';
import type { Report } from '../../spec/report.js';
import { behaveAsMutant, isVault, makeEnvelope, replaceAnswers } from '../behaviours.js';
import { findRow, idsWith } from '../report-rows.js';
import { serveReference } from '../servers.js';
import { plumbline, runInto } from './plumbline-process.js';
import {
  byCommand,
  byNames,
  byRequest,
  type Deployment,
  judge,
  profileFile,
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

it.each(ways)('a run that stores %s is incomplete and leaves all as it was', async (way, store, share) => {
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
});

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

it.each([
  ['vault-delete.a-read-deletes', 'vault-delete.safe-methods', '--depth quick'],
  ['vault-delete.provisioning-key-read-403', 'vault-delete.401.provisioning-key-reads', '--depth quick'],
  ['vault-delete.outsider-read-403', 'vault-delete.404.outside-programme-reads', '--depth quick'],
  ['vault-delete.503-deletes-a-second-late', 'vault-delete.503.keeps', '--cases 1'],
  ['vault-delete.host-passes-by-encoded-route', 'vault-delete.403.keeps', '--cases 1'],
  ['vault-delete.provisioning-key-writes', 'vault-delete.401.provisioning-key', '--cases 1'],
  ['vault-delete.provisioning-key-after-bearer-deletes', 'vault-delete.401.provisioning-key', '--cases 1'],
  ['secret-name.refuses-first-letter-z', 'secret-name.accepts.letters', '--cases 1'],
  ['secret-name.accepts-single-digit', 'secret-name.refuses.leading-digit', '--cases 1'],
  ['key-info.crossed-at-once', 'key-info.200.own-figures', '--cases 1'],
  ['key-info.cached-for-every-key', 'key-info.200.own-figures', '--cases 1'],
])('a run finds the mutant %s without the control protocol', async (id, violated, extent) => {
  const deployed = await startDeployment({ behaviour: behaveAsMutant(id) });
  const flags = `--only ${violated} ${extent}`;
  const profile = { store: byRequest, disposable_interns: ['own'] };
  const { report } = await judge(deployed, { profile, flags });
  expect(idsWith(report, 'fail')).toEqual([violated]);
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

const foreignIntern = 'vault-delete.404.foreign-intern';
const onlyThisIntern = 'vault-delete.204.only-this-intern';
const only = `--only vault-delete.404.{foreign-*,keeps} --only vault-delete.204.{deleted,only-this-intern} --depth quick`;

/** Two tenants of one server, and a profile of the first that has a key of the second. */
async function tenants(behaviour: Partial<Behaviour> = {}) {
  const { baseUrl, controlUrl, openWorld } = await serveReference({ behaviour });
  const [own, other] = [openWorld('own'), openWorld('other')];
  const { member: foreignKey = '' } = other.keys;
  const profile = {
    target: { base_url: baseUrl },
    keys: { member: own.keys.member },
    interns: { own: own.interns.own, foreign: other.interns.own },
  };
  const left = async () => {
    const listed = await Promise.all(
      [own, other].map(async ({ id }) => (await fetch(`${controlUrl}/worlds/${id}/secrets`)).json()),
    );
    return listed.flatMap(({ secrets }: { secrets: readonly object[] }) => secrets);
  };
  /** The profile with a recipe that stores for the scope foreign by a key. */
  const storingBy = (key: string) => ({ ...profile, store: { ...byRequest, scopes: { foreign: { key } } } });
  return { profile, storingBy, foreignKey, left };
}

async function run(profile: object) {
  const { report, ...ended } = await runInto(`--profile ${profileFile(profile)} ${only}`);
  return { ...ended, report: report() };
}

it('a key for the scope foreign shows refusals across tenants without the control protocol, and cleans up', async () => {
  const { profile, storingBy, foreignKey, left } = await tenants();
  const without = await run({ ...profile, store: byRequest });
  expect(without.code).toBe(4);
  expect(idsWith(without.report, 'not-exercised')).toContain('vault-delete.404.foreign-secret');
  const { code, stdout, report, directory } = await run(storingBy(foreignKey));
  expect([code, report.run.left_behind], stdout).toEqual([0, []]);
  expect(idsWith(report, 'pass')).toEqual(
    expect.arrayContaining([foreignIntern, 'vault-delete.404.foreign-secret']),
  );
  expect(await left()).toEqual([]);
  expect(stdout + readFileSync(join(directory, 'report.json'), 'utf8')).not.toContain(foreignKey);
});

const servesOthers = replaceAnswers(isVault(404), { status: 204, headers: {} });

const deletesAnywhere = deleteThough(
  404,
  () => true,
  (call) => worldOfIntern(call)?.secrets.own.delete(nameOf(call)),
);

const takesForeign: Partial<Behaviour> = {
  removeSecret: (call) => {
    for (const { secrets } of call.server.store.worlds()) secrets.own.delete(nameOf(call));
  },
};

it.each<readonly [what: string, Partial<Behaviour>, failed: unknown]>([
  ['a delete that takes the same name of a foreign intern too', takesForeign, [onlyThisIntern]],
  ['a delete across tenants that answers 204', servesOthers, expect.arrayContaining([foreignIntern])],
  ['a refused delete across tenants that deletes', deletesAnywhere, ['vault-delete.404.keeps']],
])('a key for the scope foreign reveals %s', async (_what, behaviour, failed) => {
  const { storingBy, foreignKey } = await tenants(behaviour);
  const { code, report } = await run(storingBy(foreignKey));
  expect([code, idsWith(report, 'fail')]).toEqual([1, failed]);
});

it('a wrong key for the scope foreign reveals nothing', async () => {
  const { profile, foreignKey } = await tenants();
  const http = { ...byRequest.http, headers: { Authorization: `Bearer ${foreignKey}` } };
  const store = { ...byRequest, scopes: { foreign: { http, key: 'sk-of-nobody-at-all' } } };
  const { report } = await run({ ...profile, store });
  expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
});

it('doctor tries the key for the scope foreign', async () => {
  const { storingBy, foreignKey } = await tenants();
  const doctor = (key: string) => plumbline(['doctor', '--profile', profileFile(storingBy(key))]);
  expect((await doctor(foreignKey)).stdout).toMatch(/^ok +store\.scopes\.foreign: .* gets 204/m);
  const wrong = await doctor('sk-of-nobody-at-all');
  expect([wrong.code, wrong.stdout]).toEqual([1, expect.stringContaining('for the intern foreign, ')]);
});

it('a run leaves open what free models serve if the account has used up its requests of the day', async () => {
  const deployed = await startDeployment();
  await deployed.control('free-usage', { role: 'member', minute: 0, day: 1000 });
  const { PLUMBLINE_KEY_MEMBER = '' } = deployed.env;
  const onlyMember = {
    env: { PLUMBLINE_KEY_MEMBER },
    described: { ...deployed.described, keys: {} },
  };
  const judged = await judge(onlyMember, { flags: '--only inference.routed' });
  const { code, report, stdout } = judged;
  expect([code, idsWith(report, 'fail')], stdout).toEqual([4, []]);
  expect(findRow(report, 'inference.routed').reason).toContain('the account has used up its free requests');
});

it('a run fails nothing if somebody edits the guardrail meanwhile', async () => {
  const deployed = await startDeployment();
  let limit_usd = 0;
  const edit = () =>
    deployed.control('guardrail', { limit_usd: ++limit_usd, updated_at: new Date().toISOString() });
  const timer = setInterval(edit, 500);
  const { code, report, stdout } = await judge(deployed, { flags: '--only guardrail-read.200.*' });
  clearInterval(timer);
  expect([code, idsWith(report, 'fail'), idsWith(report, 'inconclusive')], stdout).toEqual([0, [], []]);
});

it('a run leaves open what the free model serves if that is down while the paid one is served', async () => {
  const isFree = (_answer: unknown, { inference }: Call) => inference?.model === FREE_MODEL;
  const deployed = await startDeployment({ behaviour: replaceAnswers(isFree, makeEnvelope(502)) });
  const { code, report, stdout } = await judge(deployed, { flags: '--only inference.routed' });
  expect([code, idsWith(report, 'fail')], stdout).toEqual([4, []]);
  expect(report.run.notes.join(' ')).toContain('for a free model gets 502: the model is down or limited.');
});
