import { setTimeout as sleep } from 'node:timers/promises';
import { addUsualPorts, forwardHost, methodOverrides } from '../generators/inputs.js';
import { judgeEmptyBody } from '../judge/answer-rules.js';
import type { DeleteRequest, RequestOptions } from '../judge/api.js';
import { type Check, type CheckId, type CheckOptions, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import type { Scope } from '../spec/vocabulary.js';
import { isAnswered } from '../targets/exchange.js';
import { freshName, type World } from '../targets/world.js';
import { awaitAll } from './requests.js';

// §4.1 and §7.1: what of a delete takes several requests, a wait, or a listing of what is stored to see.

const control = 'vault-delete';
const deletedBefore = 'it was deleted before';
const onlyTheNamed: RequirementId = 'vault-delete.204.only-the-named';
const onlyThisIntern: RequirementId = 'vault-delete.204.only-this-intern';

// A server that loses some of them must be given the chance to.
const parallelDeletes = 3;

/** Faults that a server may answer by rolling back, which must not bring back what an earlier delete took. */
const lateFaults = ['vault_unreachable', 'vault_bad_response', 'vault_timeout', 'route_deadline'] as const;

// Long enough for a server that takes back a delete, or does it late, to be found out.
const laterMs = 100;

/** A check that a delete leaves secrets of names like the one named. */
function keepsNeighbours(
  id: CheckId,
  groupsOf: () => readonly (readonly [named: string, ...neighbours: string[]])[],
  options: Partial<CheckOptions> = {},
): Check {
  return check(id, { control, ...options }, async ({ world, api }) => {
    for (const [name, ...neighbours] of groupsOf()) {
      for (const stored of [...neighbours, name]) await world.store('own', stored);
      await api.deleteSecret({ name }).expectControl(204);
      for (const neighbour of neighbours) await api.stillStored({ name: neighbour }, onlyTheNamed);
    }
  });
}

const ofAnyName = { sideEffects: 'names', needs: ['any-name'] } as const;

/** Checks that a 204 announces no body, and that no byte follows its head, which an HTTP client might swallow. */
function bringsNoBody(intern: 'own' | 'sibling'): readonly Check[] {
  const id = 'vault-delete.204.no-body';
  return [
    check(intern === 'own' ? id : `${id}/${intern}`, { control }, async ({ world, api }) => {
      const call = api.deleteSecret({ intern, name: await world.store(intern) });
      const exchange = await call.expectControl(204);
      call.expect(exchange, id, judgeEmptyBody(exchange));
    }),
    check(`${id}/on-the-wire${intern === 'own' ? '' : `-${intern}`}`, { control }, async ({ world, api }) => {
      const call = api.deleteSecret({ intern, name: await world.store(intern) });
      const exchange = await call.sendRaw();
      if (exchange.answer?.status !== 204)
        throw new Disturbed(`its positive control failed: ${call.describe(exchange)}`);
      call.expect({ ...exchange, answer: exchange.answer }, id, {
        ok: exchange.afterHead === '',
        expected: 'no byte after the head of a 204',
        actual: `${exchange.afterHead.length} bytes`,
      });
    }),
  ];
}

async function isListed(world: World, scope: Scope, name: string): Promise<boolean> {
  const secrets = await world.secrets();
  return secrets.some((secret) => secret.scope === scope && secret.name === name);
}

/** A check that who cannot call the vault reads nothing there either; whether such a read is routed at all is open. */
function readsNothing(id: CheckId, needs: readonly Need[], request: RequestOptions): Check {
  return check(id, { control, needs }, async ({ world, api }) => {
    const name = await world.store('own');
    for (const method of ['GET', 'HEAD']) {
      await api
        .deleteSecret({ ...request, name, method, reaches: 'perhaps' })
        .expectAnyRefusal({ because: 'no vault route serves such a request' });
    }
    await api.deleteSecret({ name }).expectControl(204);
  });
}

/** Who may not read a vault route (§4.1, §5.4), and what such a read gets, if only since there is none. */
const refusedReads = [
  { requirement: 'vault-delete.401.provisioning-key-reads', as: 'provisioning', statuses: [401, 404, 405] },
  { requirement: 'vault-delete.404.outside-programme-reads', as: 'outsider', statuses: [404, 405] },
] as const;

/** The reads that the opening of a run tries, over one secret. */
const safeMethods: Check = check(
  'vault-delete.safe-methods/chain',
  {
    control,
    also: refusedReads.map(({ requirement }) => requirement),
    decidesWhen: (offers) => [
      'vault-delete.safe-methods',
      ...refusedReads.filter(({ as }) => offers(`role:${as}`)).map(({ requirement }) => requirement),
    ],
  },
  async ({ world, api, offers }) => {
    const name = await world.store('own');
    const read = (method: string, request: Partial<DeleteRequest> = {}) =>
      api.deleteSecret({ name, method, reaches: 'perhaps', ...request });
    for (const method of ['GET', 'HEAD']) await read(method).send();
    for (const { requirement, as, statuses } of refusedReads.filter((one) => offers(`role:${one.as}`)))
      for (const of of [name, freshName()])
        await read('GET', { as, name: of }).expectStatus(statuses, { requirement, continueOnFailure: true });
    await api.stillStored({ name }, 'vault-delete.safe-methods');
  },
);

/** A check that a regional hostname is refused however a request tells it, and deletes nothing. */
function refusesHosts(
  id: CheckId,
  requests: (hosts: { readonly global: string; readonly regional: string }) => readonly RequestOptions[],
): Check {
  return check(id, { control, also: ['vault-delete.403.keeps'] }, async ({ world, api }) => {
    const name = await world.store('own');
    for (const request of requests({ global: api.globalHost(), regional: api.regionalHost() }))
      await api.deleteSecret({ name, ...request }).expectStatus(403);
    await api.stillStored({ name }, 'vault-delete.403.keeps');
  });
}

const atHost = (host: string): RequestOptions => ({
  at: { label: `the host ${host}`, host },
  reaches: 'perhaps',
});

/** The checks of §4.1 and §7.1. */
export const vaultDeleteChecks: readonly Check[] = [
  safeMethods,
  check('vault-delete.204.deleted', { control, isControl: true }, async ({ world, api }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).expectStatus(204);
  }),
  ...(['own', 'sibling'] as const).flatMap(bringsNoBody),
  check('vault-delete.204.takes-effect', { control, serial: true }, async ({ world, api }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).expectControl(204);
    for (const _time of ['second', 'third'])
      await api.deleteSecret({ name }).expectStatus(404, { because: deletedBefore });
  }),
  check('vault-delete.204.takes-effect/later', { control }, async ({ world, api, signal }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).expectControl(204);
    await sleep(laterMs, undefined, { signal });
    await api.deleteSecret({ name }).expectStatus(404, { because: `it was deleted ${laterMs} ms before` });
  }),
  check(
    'vault-delete.204.takes-effect/after-failures',
    { control, needs: ['fault:vault_unreachable'] },
    async ({ world, api, offers }) => {
      const gone = await world.store('own');
      await api.deleteSecret({ name: gone }).expectControl(204);
      const name = await world.store('own');
      for (const fault of lateFaults.filter((word) => offers(`fault:${word}`))) {
        await world.setFaults(fault);
        await api.deleteSecret({ name }).send('any');
      }
      await world.setFaults();
      const because = 'it was deleted before others failed';
      await api.deleteSecret({ name: gone }).expectStatus(404, { because });
    },
  ),
  // The first begins and ends like the one named.
  keepsNeighbours(
    onlyTheNamed,
    () => [freshName()].map((name) => [name, `${name}_${name}`, `${name}x`]),
    ofAnyName,
  ),
  keepsNeighbours(
    'vault-delete.204.only-the-named/more',
    () =>
      [freshName()].map((name) => [
        name,
        ...[`${name}_x`, `${name}1`, `x${name}`, name.slice(0, -1), name.slice(1), 'a'],
      ]),
    ofAnyName,
  ),
  // An underscore that stands for any sign, as in a pattern of SQL, would take these along.
  keepsNeighbours('vault-delete.204.only-the-named/underscore', () =>
    [freshName()].map((word) => [`${word}_a`, `${word}xa`, `${word}1a`, `${word}a`]),
  ),
  keepsNeighbours('vault-delete.204.only-the-named/long', () =>
    [32, 64, 128, 200, 255].map((length) => {
      const word = freshName()
        .repeat(20)
        .slice(0, length - 1);
      return [`${word}a`, `${word}b`];
    }),
  ),
  check(onlyThisIntern, { control }, async ({ world, api }) => {
    const name = freshName();
    const bothWays = [
      ['own', 'sibling'],
      ['sibling', 'own'],
    ] as const;
    for (const [intern, other] of bothWays) {
      await world.store(intern, name);
      await world.store(other, name);
      await api.deleteSecret({ intern, name }).expectControl(204);
      await api.stillStored({ intern: other, name }, onlyThisIntern);
    }
  }),
  // In a world where nothing else is stored: other checks may have left secrets in one that they shared.
  check(
    'vault-delete.204.only-this-intern/last-secret',
    { control, needs: ['worlds', 'intern:sibling'] },
    async ({ openWorld }) => {
      const { world, api } = await openWorld();
      const name = await world.store('own');
      const kept = await world.store('sibling');
      await api.deleteSecret({ name }).expectControl(204);
      await api.stillStored({ intern: 'sibling', name: kept }, onlyThisIntern);
    },
  ),
  check(
    'vault-delete.204.only-this-scope',
    { control, needs: ['worlds'], also: ['vault-delete.204.takes-effect', onlyTheNamed] },
    async ({ world, api, openWorld, offers }) => {
      const name = freshName();
      const other = await openWorld();
      await other.world.store('own', name);
      for (const scope of ['own', 'workspace', 'foreign'] as const) await world.store(scope, name);
      const longer = `${name}_x`;
      const elsewhere = (['sibling', 'workspace', 'foreign'] as const).filter((scope) =>
        offers(`scope:${scope}`),
      );
      for (const scope of elsewhere) await world.store(scope, longer);
      const call = api.deleteSecret({ name });
      const exchange = await call.expectControl(204);
      for (const scope of ['workspace', 'foreign'] as const) {
        call.expect(exchange, 'vault-delete.204.only-this-scope', {
          ok: await isListed(world, scope, name),
          expected: `the secret of the same name in the scope ${scope} to stay`,
          actual: 'the control protocol no longer lists it',
        });
      }
      for (const scope of elsewhere) {
        call.expect(exchange, onlyTheNamed, {
          ok: await isListed(world, scope, longer),
          expected: `the secret of a longer name in the scope ${scope} to stay`,
          actual: 'the control protocol no longer lists it',
        });
      }
      const because = 'it was deleted before, though the workspace has its name';
      await api.deleteSecret({ name }).expectStatus(404, {
        requirement: 'vault-delete.204.takes-effect',
        because,
        continueOnFailure: true,
      });
      await other.api.stillStored({ name }, 'vault-delete.204.only-this-scope');
    },
  ),
  check(
    'vault-delete.204.only-this-scope/no-intern',
    { control, needs: ['inspect', 'scope:workspace'] },
    async ({ world, api }) => {
      const name = await world.store('workspace');
      const call = api.deleteSecret({ intern: { label: 'no internId', raw: '' }, name, reaches: 'perhaps' });
      const exchange = await call.send();
      if (!isAnswered(exchange)) throw new Disturbed(call.describe(exchange));
      call.expect(exchange, 'vault-delete.204.only-this-scope', {
        ok: await isListed(world, 'workspace', name),
        expected: 'the secret of the workspace to stay',
        actual: 'the control protocol no longer lists it',
      });
    },
  ),
  check('vault-delete.204.only-the-named/another-url', { control }, async ({ world, api }) => {
    const other = await world.store('own');
    // A proxy may set these; whoever sends them from outside must not choose the secret with them.
    for (const header of ['X-Original-URL', 'X-Rewrite-URL']) {
      const path = `/v1/vault/interns/${world.intern('own')}/secrets/${other}`;
      await api.deleteSecret({ name: await world.store('own'), headers: { [header]: path } }).send();
    }
    await api.stillStored({ name: other }, 'vault-delete.204.only-the-named');
  }),
  check('vault-delete.204.parallel', { control }, async ({ world, api }) => {
    const names = Array.from({ length: parallelDeletes }, freshName);
    for (const name of names) await world.store('own', name);
    const all = (status: 204 | 404, because: string) =>
      awaitAll(
        names.map((name) => api.deleteSecret({ name })).map((call) => call.expectStatus(status, { because })),
      );
    await all(204, 'it is stored');
    await all(404, 'it was deleted among others at the same time');
  }),
  check('vault-delete.204.stored-again', { control }, async ({ world, api }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).expectControl(204);
    for (const _round of ['second', 'third']) {
      await world.store('own', name);
      await api.deleteSecret({ name }).expectStatus(204, { because: 'it was stored again' });
      await api.deleteSecret({ name }).expectStatus(404, { because: 'it was deleted again' });
    }
  }),

  readsNothing('vault-delete.401.provisioning-key/reads', ['role:provisioning'], { as: 'provisioning' }),
  readsNothing('vault-delete.403.no-scope/reads', ['role:unscoped'], { as: 'unscoped' }),
  readsNothing('vault-delete.403.regional-host/reads', ['regional'], { at: 'regional' }),
  // A proxy may set these headers; whoever sends them from outside must not choose the host with them.
  refusesHosts('vault-delete.403.regional-host/forwarded', ({ global }) =>
    forwardHost(global).map(({ headers = {} }) => ({ at: 'regional', headers })),
  ),
  refusesHosts('vault-delete.403.regional-host-spelling/usual-ports', ({ regional }) =>
    addUsualPorts(regional).map(atHost),
  ),
  check('vault-delete.403.regional-host-dot', { control }, async ({ world, api }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name, ...atHost(`${api.regionalHost()}.`) }).expectStatus(403);
  }),
  check('vault-delete.safe-methods/overridden', { control }, async ({ world, api }) => {
    const name = await world.store('own');
    for (const { query = '', headers = {} } of methodOverrides)
      await api.deleteSecret({ name, method: 'GET', query, headers, reaches: 'perhaps' }).send();
    await api.stillStored({ name }, 'vault-delete.safe-methods');
  }),
  check(
    'vault-delete.404.other-workspace',
    { control, also: ['vault-delete.404.keeps'] },
    async ({ world, api, openWorld }) => {
      const other = await openWorld();
      const name = await other.world.store('own');
      const own = await world.store('own', name);
      const intern = { label: "another workspace's intern", raw: other.world.intern('own') };
      await api
        .deleteSecret({ intern, name })
        .expectStatus(404, { because: 'the intern is not in the workspace of the key' });
      await other.api.stillStored({ name }, 'vault-delete.404.keeps');
      await api.stillStored({ name: own }, 'vault-delete.404.keeps');
    },
  ),
];
