import { describe, expect, it } from 'vitest';
import { behaveAsMutant } from '../behaviours.js';
import { isLegal } from '../generators/name-rules.js';
import { findRow, idsWith } from '../report-rows.js';
import { byRequest, type Deployment, judge, startDeployment } from './profile-deployment.js';

function secretOf({ target }: Deployment['seen'][number]) {
  // The first letter of the route may be encoded.
  const match = /^\/v1\/(?:v|%76)ault\/interns\/([^/?]*)\/secrets\/([^/?]*)(?:\?|$)/.exec(target);
  return match === null ? undefined : { intern: match[1] ?? '', name: match[2] ?? '' };
}

function vaultRequests({ seen }: Deployment) {
  return seen.filter(({ target }) => /\/(?:v|%76)ault/.test(target));
}

/** Returns the prefix of the run, which most names have. */
function prefixOf(deployed: Deployment): string {
  const stored = deployed.seen.find(({ method }) => method === 'PUT');
  return /plumb[aeio]{8}/.exec(stored?.target ?? '')?.[0] ?? 'nothing was stored';
}

const somebodys = ['a', 'name', 'foo_bar', 'api_key_1', 'constructor', 'plumb', 'production_key'];

async function withSomebodysSecrets(deployed: Deployment): Promise<Deployment> {
  for (const scope of ['own', 'sibling', 'workspace', 'foreign'])
    for (const name of somebodys) await deployed.store(scope, name);
  return deployed;
}

it('a run on a tenant that others use stores and deletes only names with its own prefix, and leaves none', async () => {
  // Depth deep includes the requests of the others; checks of other areas have no business in the vault.
  const flags = '--depth deep --cases 2 --only {vault-delete,secret-name,secrecy,auth,envelope}.**';
  const deployed = await withSomebodysSecrets(await startDeployment());
  const before = await deployed.stored();
  const { report } = await judge(deployed, { profile: { store: byRequest }, flags });
  expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
  expect([report.verdict, report.gate.exit_code, report.run.complete]).toEqual(['incomplete', 4, true]);
  expect((await deployed.stored()).toSorted()).toEqual(before.toSorted());

  const prefix = prefixOf(deployed);
  const namesOf = (method: string) =>
    deployed.seen.filter((one) => one.method === method).map((request) => secretOf(request)?.name ?? '');
  const stored = namesOf('PUT');
  expect(stored.length).toBeGreaterThan(30);
  expect(stored.filter((name) => !name.startsWith(prefix))).toEqual([]);
  const deleted = namesOf('DELETE');
  expect(deleted.length).toBeGreaterThan(60);
  expect(deleted.filter((name) => !name.toLowerCase().includes(prefix))).toEqual([]);
  expect(deleted.filter((name) => isLegal(name) && !name.startsWith(prefix))).toEqual([]);

  const all = vaultRequests(deployed);
  expect(all.filter((request) => secretOf(request) === undefined)).toEqual([]);
  const ambiguous = /%2f|%5c|\/\/|\\|(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$)|\/(?:\?|$)/i;
  expect(all.filter(({ target }) => ambiguous.test(target))).toEqual([]);
  const usual = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
  expect(all.filter(({ method }) => !usual.includes(method))).toEqual([]);
  const written = all.filter(({ method }) => method === 'POST' || method === 'PATCH');
  expect(written.filter((request) => !secretOf(request)?.name.startsWith(prefix))).toEqual([]);
});

const decoding = ['vault-delete.percent-u-decoded', 'secret-name.decodes-twice'];
it.each(decoding)('a run loses no secret of others to a server with the fault %s', async (id) => {
  const deployed = await withSomebodysSecrets(await startDeployment({ behaviour: behaveAsMutant(id) }));
  const before = await deployed.stored();
  const flags = '--only {vault-delete.400,secret-name.refuses}.* --cases 5';
  const { code } = await judge(deployed, { profile: { store: byRequest }, flags });
  expect([0, 1, 4]).toContain(code);
  expect(await deployed.stored()).toEqual(expect.arrayContaining([...before]));
});

it.each(['quick', 'standard'])('a run of depth %s uses any name on a disposable intern', async (depth) => {
  const deployed = await startDeployment();
  const { code, report } = await judge(deployed, {
    profile: { store: byRequest, disposable_interns: ['own', 'sibling'] },
    flags: `--depth ${depth} --only secret-name.accepts.* --cases 5`,
  });
  expect([report.totals.fail, report.totals.inconclusive]).toEqual([0, 0]);
  expect([0, 4]).toContain(code);
  expect(findRow(report, 'secret-name.accepts.shortest').status).toBe('pass');
  // A name with a prefix is never this short.
  expect(deployed.seen.filter((request) => secretOf(request)?.name.length === 1)).not.toEqual([]);
  expect(await deployed.stored()).toEqual([]);
});

describe('a target that is not on loopback', () => {
  /** Judges a deployment at an address of this machine that is not recognized as loopback. */
  async function judgeElsewhere(deployed: Deployment, flags: string) {
    const base_url = deployed.baseUrl.replace('127.0.0.1', '0.0.0.0');
    const target = { ...deployed.described.target, base_url };
    const judged = await judge(deployed, { profile: { target, store: byRequest }, flags });
    return { ...judged, methods: new Set(deployed.seen.map(({ method }) => method)) };
  }

  it('a run sends a remote target no DELETE, secret or inference request without permission', async () => {
    const deployed = await startDeployment();
    const { code, report, methods } = await judgeElsewhere(deployed, '--cases 3');
    expect([code, report.totals.fail]).toEqual([4, 0]);
    expect([...methods].filter((method) => method !== 'GET' && method !== 'HEAD')).toEqual([]);
    expect(vaultRequests(deployed)).toEqual([]);
    expect(deployed.seen.length).toBeGreaterThan(50);
    const reasons = report.requirements.map(({ reason }) => reason).join();
    expect(reasons).toContain('--allow-destructive');
    expect(reasons).toContain('--inference');
  });

  it('a run sends a remote target only the kinds of request that were permitted', async () => {
    const destroyed = await startDeployment();
    const { methods } = await judgeElsewhere(destroyed, '--depth quick --allow-destructive');
    expect([methods.has('DELETE'), methods.has('POST')]).toEqual([true, false]);
    expect(await destroyed.stored()).toEqual([]);
    const paid = await startDeployment();
    const inferring = await judgeElsewhere(paid, '--depth quick --inference');
    expect([vaultRequests(paid), inferring.methods.has('POST')]).toEqual([[], true]);
  });
});
