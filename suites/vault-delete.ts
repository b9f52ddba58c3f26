import { setTimeout as sleep } from 'node:timers/promises';
import { emptyBody } from '../judge/answer-rules.js';
import type { DeleteRequest } from '../judge/api.js';
import { type Check, type CheckId, type CheckOptions, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import { together } from '../judge/together.js';
import type { Scope } from '../spec/vocabulary.js';
import { isAnswered } from '../targets/exchange.js';
import { freshName } from '../targets/fresh-name.js';
import { NotShown, type World } from '../targets/world.js';

// §4.1 and §7.1: deleting a secret of an intern.

const control = 'vault-delete';

/** Who may not read a vault route (§4.1, §5.4), and what such a read gets, if only since there is none. */
export const refusedReads = [
  { requirement: 'vault-delete.401.provisioning-key-reads', as: 'provisioning', statuses: [401, 404, 405] },
  { requirement: 'vault-delete.404.outside-programme-reads', as: 'outsider', statuses: [404, 405] },
] as const;

/** A check that who cannot call the vault reads nothing there either; whether such a read is routed at all is open. */
function readsNothing(
  id: CheckId,
  needs: CheckOptions['needs'],
  request: Omit<DeleteRequest, 'name'>,
): Check {
  return check(id, { control, needs: needs ?? [] }, async ({ world, api }) => {
    const name = await world.store('own');
    for (const method of ['GET', 'HEAD']) {
      await api
        .deleteSecret({ ...request, name, method, reaches: 'perhaps' })
        .isRefused({ because: 'no vault route serves such a request' });
    }
    await api.deleteSecret({ name }).holds(204);
  });
}

/** A check that reads of a stored and of an absent secret are refused with one of some statuses. */
function refusesReads({ requirement, as, statuses }: (typeof refusedReads)[number]): Check {
  return check(requirement, { control }, async ({ world, api }) => {
    const name = await world.store('own');
    for (const read of [name, freshName()])
      await api.deleteSecret({ name: read, method: 'GET', as, reaches: 'perhaps' }).answers(statuses);
    await api.deleteSecret({ name }).holds(204);
  });
}

/** Throws unless a world lists a secret; where it cannot be listed nothing is said. */
async function isListed(world: World, scope: Scope, name: string): Promise<boolean> {
  const secrets = await world.secrets();
  return secrets.some((secret) => secret.scope === scope && secret.name === name);
}

// A server that loses some of them must be given the chance to.
const parallelDeletes = 3;

/** Faults that a server may answer by rolling back, which must not bring back what an earlier delete took. */
const lateFaults = ['vault_unreachable', 'vault_bad_response', 'vault_timeout', 'route_deadline'] as const;

// Long enough for a server that takes back a delete, or does it late, to be found out.
const laterMs = 100;

/** A check that a delete leaves secrets of names like the one named. */
function keepsNeighbours(id: CheckId, neighboursOf: (name: string) => readonly string[]): Check {
  return check(id, { control, altersWorld: 'names', needs: ['any-name'] }, async ({ world, api }) => {
    const name = freshName();
    const neighbours = neighboursOf(name);
    for (const neighbour of neighbours) await world.store('own', neighbour);
    await world.store('own', name);
    await api.deleteSecret({ name }).holds(204);
    for (const neighbour of neighbours)
      await api.stillStored({ name: neighbour }, 'vault-delete.204.only-the-named');
  });
}

/** A check that a 204 announces no body, and brings none that an HTTP client would read. */
function announcesNoBody(intern: 'own' | 'sibling'): Check {
  const id = 'vault-delete.204.no-body';
  return check(intern === 'own' ? id : `${id}/${intern}`, { control }, async ({ world, api }) => {
    const call = api.deleteSecret({ intern, name: await world.store(intern) });
    const exchange = await call.holds(204);
    call.judges(exchange, id, emptyBody(exchange));
  });
}

/** A check that no byte follows the head of a 204, seen without an HTTP client that might swallow it. */
function bringsNoByte(intern: 'own' | 'sibling'): Check {
  const id = 'vault-delete.204.no-body';
  return check(
    `${id}/on-the-wire${intern === 'own' ? '' : `-${intern}`}`,
    { control },
    async ({ world, api }) => {
      const call = api.deleteSecret({ intern, name: await world.store(intern) });
      const exchange = await call.sendRaw();
      if (exchange.answer?.status !== 204)
        throw new Disturbed(`its positive control failed: ${call.told(exchange)}`);
      call.judges({ ...exchange, answer: exchange.answer }, id, {
        holds: exchange.afterHead === '',
        expected: 'no byte after the head of a 204',
        actual: `${exchange.afterHead.length} bytes`,
      });
    },
  );
}

/** The checks of §4.1 and §7.1. */
export const vaultDeleteChecks: readonly Check[] = [
  check('vault-delete.204.deleted', { control, isControl: true }, async ({ world, api }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).answers(204);
  }),
  ...(['own', 'sibling'] as const).map(announcesNoBody),
  ...(['own', 'sibling'] as const).map(bringsNoByte),
  check('vault-delete.204.takes-effect', { control, alone: true }, async ({ world, api }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).holds(204);
    await api.deleteSecret({ name }).answers(404, { because: 'it was deleted before' });
    await api.deleteSecret({ name }).answers(404, { because: 'it was deleted before' });
  }),
  check(
    'vault-delete.204.takes-effect/sibling',
    { control, alone: true, needs: ['intern:sibling'] },
    async ({ world, api }) => {
      const name = await world.store('sibling');
      await api.deleteSecret({ intern: 'sibling', name }).holds(204);
      await api.deleteSecret({ intern: 'sibling', name }).answers(404, { because: 'it was deleted before' });
    },
  ),
  check('vault-delete.204.takes-effect/later', { control }, async ({ world, api, signal }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).holds(204);
    await sleep(laterMs, undefined, { signal });
    await api.deleteSecret({ name }).answers(404, { because: `it was deleted ${laterMs} ms before` });
  }),
  check('vault-delete.204.takes-effect/listed', { control, needs: ['inspect'] }, async ({ world, api }) => {
    const name = await world.store('own');
    if (!(await isListed(world, 'own', name)))
      throw new Disturbed('the control protocol does not list what was stored');
    const call = api.deleteSecret({ name });
    const exchange = await call.holds(204);
    const listed = await isListed(world, 'own', name);
    call.judges(exchange, 'vault-delete.204.takes-effect', {
      holds: !listed,
      expected: 'the secret to be gone',
      actual: 'the control protocol still lists it',
    });
  }),
  check(
    'vault-delete.204.takes-effect/after-failures',
    { control, needs: ['fault:vault_unreachable'] },
    async ({ world, api, offers }) => {
      const gone = await world.store('own');
      await api.deleteSecret({ name: gone }).holds(204);
      const name = await world.store('own');
      for (const fault of lateFaults.filter((word) => offers(`fault:${word}`))) {
        await world.setFaults(fault);
        await api.deleteSecret({ name }).send('any');
      }
      await world.setFaults();
      const because = 'it was deleted before others failed';
      await api.deleteSecret({ name: gone }).answers(404, { because });
    },
  ),
  // The first begins and ends like the one named.
  keepsNeighbours('vault-delete.204.only-the-named', (name) => [`${name}_${name}`, `${name}x`]),
  keepsNeighbours('vault-delete.204.only-the-named/more', (name) => [
    `${name}_x`,
    `${name}1`,
    `x${name}`,
    name.slice(0, -1),
    name.slice(1),
    'a',
  ]),
  check('vault-delete.204.only-the-named/underscore', { control }, async ({ world, api }) => {
    // An underscore that stands for any sign, as in a pattern of SQL, would take these along.
    const word = freshName();
    const neighbours = [`${word}xa`, `${word}1a`, `${word}a`];
    for (const neighbour of neighbours) await world.store('own', neighbour);
    await world.store('own', `${word}_a`);
    await api.deleteSecret({ name: `${word}_a` }).holds(204);
    for (const neighbour of neighbours)
      await api.stillStored({ name: neighbour }, 'vault-delete.204.only-the-named');
  }),
  check('vault-delete.204.only-the-named/long', { control }, async ({ world, api }) => {
    for (const length of [32, 64, 128, 200, 255]) {
      const word = freshName()
        .repeat(20)
        .slice(0, length - 1);
      await world.store('own', `${word}a`);
      await world.store('own', `${word}b`);
      await api.deleteSecret({ name: `${word}a` }).holds(204);
      await api.stillStored({ name: `${word}b` }, 'vault-delete.204.only-the-named');
    }
  }),
  check('vault-delete.204.only-this-intern', { control }, async ({ world, api }) => {
    const name = freshName();
    const bothWays = [
      ['own', 'sibling'],
      ['sibling', 'own'],
    ] as const;
    for (const [intern, other] of bothWays) {
      await world.store(intern, name);
      await world.store(other, name);
      await api.deleteSecret({ intern, name }).holds(204);
      await api.stillStored({ intern: other, name }, 'vault-delete.204.only-this-intern');
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
      await api.deleteSecret({ name }).holds(204);
      await api.stillStored({ intern: 'sibling', name: kept }, 'vault-delete.204.only-this-intern');
    },
  ),
  check(
    'vault-delete.204.only-this-scope',
    {
      control,
      needs: ['worlds'],
      also: ['vault-delete.204.takes-effect', 'vault-delete.204.only-the-named'],
    },
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
      const exchange = await call.holds(204);
      for (const scope of ['workspace', 'foreign'] as const) {
        call.judges(exchange, 'vault-delete.204.only-this-scope', {
          holds: await isListed(world, scope, name),
          expected: `the secret of the same name in the scope ${scope} to stay`,
          actual: 'the control protocol no longer lists it',
        });
      }
      for (const scope of elsewhere) {
        call.judges(exchange, 'vault-delete.204.only-the-named', {
          holds: await isListed(world, scope, longer),
          expected: `the secret of a longer name in the scope ${scope} to stay`,
          actual: 'the control protocol no longer lists it',
        });
      }
      const because = 'it was deleted before, though the workspace has its name';
      await api
        .deleteSecret({ name })
        .answers(404, { requirement: 'vault-delete.204.takes-effect', because, goesOn: true });
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
      if (!isAnswered(exchange)) throw new Disturbed(call.told(exchange));
      call.judges(exchange, 'vault-delete.204.only-this-scope', {
        holds: await isListed(world, 'workspace', name),
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
    const deletes = names.map((name) => api.deleteSecret({ name }));
    await together(deletes.map((call) => call.answers(204, { because: 'it is stored' })));
    const again = names.map((name) => api.deleteSecret({ name }));
    await together(
      again.map((call) => call.answers(404, { because: 'it was deleted among others at the same time' })),
    );
  }),
  check('vault-delete.204.stored-again', { control }, async ({ world, api }) => {
    const name = await world.store('own');
    await api.deleteSecret({ name }).holds(204);
    for (const _round of ['second', 'third']) {
      await world.store('own', name);
      await api.deleteSecret({ name }).answers(204, { because: 'it was stored again' });
      await api.deleteSecret({ name }).answers(404, { because: 'it was deleted again' });
    }
  }),

  check(
    'vault-delete.400.body/of-other-types',
    { control, also: ['vault-delete.400.keeps', 'vault-delete.204.takes-effect'] },
    async ({ world, api }) => {
      const bodies = [
        { text: 'text', type: 'text/plain' },
        { text: 'name=other', type: 'application/x-www-form-urlencoded' },
      ];
      for (const body of bodies) {
        const name = await world.store('own');
        const { answer } = await api.deleteSecret({ name, body }).answers([204, 400]);
        if (answer.status === 400) await api.stillStored({ name }, 'vault-delete.400.keeps');
        else await api.deleteSecret({ name }).answers(404, { requirement: 'vault-delete.204.takes-effect' });
      }
    },
  ),

  readsNothing('vault-delete.401.provisioning-key/reads', ['role:provisioning'], { as: 'provisioning' }),
  readsNothing('vault-delete.403.no-scope/reads', ['role:unscoped'], { as: 'unscoped' }),
  check(
    'vault-delete.403.regional-host/forwarded',
    { control, also: ['vault-delete.403.keeps'] },
    async ({ world, api }) => {
      const name = await world.store('own');
      const host = api.globalHost();
      // A proxy may set these; whoever sends them from outside must not choose the host with them.
      for (const headers of [{ 'X-Forwarded-Host': host }, { Forwarded: `host=${host}` }, { 'X-Host': host }])
        await api.deleteSecret({ name, at: 'regional', headers }).answers(403);
      await api.stillStored({ name }, 'vault-delete.403.keeps');
    },
  ),
  check('vault-delete.safe-methods/overridden', { control }, async ({ world, api }) => {
    const name = await world.store('own');
    for (const header of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])
      await api
        .deleteSecret({ name, method: 'GET', headers: { [header]: 'DELETE' }, reaches: 'perhaps' })
        .send();
    await api.deleteSecret({ name, method: 'GET', query: '?_method=DELETE', reaches: 'perhaps' }).send();
    await api.stillStored({ name }, 'vault-delete.safe-methods');
  }),
  readsNothing('vault-delete.403.regional-host/reads', ['regional'], { at: 'regional' }),
  check(
    'vault-delete.403.regional-host-spelling/usual-ports',
    { control, also: ['vault-delete.403.keeps'] },
    async ({ world, api }) => {
      const name = await world.store('own');
      const regional = api.regionalHost();
      for (const host of [`${regional}:443`, `${regional}:80`, `${regional.toUpperCase()}:443`]) {
        await api
          .deleteSecret({ name, at: { label: `the host ${host}`, host }, reaches: 'perhaps' })
          .answers(403);
      }
      await api.stillStored({ name }, 'vault-delete.403.keeps');
    },
  ),
  check('vault-delete.403.regional-host-dot', { control }, async ({ world, api }) => {
    const host = `${api.regionalHost()}.`;
    await api
      .deleteSecret({
        name: await world.store('own'),
        at: { label: `the host ${host}`, host },
        reaches: 'perhaps',
      })
      .answers(403);
  }),

  ...(
    [
      ['workspace', 'workspace', 'own'],
      ['foreign', 'foreign', 'own'],
      ['foreign-intern', 'foreign', 'foreign'],
    ] as const
  ).map(([word, scope, intern]) =>
    check(
      `vault-delete.404.keeps/${word}`,
      { control, needs: ['inspect', `scope:${scope}`] },
      async ({ world, api }) => {
        const name = await world.store(scope);
        const call = api.deleteSecret({ intern, name });
        const exchange = await call.send();
        if (exchange.answer?.status !== 404) throw new NotShown('the delete was not refused with 404');
        call.judges({ ...exchange, answer: exchange.answer }, 'vault-delete.404.keeps', {
          holds: await isListed(world, scope, name),
          expected: `the secret in the scope ${scope} to stay`,
          actual: 'the control protocol no longer lists it',
        });
      },
    ),
  ),
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
        .answers(404, { because: 'the intern is not in the workspace of the key' });
      await other.api.stillStored({ name }, 'vault-delete.404.keeps');
      await api.stillStored({ name: own }, 'vault-delete.404.keeps');
    },
  ),
  ...refusedReads.map(refusesReads),
];
