import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Behaviour } from '../../reference/behaviour.js';
import { nameOf, worldOfIntern } from '../../reference/mutants/conditions.js';
import { deleteThough } from '../../reference/mutants/vault-mutations.js';
import { isVault, replaceAnswers } from '../behaviours.js';
import { idsWith } from '../report-rows.js';
import { serveReference } from '../servers.js';
import { plumbline, runInto } from './plumbline-process.js';
import { byRequest, profileFile } from './profile-deployment.js';

const foreignIntern = 'vault-delete.404.foreign-intern';
const only = '--only vault-delete.404.{foreign-*,keeps} --only vault-delete.204.deleted --cases 1';

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

it.each<readonly [what: string, Partial<Behaviour>, failed: unknown]>([
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
