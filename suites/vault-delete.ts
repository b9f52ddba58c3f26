import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRole } from '../generators/credential.js';
import { encodeHyphens, otherVersionIds } from '../generators/ids.js';
import { addPorts, anOrigin, forwardHost, methodOverrides } from '../generators/inputs.js';
import { joinedNames } from '../generators/name-catalogue.js';
import type { Api, CheckContext, RequestOptions } from '../judge/api.js';
import { awaitAll } from '../judge/attempt.js';
import type { Call } from '../judge/call.js';
import { type Check, type CheckId, type CheckOptions, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { type Intern, interns, type Scope } from '../spec/vocabulary.js';
import { type Exchange, isAnswered } from '../targets/exchange.js';
import { freshName, NotShown, type World } from '../targets/world.js';
import { setIfAccepted } from './field-values.js';
import { laterMs, misplaceIds, runDuringFaults } from './requests.js';

// §4.1 and §7.1: checks of deletes that take several requests, a wait, or a listing of what is stored.

const deleted: RequirementId = 'vault-delete.204.deleted';
const takesEffect: RequirementId = 'vault-delete.204.takes-effect';
const onlyTheNamed: RequirementId = 'vault-delete.204.only-the-named';
const onlyThisIntern: RequirementId = 'vault-delete.204.only-this-intern';
const onlyThisScope: RequirementId = 'vault-delete.204.only-this-scope';
const refusalKeeps: RequirementId = 'vault-delete.404.keeps';
const safeMethods: RequirementId = 'vault-delete.safe-methods';
const reaches = 'perhaps';

function checkSecret(
  id: CheckId,
  options: Partial<CheckOptions>,
  run: (name: string, context: CheckContext) => Promise<unknown>,
): Check {
  return check(id, { ...options }, async (context) => run(await context.world.store('own'), context));
}

function checkDeleted(
  id: CheckId,
  options: Partial<CheckOptions>,
  run: (name: string, context: CheckContext) => Promise<unknown>,
): Check {
  return checkSecret(id, options, async (name, context) => {
    await context.api.deleteSecret({ name }).expectControl(204);
    await run(name, context);
  });
}

const expectGone = (api: Api, name: string, because = 'it was deleted before') =>
  api.deleteSecret({ name }).expectStatus(404, { because });

// ── What a delete removes ──

/** Faults that a server may answer with a rollback, which must not restore a secret that was deleted before. */
const lateFaults = ['vault_unreachable', 'vault_bad_response', 'vault_timeout', 'route_deadline'] as const;
/** Values that a careless server handles differently; the first are as long as a private key and a bundle of keys. */
const unusualValues = {
  'large-value': randomBytes(1_000).toString('hex'),
  'huge-value': randomBytes(5_000).toString('hex'),
  'value-of-lines': '\r\nsecond\nthird\r\n',
  'value-beyond-ascii': 'Größe 日本語 \u{1f511}',
};
// Most lists are read in pages of 10, 20 or 25.
const moreThanAPage = 26;
// Enough for a server that loses some of them to do so.
const parallelDeletes = 4;
// Requests of other checks keep some of them from being in flight together.
const manyParallelDeletes = 12;

/** Checks that no byte follows the head of a 204, which an HTTP client might hide. */
function checkNoBody(intern: 'own' | 'sibling'): Check {
  const id = 'vault-delete.204.no-body';
  return check(`${id}/on-the-wire${intern === 'own' ? '' : `-${intern}`}`, async ({ world, api }) => {
    const call = api.deleteSecret({ intern, name: await world.store(intern) });
    const { exchange, afterHead } = await call.sendRaw();
    if (!isAnswered(exchange) || exchange.answer.status !== 204)
      throw new Disturbed(`its positive control failed: ${call.describe(exchange)}`);
    call.expect(exchange, id, {
      ok: afterHead === '',
      expected: 'no byte after the head of a 204',
      actual: `${afterHead.length} bytes`,
      mismatch: { wrong: 'body' },
    });
  });
}

const effectChecks: readonly Check[] = [
  checkSecret(deleted, { isControl: true }, (name, { api }) => api.deleteSecret({ name }).expectStatus(204)),
  check(`${deleted}/empty-value`, { needs: ['inspect'], also: [onlyTheNamed] }, async ({ world, api }) => {
    const [name, alike] = [freshName(), freshName()];
    for (const one of [name, alike]) await setIfAccepted(() => world.store('own', one, ''));
    const secrets = await world.secrets();
    if (![name, alike].every((one) => secrets.some((secret) => secret.name === one)))
      throw new NotShown('the target stores no empty value');
    await api.deleteSecret({ name }).expectStatus(204, { because: 'it is stored, with an empty value' });
    // These are the only two secrets with the same value.
    await api.stillStored({ name: alike }, onlyTheNamed);
  }),
  ...Object.entries(unusualValues).map(([what, value]) =>
    check(`${takesEffect}/${what}`, { needs: ['worlds'] }, async ({ world, api, offers }) => {
      const name = freshName();
      await setIfAccepted(() => world.store('own', name, value));
      // Every response is searched for the value.
      if (offers('role:write_disabled')) await api.deleteSecret({ name, as: 'write_disabled' }).send('any');
      await api
        .deleteSecret({ name })
        .expectStatus(204, { because: `it is stored, with a ${what.replaceAll('-', ' ')}` });
      await expectGone(api, name);
    }),
  ),
  check('vault-delete.204.encoded-id', async ({ world, api }) => {
    const intern = { label: 'own, its hyphens encoded', raw: encodeHyphens(world.intern('own')) };
    const name = await world.store('own');
    await api.deleteSecret({ intern, name }).expectStatus(204, { because: 'decoded once it is the id' });
  }),
  check(`${deleted}/among-many`, { needs: ['worlds'], also: [takesEffect] }, async ({ world, api }) => {
    const names = Array.from({ length: moreThanAPage }, freshName);
    await awaitAll(names.map((name) => world.store('own', name)));
    const because = `it is stored among ${moreThanAPage}`;
    for (const name of names.toSorted().slice(-2).toReversed()) {
      await api.deleteSecret({ name }).expectStatus(204, { because });
      await api
        .deleteSecret({ name })
        .expectStatus(404, { requirement: takesEffect, because: 'it was deleted before' });
    }
  }),
  ...(['own', 'sibling'] as const).map(checkNoBody),
  checkDeleted(takesEffect, { serial: true }, async (name, { api }) => {
    for (const _time of ['second', 'third']) await expectGone(api, name);
  }),
  checkDeleted(`${takesEffect}/later`, {}, async (name, { api, signal }) => {
    await sleep(laterMs, undefined, { signal });
    await expectGone(api, name, `it was deleted ${laterMs} ms before`);
    await api.readKey().send();
  }),
  checkDeleted(
    `${takesEffect}/after-failures`,
    { needs: ['fault:vault_unreachable'] },
    async (gone, context) => {
      const { world, api } = context;
      const name = await world.store('own');
      await runDuringFaults(context, lateFaults, () => api.deleteSecret({ name }).send('any'));
      await expectGone(api, gone, 'it was deleted before others failed');
    },
  ),
];

// ── What a delete leaves in place ──

/** Checks that a delete leaves secrets with similar names in place. */
function checkNeighbours(
  id: CheckId,
  makeGroups: (name: string) => readonly (readonly [named: string, ...neighbours: string[]])[],
  options: Partial<CheckOptions> = {},
): Check {
  return check(id, { also: [takesEffect], ...options }, async ({ world, api }) => {
    for (const [name, ...neighbours] of makeGroups(freshName())) {
      for (const stored of [...neighbours, name]) await world.store('own', stored);
      await api.deleteSecret({ name }).expectControl(204);
      // Once the secret is gone, a careless lookup may find another one.
      await api.deleteSecret({ name }).expectStatus(404, {
        requirement: takesEffect,
        because: 'it was deleted before, though names like it are stored',
        continueOnFailure: true,
      });
      for (const neighbour of neighbours) await api.stillStored({ name: neighbour }, onlyTheNamed);
    }
  });
}

function checkParallel(id: CheckId, count: number, options: Partial<CheckOptions> = {}): Check {
  return check(id, { ...options }, async ({ world, api, offers }) => {
    // Each name at both interns, since a server may confuse them.
    const owners: readonly Intern[] = offers('scope:sibling') ? ['own', 'sibling'] : ['own'];
    const names = Array.from({ length: count / owners.length }, freshName);
    const secrets = names.flatMap((name) => owners.map((intern) => ({ intern, name })));
    for (const { intern, name } of secrets) await world.store(intern, name);
    const deleteAll = (status: 204 | 404, because: string) =>
      awaitAll(
        secrets
          .map((secret) => api.deleteSecret(secret))
          .map((call) => call.expectStatus(status, { because })),
      );
    await deleteAll(204, 'it is stored');
    await deleteAll(404, 'it was deleted among others at the same time');
  });
}

async function expectListed(
  { call, exchange, world }: { readonly call: Call; readonly exchange: Exchange; readonly world: World },
  requirement: RequirementId,
  [scope, name]: readonly [Scope, string],
  what: string,
): Promise<void> {
  const secrets = await world.secrets();
  call.expect(exchange, requirement, {
    ok: secrets.some((secret) => secret.scope === scope && secret.name === name),
    expected: `the secret of ${what} to stay`,
    actual: 'the control protocol no longer lists it',
    mismatch: { wrong: 'secret', secret: 'lost' },
  });
}

const neighbourChecks: readonly Check[] = [
  // Names with the same beginning or end, and names that SQL's LIKE matches, or that differ only in the underscore.
  checkNeighbours(onlyTheNamed, (word) => [
    [`${word}_a`, `${word}_a_${word}_a`, `${word}_ax`, `${word}xa`, `${word}a`],
  ]),
  checkNeighbours(
    `${onlyTheNamed}/more`,
    (name) => [
      [name, `${name}_x`, `${name}1`, `x${name}`, name.slice(0, -1), name.slice(1), 'a'],
      // Names that look like versions of it.
      [name, `${name}_1`, `${name}_v2`, `${name}_old`, `${name}_backup`],
    ],
    { sideEffects: 'names', needs: ['any-name'] },
  ),
  // A server that compares numbers by value, or ignores them, would delete these too.
  checkNeighbours(`${onlyTheNamed}/underscore`, (word) => [[`${word}_1`, `${word}_01`, `${word}_2`]]),
  checkNeighbours(`${onlyTheNamed}/look-alike`, (word) => [
    [`${word}_10`, `${word}_1o`, `${word}_l0`, `${word}_1`],
  ]),
  checkNeighbours(`${onlyTheNamed}/long`, () =>
    [32, 64, 128, 200, 255].map((length) => {
      const beginning = freshName()
        .repeat(20)
        .slice(0, length - 1);
      return [`${beginning}a`, `${beginning}b`];
    }),
  ),
  check(onlyThisIntern, async ({ world, api }) => {
    const name = freshName();
    for (const intern of ['own', 'sibling'] as const) {
      const other = intern === 'own' ? 'sibling' : 'own';
      await world.store(intern, name);
      await world.store(other, name);
      await api.deleteSecret({ intern, name }).expectControl(204);
      await api.stillStored({ intern: other, name }, onlyThisIntern);
    }
  }),
  // In a world where nothing else is stored; a shared one may contain secrets of other checks.
  checkSecret(
    `${onlyThisIntern}/later`,
    { needs: ['scope:sibling'] },
    async (name, { world, api, signal }) => {
      await world.store('sibling', name);
      await api.deleteSecret({ name }).expectControl(204);
      await sleep(laterMs, undefined, { signal });
      await api.stillStored({ intern: 'sibling', name }, onlyThisIntern);
    },
  ),
  check(`${onlyThisIntern}/last-secret`, { needs: ['worlds', 'intern:sibling'] }, async ({ openWorld }) => {
    const { world, api } = await openWorld();
    const name = await world.store('own');
    const kept = await world.store('sibling');
    await api.deleteSecret({ name }).expectControl(204);
    await api.stillStored({ intern: 'sibling', name: kept }, onlyThisIntern);
  }),
  check(
    onlyThisScope,
    { needs: ['worlds'], also: [takesEffect, onlyTheNamed] },
    async ({ world, api, openWorld, offers }) => {
      const name = freshName() + freshName();
      const longer = `${name}_x`;
      const other = await openWorld();
      await other.world.store('own', name);
      for (const scope of ['own', 'workspace', 'foreign'] as const) await world.store(scope, name);
      const scopes = ['sibling', 'workspace', 'foreign'] as const;
      const elsewhere = scopes.filter((scope) => offers(`scope:${scope}`));
      for (const scope of elsewhere) await world.store(scope, longer);
      const call = api.deleteSecret({ name });
      const from = { call, exchange: await call.expectControl(204), world };
      for (const scope of ['workspace', 'foreign'] as const)
        await expectListed(from, onlyThisScope, [scope, name], `the same name in the scope ${scope}`);
      for (const scope of elsewhere)
        await expectListed(from, onlyTheNamed, [scope, longer], `a longer name in the scope ${scope}`);
      await api.deleteSecret({ name }).expectStatus(404, {
        requirement: takesEffect,
        because: 'it was deleted before, though the workspace has its name',
        continueOnFailure: true,
      });
      await other.api.stillStored({ name }, onlyThisScope);
    },
  ),
  check(`${onlyThisScope}/no-intern`, { needs: ['inspect', 'scope:workspace'] }, async ({ world, api }) => {
    const name = await world.store('workspace');
    await world.store('own', name);
    const call = api.deleteSecret({ intern: { label: 'no internId', raw: '' }, name, reaches });
    // A server may close the connection on such a path, but it must delete nothing.
    const from = { call, exchange: await call.send(), world };
    await expectListed(from, onlyThisScope, ['workspace', name], 'the workspace');
    await expectListed(from, onlyThisScope, ['own', name], 'an intern that was not named');
  }),
  checkSecret(`${onlyTheNamed}/another-url`, {}, async (other, { world, api }) => {
    // Only a proxy may set these; a client must not be able to choose the secret with them.
    for (const header of ['X-Original-URL', 'X-Rewrite-URL']) {
      const path = `/v1/vault/interns/${world.intern('own')}/secrets/${other}`;
      await api.deleteSecret({ name: await world.store('own'), headers: { [header]: path } }).send();
    }
    await api.stillStored({ name: other }, onlyTheNamed);
  }),
  checkSecret(`${onlyTheNamed}/part-of-a-path`, { needs: ['worlds'] }, async (name, { api }) => {
    for (const make of joinedNames) {
      const joined = { label: make('name', 'other'), raw: make(name, freshName()) };
      await api.deleteSecret({ name: joined, reaches }).send();
    }
    await api.stillStored({ name }, onlyTheNamed);
  }),
  check(`${onlyThisIntern}/parameters`, { needs: ['scope:sibling'] }, async ({ world, api }) => {
    // In some frameworks, a parameter of the query or the body takes precedence over that of the path.
    const id = world.intern('sibling');
    const parameters = { internId: id, intern_id: id, id };
    const claims: readonly RequestOptions[] = [
      { query: `?${new URLSearchParams(parameters)}` },
      { body: { text: JSON.stringify(parameters), type: 'application/json' } },
    ];
    for (const claim of claims) {
      const name = await world.store('own');
      await world.store('sibling', name);
      await api.deleteSecret({ name, ...claim }).send();
      await api.stillStored({ intern: 'sibling', name }, onlyThisIntern);
    }
  }),
  checkParallel('vault-delete.204.parallel', parallelDeletes),
  checkParallel('vault-delete.204.parallel/many', manyParallelDeletes, {
    needs: ['worlds'],
    vaultRequests: 2 * manyParallelDeletes,
  }),
  checkDeleted('vault-delete.204.stored-again', {}, async (name, { world, api }) => {
    for (const _round of ['second', 'third']) {
      await world.store('own', name);
      await api
        .deleteSecret({ name })
        .expectStatus(204, { because: 'it was stored again', secret: 'stored-again' });
    }
    await expectGone(api, name, 'it was deleted again');
  }),
];

// ── What is refused ──

/** Checks that callers who cannot call the vault cannot read there either. Whether reads are routed at all is open. */
function refuseReads(id: CheckId, needs: readonly Need[], request: RequestOptions): Check {
  return checkSecret(id, { needs }, async (name, { api, offers }) => {
    const because = 'no vault route serves such a request';
    for (const method of ['GET', 'HEAD'])
      await api.deleteSecret({ ...request, name, method, reaches }).expectAnyRefusal({ because });
    // Without worlds, a list would show what others stored.
    if (offers('worlds'))
      for (const owner of ['own', 'workspace'] as const)
        await api.listSecrets(owner, request).expectAnyRefusal({ because });
    await api.deleteSecret({ name }).expectControl(204);
  });
}

/** The callers whose key no route accepts (§5.2, §7.3). */
const rejectedCallers = [
  { requirement: 'vault-delete.401.missing-key', as: 'none' },
  { requirement: 'vault-delete.401.unknown-key', as: 'unknown' },
  { requirement: 'auth.disabled-key', as: 'disabled' },
  { requirement: 'auth.oauth-session', as: 'expired_session' },
] as const;
const listRejected = (offers: CheckContext['offers']) =>
  rejectedCallers.filter(({ as }) => !isRole(as) || offers(`role:${as}`));

/** Checks that nobody without a valid key can read a secret, if there is such a route. */
const readsWithoutKey: Check = checkSecret(
  'vault-delete.401.missing-key/reads',
  {
    also: ['vault-delete.401.unknown-key', 'auth.disabled-key', 'auth.oauth-session'],
    decidesWhen: (offers) => listRejected(offers).map(({ requirement }) => requirement),
  },
  async (name, { api, offers }) => {
    for (const { requirement, as } of listRejected(offers))
      await api
        .deleteSecret({ as, name, method: 'GET', reaches })
        .expectAnyRefusal({ requirement, because: 'no route serves a request without a good key' });
    await api.deleteSecret({ name }).expectControl(204);
  },
);

/** Callers who cannot read vault routes (§4.1, §5.4), and the statuses that are right, also if there is no such route. */
const refusedReads = [
  {
    requirement: 'vault-delete.401.provisioning-key-reads',
    as: 'provisioning',
    statuses: [401, 404, 405, 501],
  },
  { requirement: 'vault-delete.404.outside-programme-reads', as: 'outsider', statuses: [404, 405, 501] },
] as const;
const listReads = (offers: CheckContext['offers']) => refusedReads.filter(({ as }) => offers(`role:${as}`));

/** The reads in the opening of a run, over one secret. */
const readsBatch: Check = checkSecret(
  `${safeMethods}/chain`,
  {
    also: refusedReads.map(({ requirement }) => requirement),
    decidesWhen: (offers) => [safeMethods, ...listReads(offers).map(({ requirement }) => requirement)],
  },
  async (name, { api, offers }) => {
    for (const method of ['GET', 'HEAD']) await api.deleteSecret({ name, method, reaches }).send();
    for (const { requirement, as, statuses } of listReads(offers))
      for (const read of [name, freshName()])
        await api
          .deleteSecret({ name: read, method: 'GET', reaches, as })
          .expectStatus(statuses, { requirement, continueOnFailure: true });
    await api.stillStored({ name }, safeMethods);
  },
);

/** Checks that a regional hostname is refused in whatever form, and nothing is deleted. */
function refuseHosts(
  id: CheckId,
  makeRequests: (api: Api) => readonly (RequestOptions & { readonly because?: string })[],
): Check {
  return checkSecret(id, { also: ['vault-delete.403.keeps'] }, async (name, { api }) => {
    for (const { because, ...request } of makeRequests(api))
      await api
        .deleteSecret({ name, ...request })
        .expectStatus(403, because === undefined ? {} : { because });
    await api.stillStored({ name }, 'vault-delete.403.keeps');
  });
}

const nameHost = (host: string): RequestOptions => ({ at: { label: `the host ${host}`, host } });

const refusalChecks: readonly Check[] = [
  refuseReads('vault-delete.401.provisioning-key/reads', ['role:provisioning'], { as: 'provisioning' }),
  refuseReads('vault-delete.403.no-scope/reads', ['role:unscoped'], { as: 'unscoped' }),
  refuseReads('vault-delete.403.regional-host/reads', ['regional'], { at: 'regional' }),
  refuseReads('vault-delete.404.outside-programme-reads/lists', ['role:outsider'], { as: 'outsider' }),
  readsWithoutKey,
  // Only a proxy may set these headers; a client must not be able to choose the host with them.
  refuseHosts('vault-delete.403.regional-host/forwarded', (api) =>
    forwardHost(api.globalHost()).map(({ headers = {} }) => ({
      ...{ at: 'regional', headers },
      because: `Host is regional, and ${Object.keys(headers)} is not for a client to set`,
    })),
  ),
  refuseHosts('vault-delete.403.regional-host-spelling/usual-ports', (api) =>
    addPorts(api.regionalHost()).map(nameHost),
  ),
  checkSecret('vault-delete.403.regional-host-dot', {}, (name, { api }) =>
    api.deleteSecret({ name, ...nameHost(`${api.regionalHost()}.`) }).expectStatus(403),
  ),
  checkSecret(`${safeMethods}/overridden`, {}, async (name, { api }) => {
    for (const { query = '', headers = {} } of methodOverrides)
      for (const method of ['GET', 'HEAD'])
        await api.deleteSecret({ name, method, query, headers, reaches }).send();
    // The preflight of a browser for a delete by a page of another origin.
    const headers = { ...anOrigin.headers, 'Access-Control-Request-Method': 'DELETE' };
    await api.deleteSecret({ name, method: 'OPTIONS', headers, reaches }).send();
    await api.stillStored({ name }, safeMethods);
  }),
  check('vault-delete.404.unknown-intern/of-another-kind', async ({ world, api, offers }) => {
    const name = await world.store('own');
    if (offers('scope:workspace') && offers('store:named')) await world.store('workspace', name);
    const ids = {
      'the workspace': world.workspaceId,
      'a guardrail': offers('guardrail') ? world.guardrailId() : undefined,
    };
    const own = interns.filter((word) => offers(`intern:${word}`)).map((word) => world.intern(word));
    for (const intern of misplaceIds(ids, own))
      await api
        .deleteSecret({ intern, name })
        .expectStatus(404, { because: 'no intern has that id', continueOnFailure: true });
    await api.deleteSecret({ name }).expectControl(204);
  }),
  checkSecret('vault-delete.404.unknown-intern/other-versions', {}, async (name, { api }) => {
    for (const intern of otherVersionIds)
      await api
        .deleteSecret({ intern, name })
        .expectStatus([400, 404], { because: 'no intern has that id', continueOnFailure: true });
    await api.deleteSecret({ name }).expectControl(204);
  }),
  check('vault-delete.404.other-workspace', { also: [refusalKeeps] }, async ({ world, api, openWorld }) => {
    const other = await openWorld();
    const name = await other.world.store('own');
    const own = await world.store('own', name);
    const intern = { label: "another workspace's intern", raw: other.world.intern('own') };
    await api
      .deleteSecret({ intern, name })
      .expectStatus(404, { because: 'the intern is not in the workspace of the key' });
    await other.api.stillStored({ name }, refusalKeeps);
    await api.stillStored({ name: own }, refusalKeeps);
  }),
];

/** The checks of §4.1 and §7.1. */
export const vaultDeleteChecks: readonly Check[] = [
  readsBatch,
  ...effectChecks,
  ...neighbourChecks,
  ...refusalChecks,
];
