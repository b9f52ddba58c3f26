import { beforeAll, describe, expect, it } from 'vitest';
import type { Report } from '../../spec/report.js';
import { endingAfterwards } from '../ended-with-test.js';
import { idsWith } from './plumbline-process.js';
import { byRequest, type Deployment, judge, startDeployment } from './profile-deployment.js';
import { behaveAsMutant } from './servers.js';

/** Parses a request for a secret; returns undefined for any other request. */
function secretOf({ target }: Deployment['seen'][number]) {
  const match = /^\/v1\/vault\/interns\/([^/?]*)\/secrets\/([^/?]*)(?:\?|$)/.exec(target);
  return match === null ? undefined : { intern: match[1] ?? '', name: match[2] ?? '' };
}

function vaultRequests({ seen }: Deployment) {
  return seen.filter(({ target }) => target.includes('/vault'));
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

// Depth deep includes the requests of depth standard.
describe.each(['quick', 'deep'])('requests to a tenant that others use, at depth %s', (depth) => {
  let deployed: Deployment;
  let report: Report;
  let left: readonly string[];
  beforeAll(() =>
    endingAfterwards(async () => {
      deployed = await withSomebodysSecrets(await startDeployment());
      const limits = depth === 'quick' ? [] : ['--cases', '2'];
      const flags = ['--depth', depth, ...limits];
      ({ report } = await judge(deployed, { profile: { store: byRequest }, flags }));
      left = await deployed.stored();
    }),
  );

  it('a run fails nothing and leaves nothing inconclusive', () => {
    expect([idsWith(report, 'fail'), idsWith(report, 'inconclusive')]).toEqual([[], []]);
    expect([report.verdict, report.gate.exit_code, report.run.complete]).toEqual(['incomplete', 4, true]);
  });

  it('a run stores only names with its own prefix', () => {
    const prefix = prefixOf(deployed);
    const stored = deployed.seen.filter(({ method }) => method === 'PUT');
    expect(stored.length).toBeGreaterThan(30);
    expect(stored.filter((request) => secretOf(request)?.name.startsWith(prefix) !== true)).toEqual([]);
  });

  it('a run deletes only names with its own prefix, or illegal names that contain it', () => {
    const prefix = prefixOf(deployed);
    const deleted = deployed.seen.filter(({ method }) => method === 'DELETE');
    expect(deleted.length).toBeGreaterThan(60);
    const foreign = deleted.filter(
      (request) => secretOf(request)?.name.toLowerCase().includes(prefix) !== true,
    );
    expect(foreign).toEqual([]);
    const legal = deleted.flatMap((request) => secretOf(request)?.name ?? []).filter(isLegal);
    expect(legal.filter((name) => !name.startsWith(prefix))).toEqual([]);
  });

  it('a run sends no path that a router may send elsewhere', () => {
    const all = vaultRequests(deployed);
    expect(all.filter((request) => secretOf(request) === undefined)).toEqual([]);
    const ambiguous = /%2f|%5c|\/\/|\\|(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$)|\/(?:\?|$)/i;
    expect(all.filter(({ target }) => ambiguous.test(target))).toEqual([]);
    const methods = new Set(all.map(({ method }) => method));
    expect([...methods].sort()).toEqual(['DELETE', 'GET', 'HEAD', 'PUT'].filter((one) => methods.has(one)));
  });

  it('a run keeps the secrets of others and leaves none of its own', () => {
    const all = ['workspace', 'own', 'sibling', 'foreign'].flatMap((scope) =>
      somebodys.map((name) => `${scope}/${name}`),
    );
    expect([...left].sort()).toEqual(all.sort());
  });
});

function isLegal(name: string): boolean {
  return name.length <= 255 && /^(?!.*__)[a-z]([a-z0-9_]*[a-z0-9])?$/.test(name);
}

describe.each(['vault-delete.percent-u-decoded', 'secret-name.decodes-twice'])(
  'a server with the fault %s',
  (id) => {
    it('a run loses no secret of others to a faulty server', async () => {
      const deployed = await withSomebodysSecrets(await startDeployment({ behaviour: behaveAsMutant(id) }));
      const before = await deployed.stored();
      const { code } = await judge(deployed, {
        profile: { store: byRequest },
        flags: ['--only', '{vault-delete.400,secret-name.refuses}.*', '--cases', '5'],
      });
      expect([0, 1, 4]).toContain(code);
      const after = await deployed.stored();
      expect(before.filter((secret) => !after.includes(secret))).toEqual([]);
    });
  },
);

describe('disposable interns', () => {
  it.each(['quick', 'standard'])(
    'a run uses names of any kind on a disposable intern at depth %s',
    async (depth) => {
      const deployed = await startDeployment();
      const { code, report } = await judge(deployed, {
        profile: { store: byRequest, disposable_interns: ['own', 'sibling'] },
        flags: ['--depth', depth, '--only', 'secret-name.accepts.*', '--cases', '5'],
      });
      expect(report.totals).toMatchObject({ fail: 0, inconclusive: 0 });
      expect([0, 4]).toContain(code);
      const shortest = report.requirements.find(({ id }) => id === 'secret-name.accepts.shortest');
      const oneLetter = deployed.seen.filter((request) => secretOf(request)?.name.length === 1);
      // A name with a prefix is never this short.
      expect([shortest?.status, oneLetter.length > 0]).toEqual(['pass', true]);
      expect(await deployed.stored()).toEqual([]);
    },
  );
});

// An address of this machine that is not recognized as loopback.
const elsewhere = ({ described, baseUrl }: Deployment) => ({
  ...(described.target as object),
  base_url: baseUrl.replace('127.0.0.1', '0.0.0.0'),
});

describe('a target that is not on loopback', () => {
  it('a run sends a remote target no DELETE, secret or inference request without permission', async () => {
    const deployed = await startDeployment();
    const { code, report } = await judge(deployed, {
      profile: { target: elsewhere(deployed), store: byRequest },
    });
    expect([code, report.totals.fail]).toEqual([4, 0]);
    const other = deployed.seen.filter(({ method }) => method !== 'GET' && method !== 'HEAD');
    expect(other).toEqual([]);
    expect(vaultRequests(deployed)).toEqual([]);
    expect(deployed.seen.length).toBeGreaterThan(50);
    const reasons = new Set(report.requirements.map(({ reason }) => reason ?? ''));
    expect([...reasons].some((reason) => reason.includes('--allow-destructive'))).toBe(true);
    expect([...reasons].some((reason) => reason.includes('--inference'))).toBe(true);
  });

  it('a run sends a remote target no DELETE of an already stored name without permission', async () => {
    const deployed = await startDeployment();
    await deployed.store('own', 'plumb_one');
    const store = { names: { own: ['plumb_one'] } };
    await judge(deployed, { profile: { target: elsewhere(deployed), store }, flags: ['--depth', 'quick'] });
    expect(vaultRequests(deployed)).toEqual([]);
    expect(await deployed.stored()).toEqual(['own/plumb_one']);
  });

  it('a run sends a remote target only the kinds of request that were permitted', async () => {
    const profile = (deployed: Deployment) => ({ target: elsewhere(deployed), store: byRequest });
    const destroyed = await startDeployment();
    const destructive = ['--depth', 'quick', '--allow-destructive'];
    await judge(destroyed, { profile: profile(destroyed), flags: destructive });
    const methods = destroyed.seen.map(({ method }) => method);
    expect(methods).toContain('DELETE');
    expect(methods).not.toContain('POST');
    expect(await destroyed.stored()).toEqual([]);
    const paid = await startDeployment();
    await judge(paid, { profile: profile(paid), flags: ['--depth', 'quick', '--inference'] });
    expect(vaultRequests(paid)).toEqual([]);
    expect(paid.seen.map(({ method }) => method)).toContain('POST');
  });
});
