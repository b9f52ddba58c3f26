import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHyphens } from '../generators/ids.js';
import { fromBrowser } from '../generators/inputs.js';
import { joinedNames } from '../generators/name-catalogue.js';
import type { CheckContext, RequestOptions } from '../judge/api.js';
import { awaitAll } from '../judge/attempt.js';
import type { Call } from '../judge/call.js';
import { type Check, type CheckId, type CheckOptions, check } from '../judge/check.js';
import { Disturbed } from '../judge/finding.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Intern, Scope } from '../spec/vocabulary.js';
import { type Exchange, isAnswered } from '../targets/exchange.js';
import { FreshNames, NotShown, Unavailable, type World } from '../targets/world.js';
import { setIfAccepted } from './field-values.js';
import { expectGone, laterMs, runDuringFaults } from './requests.js';

// §4.1 and §7.1: what a delete removes, and what it leaves in place.

const deleted: RequirementId = 'vault-delete.204.deleted';
const takesEffect: RequirementId = 'vault-delete.204.takes-effect';
const onlyTheNamed: RequirementId = 'vault-delete.204.only-the-named';
const onlyThisIntern: RequirementId = 'vault-delete.204.only-this-intern';
const onlyThisScope: RequirementId = 'vault-delete.204.only-this-scope';
const reaches = 'perhaps';

type RunWithSecret = (name: string, context: CheckContext) => Promise<unknown>;

/** Defines a check that begins with a secret of the own intern. */
export function checkSecret(id: CheckId, options: CheckOptions, run: RunWithSecret): Check {
  return check(id, options, async (context) => run(await context.world.store('own'), context));
}

function checkDeleted(id: CheckId, options: CheckOptions, run: RunWithSecret): Check {
  return checkSecret(id, options, async (name, context) => {
    await context.api.deleteSecret({ name }).expectControl(204);
    await run(name, context);
  });
}

// ── What a delete removes ──

/** Faults after which the secret may be there or gone. A rollback must not restore one that was deleted before. */
export const lateFaults = [
  'vault_unreachable',
  'vault_bad_response',
  'vault_timeout',
  'route_deadline',
] as const;
/** Values that a careless server handles differently; the first are as long as a private key and a bundle of keys. */
const unusualValues = {
  'large-value': randomBytes(1_000).toString('hex'),
  'huge-value': randomBytes(5_000).toString('hex'),
  'value-of-lines': '\r\nsecond\nthird\r\n',
  'value-beyond-ascii': 'Größe 日本語 \u{1f511}',
};
// Most lists are read in pages of 10 to 100.
const moreThanAPage = 101;
// Enough for a server that loses some of them to do so.
const parallelDeletes = 4;
const parallelRounds = 12;
// Requests of other checks keep some of them from being in flight together.
const manyParallelDeletes = 12;
const manyNames = 12;

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
  check(
    `${deleted}/empty-value`,
    { needs: ['inspect'], alsoDecides: [onlyTheNamed] },
    async ({ world, api, offers }) => {
      const [name, alike] = [world.names.next(), world.names.next()];
      for (const one of [name, alike]) {
        await setIfAccepted(() => world.store('own', one, ''));
        if (!(await world.lists('own', one))) throw new NotShown('the target does not store an empty value');
      }
      const hasWorkspace = offers('scope:workspace');
      if (hasWorkspace) await setIfAccepted(() => world.store('workspace', alike, ''));
      const call = api.deleteSecret({ name });
      const exchange = await call.expectStatus(204, { because: 'it is stored, with an empty value' });
      // No other secrets have this value.
      const from = { call, exchange, world };
      if (hasWorkspace)
        await expectListed(from, [onlyTheNamed, 'workspace', alike, 'the workspace with that value']);
      await api.expectStillStored({ name: alike }, onlyTheNamed);
    },
  ),
  ...(['free_small_second', 'free_large_exactly'] as const).map((as) =>
    check(`${deleted}/${as}`, { needs: [`role:${as}`] }, async ({ world, api }) => {
      const name = await world.store('own');
      await api.deleteSecret({ name, as }).expectStatus(204, { because: 'its account does not matter here' });
    }),
  ),
  check(`${deleted}/falsy-value`, { needs: ['worlds'] }, async ({ world, api }) => {
    // Some languages take the first for false, some software parses the second.
    for (const value of ['0', '{}']) {
      const name = world.names.next();
      await setIfAccepted(() => world.store('own', name, value));
      await api
        .deleteSecret({ name })
        .expectStatus(204, { because: `it is stored, with the value ${value}` });
    }
  }),
  ...Object.entries(unusualValues).map(([what, value]) =>
    check(`${takesEffect}/${what}`, { needs: ['worlds'] }, async ({ world, api, offers }) => {
      const name = world.names.next();
      await setIfAccepted(() => world.store('own', name, value));
      // Every response is searched for the value.
      if (offers('role:write_disabled')) {
        const { answer } = await api.deleteSecret({ name, as: 'write_disabled' }).send('any');
        // Other checks judge that.
        if (answer?.status === 204) return;
      }
      await api
        .deleteSecret({ name })
        .expectStatus(204, { because: `it is stored, with a ${what.replaceAll('-', ' ')}` });
      await expectGone(api, { name });
    }),
  ),
  checkSecret('vault-delete.204.encoded-id', {}, async (name, { world, api }) => {
    const intern = { label: 'own, its hyphens encoded', raw: encodeHyphens(world.intern('own')) };
    await api.deleteSecret({ intern, name }).expectStatus(204, { because: 'decoded once it is the id' });
  }),
  check(
    `${deleted}/among-many`,
    { needs: ['worlds'], alsoDecides: [takesEffect] },
    async ({ world, api }) => {
      // A server that reads one page may sort the secrets by time or by name, up or down. These two are at the ends of both.
      const [first = '', ...names] = Array.from({ length: moreThanAPage }, () =>
        world.names.next(),
      ).toSorted();
      const last = names.pop() ?? '';
      await world.store('own', first);
      const storeOthers = async () => {
        await awaitAll(names.map((name) => world.store('own', name)));
        await world.store('own', last);
      };
      await setIfAccepted(storeOthers, `room for ${moreThanAPage} secrets of an intern`);
      const because = `it is stored among ${moreThanAPage}`;
      for (const name of [last, first]) {
        await api.deleteSecret({ name }).expectStatus(204, { because });
        await expectGone(api, { name });
      }
    },
  ),
  ...(['own', 'sibling'] as const).map(checkNoBody),
  checkDeleted(takesEffect, { serial: true }, async (name, { api }) => {
    for (const _time of ['second', 'third']) await expectGone(api, { name });
  }),
  checkDeleted(`${takesEffect}/later`, {}, async (name, { api, signal }) => {
    await sleep(laterMs, undefined, { signal });
    await expectGone(api, { name }, { because: `it was deleted ${laterMs} ms before` });
    await api.readKey().send();
  }),
  checkDeleted(
    `${takesEffect}/after-failures`,
    { needs: ['fault:vault_unreachable'] },
    async (gone, context) => {
      const { world, api } = context;
      const name = await world.store('own');
      await runDuringFaults(context, lateFaults, () => api.deleteSecret({ name }).send('any'));
      await expectGone(api, { name: gone }, { because: 'it was deleted before others failed' });
    },
  ),
  check('vault-delete.504.timeout/lifted', async ({ world, api, offers }) => {
    for (const fault of lateFaults.filter((one) => offers(`fault:${one}`))) {
      const name = await world.store('own');
      await world.setFaults(fault);
      await api.deleteSecret({ name, ...fromBrowser }).send('any');
      await world.setFaults();
      // Nothing may stay locked by a delete that was given up.
      await api.deleteSecret({ name }).expectStatus([204, 404], { because: `${fault} was lifted` });
    }
  }),
];

// ── What a delete leaves in place ──

/** Checks that a delete leaves secrets with similar names in place. */
function checkNeighbours(
  id: CheckId,
  makeGroups: (
    name: string,
    names: FreshNames,
  ) => readonly (readonly [named: string, ...neighbours: string[]])[],
  options: CheckOptions = {},
): Check {
  const samples = new FreshNames();
  const groups = makeGroups(samples.next(), samples);
  // Each secret is deleted once, and the first of each group twice.
  const vaultRequests = groups.length + groups.flat().length;
  return check(id, { alsoDecides: [takesEffect], vaultRequests, ...options }, async ({ world, api }) => {
    for (const [name, ...neighbours] of makeGroups(world.names.next(), world.names)) {
      for (const stored of [...neighbours, name]) await world.store('own', stored);
      await api.deleteSecret({ name }).expectControl(204);
      // Once the secret is gone, a careless lookup may find another one.
      const because = 'it was deleted before, though names like it are stored';
      await expectGone(api, { name }, { because, continueOnFailure: true });
      for (const neighbour of neighbours) await api.expectStillStored({ name: neighbour }, onlyTheNamed);
    }
  });
}

/** Checks that a delete at one intern leaves the same name at the other. */
function checkBothInterns(id: CheckId, makeName: (names: FreshNames) => string): Check {
  return check(id, async ({ world, api }) => {
    const name = makeName(world.names);
    for (const intern of ['own', 'sibling'] as const) {
      const other = intern === 'own' ? 'sibling' : 'own';
      await world.store(intern, name);
      await world.store(other, name);
      await api.deleteSecret({ intern, name }).expectControl(204);
      await api.expectStillStored({ intern: other, name }, onlyThisIntern);
    }
  });
}

function checkParallel(id: CheckId, count: number, options: CheckOptions = {}): Check {
  return check(id, options, async ({ world, api, offers }) => {
    // Each name at both interns, since a server may confuse them.
    const owners: readonly Intern[] = offers('scope:sibling') ? ['own', 'sibling'] : ['own'];
    const names = Array.from({ length: count / owners.length }, () => world.names.next());
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

/** A secret that a delete must leave in place: the requirement that says so, where it is, and whose it is, in words. */
type KeptSecret = readonly [requirement: RequirementId, scope: Scope, name: string, whose: string];

/** Asserts that secrets are still listed after an exchange. */
async function expectListed(
  { call, exchange, world }: { readonly call: Call; readonly exchange: Exchange; readonly world: World },
  ...kept: readonly KeptSecret[]
): Promise<void> {
  const secrets = kept.map(([requirement, scope, name, whose]) => ({ requirement, scope, name, whose }));
  const lost = await world.findUnlisted(secrets);
  for (const secret of secrets)
    call.expect(exchange, secret.requirement, {
      ok: !lost.includes(secret),
      expected: `the secret of ${secret.whose} to stay`,
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
  // A server that compares numbers by value, ignores them, or treats names as paths would delete these too.
  checkNeighbours(`${onlyTheNamed}/underscore`, (word) => [[`${word}_1`, `${word}_01`, `${word}_2`, word]]),
  checkNeighbours(`${onlyTheNamed}/look-alike`, (word) => [
    [`${word}_10`, `${word}_1o`, `${word}_l0`, `${word}_1`],
  ]),
  checkNeighbours(`${onlyTheNamed}/long`, (_name, names) =>
    [32, 64, 128, 200, 255].map((length) => {
      const beginning = names
        .next()
        .repeat(20)
        .slice(0, length - 1);
      return [`${beginning}a`, `${beginning}b`, ...(length < 255 ? [`${beginning}a_x`] : [])];
    }),
  ),
  checkBothInterns(onlyThisIntern, (names) => names.next()),
  checkBothInterns(`${onlyThisIntern}/long`, (names) => names.nextLong()),
  // With a profile, only a key of the foreign workspace shows what is left there. A control lists it, for other checks.
  check(
    `${onlyThisIntern}/foreign`,
    { needs: ['scope:foreign', 'store:named'], runsWithoutOwnNeeds: true },
    async ({ world, api }) => {
      if (world.foreignKey === undefined) throw new Unavailable('scope:foreign');
      for (const name of [world.names.next(), world.names.nextLong()]) {
        await world.store('foreign', name);
        await world.store('own', name);
        await api.deleteSecret({ name }).expectControl(204);
        await api.expectStillStored({ intern: 'foreign', name }, onlyThisIntern);
      }
    },
  ),
  // Whether an id in the other case is accepted is open, but it names nobody else.
  check(`${onlyThisIntern}/spelled`, { needs: ['scope:sibling'] }, async ({ world, api }) => {
    for (const [named, other] of [
      ['own', 'sibling'],
      ['sibling', 'own'],
    ] as const) {
      const name = await world.store(named);
      await world.store(other, name);
      const id = world.intern(named);
      const raw = id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase();
      await api
        .deleteSecret({ intern: { label: `${named}, its id in the other case`, raw }, name })
        .expectStatus([204, 400, 404]);
      await api.expectStillStored({ intern: other, name }, onlyThisIntern);
    }
  }),
  check(
    `${onlyTheNamed}/beside-the-path`,
    { needs: ['worlds'], alsoDecides: [takesEffect] },
    async ({ world, api, offers }) => {
      const kept = await world.store('own');
      const other = { name: kept, scope: 'workspace' };
      for (const way of [
        { query: `?${new URLSearchParams(other)}` },
        { body: { text: JSON.stringify(other), type: 'application/json' } },
      ]) {
        const name = await world.store('own');
        if (offers('scope:workspace')) await world.store('workspace', name);
        const { answer } = await api.deleteSecret({ name, ...way }).expectStatus([204, 400]);
        if (answer.status === 204) await expectGone(api, { name });
      }
      await api.expectStillStored({ name: kept }, onlyTheNamed);
    },
  ),
  // In a world where nothing else is stored; a shared one may contain secrets of other checks.
  checkSecret(
    `${onlyThisIntern}/later`,
    { needs: ['scope:sibling'] },
    async (name, { world, api, signal }) => {
      await world.store('sibling', name);
      await api.deleteSecret({ name }).expectControl(204);
      await sleep(laterMs, undefined, { signal });
      await api.expectStillStored({ intern: 'sibling', name }, onlyThisIntern);
    },
  ),
  check(`${onlyThisIntern}/last-secret`, { needs: ['worlds'] }, async ({ openWorld }) => {
    const { world, api } = await openWorld();
    const name = await world.store('own');
    const kept = await world.store('sibling');
    await api.deleteSecret({ name }).expectControl(204);
    await api.expectStillStored({ intern: 'sibling', name: kept }, onlyThisIntern);
  }),
  check(
    onlyThisScope,
    { alsoDecides: [takesEffect, onlyTheNamed] },
    async ({ world, api, openWorld, offers }) => {
      const name = world.names.nextLong();
      // It begins and ends with the name.
      const longer = `${name}_${name}`;
      const other = await openWorld();
      await other.world.store('own', name);
      for (const scope of ['own', 'workspace', 'foreign'] as const) await world.store(scope, name);
      const scopes = ['own', 'sibling', 'workspace', 'foreign'] as const;
      const offered = scopes.filter((scope) => offers(`scope:${scope}`));
      for (const scope of offered) await world.store(scope, longer);
      const call = api.deleteSecret({ name });
      const from = { call, exchange: await call.expectControl(204), world };
      const others = ['workspace', 'foreign'] as const;
      await expectListed(
        from,
        ...others.map(
          (scope): KeptSecret => [onlyThisScope, scope, name, `the same name in the scope ${scope}`],
        ),
        ...offered.map(
          (scope): KeptSecret => [onlyTheNamed, scope, longer, `a longer name in the scope ${scope}`],
        ),
      );
      const because = 'it was deleted before, though the workspace has its name';
      await expectGone(api, { name }, { because, continueOnFailure: true });
      await other.api.expectStillStored({ name }, onlyThisScope);
    },
  ),
  check(`${onlyThisScope}/other-workspaces`, { needs: ['worlds'] }, async ({ world, api, openWorld }) => {
    const { world: other } = await openWorld();
    // A server that spreads its secrets by name may be wrong for some names only.
    for (let round = 0; round < manyNames; round++) {
      const name = await world.store('own');
      await other.store('own', name);
      const call = api.deleteSecret({ name });
      const from = { call, exchange: await call.expectControl(204), world: other };
      await expectListed(from, [onlyThisScope, 'own', name, 'another workspace']);
    }
  }),
  check(`${onlyThisScope}/no-intern`, async ({ world, api }) => {
    const name = await world.store('workspace');
    await world.store('own', name);
    const call = api.deleteSecret({ intern: { label: 'no internId', raw: '' }, name, reaches });
    // A server may close the connection on such a path, but it must delete nothing.
    const from = { call, exchange: await call.send(), world };
    await expectListed(
      from,
      [onlyThisScope, 'workspace', name, 'the workspace'],
      [onlyThisScope, 'own', name, 'an intern that was not named'],
    );
  }),
  checkSecret(`${onlyTheNamed}/another-url`, {}, async (other, { world, api }) => {
    // Only a proxy may set these; a client must not be able to choose the secret with them.
    for (const header of ['X-Original-URL', 'X-Rewrite-URL']) {
      const path = `/v1/vault/interns/${world.intern('own')}/secrets/${other}`;
      await api.deleteSecret({ name: await world.store('own'), headers: { [header]: path } }).send();
    }
    await api.expectStillStored({ name: other }, onlyTheNamed);
  }),
  checkSecret(`${onlyTheNamed}/part-of-a-path`, { needs: ['worlds'] }, async (name, { world, api }) => {
    for (const make of joinedNames) {
      const joined = { label: make('name', 'other'), raw: make(name, world.names.next()) };
      await api.deleteSecret({ name: joined, reaches }).send();
    }
    await api.expectStillStored({ name }, onlyTheNamed);
  }),
  check(`${onlyThisIntern}/parameters`, { needs: ['scope:sibling'] }, async ({ world, api }) => {
    // In some frameworks, a parameter of the query or the body takes precedence over that of the path.
    const id = world.intern('sibling');
    const parameters = { internId: id, intern_id: id, id };
    const overrides: readonly RequestOptions[] = [
      { query: `?${new URLSearchParams(parameters)}` },
      { body: { text: JSON.stringify(parameters), type: 'application/json' } },
    ];
    for (const override of overrides) {
      const name = await world.store('own');
      await world.store('sibling', name);
      await api.deleteSecret({ name, ...override }).send();
      await api.expectStillStored({ intern: 'sibling', name }, onlyThisIntern);
    }
  }),
  checkParallel('vault-delete.204.parallel', parallelDeletes),
  checkParallel('vault-delete.204.parallel/many', manyParallelDeletes, {
    needs: ['worlds'],
    vaultRequests: 2 * manyParallelDeletes,
  }),
  check(
    'vault-delete.204.parallel/of-two-workspaces',
    { needs: ['worlds'], serial: true },
    async (context) => {
      // A server that keeps the caller in a variable shared by all requests confuses callers.
      const both = [context, await context.openWorld()];
      const secrets = Array.from({ length: parallelRounds }, () => both)
        .flat()
        .map((destination) => ({ ...destination, name: destination.world.names.next() }));
      await awaitAll(secrets.map(({ world, name }) => world.store('own', name)));
      const calls = secrets.map(({ api, name }) => api.deleteSecret({ name }));
      const because = 'it is stored, and keys of two workspaces delete at the same time';
      await awaitAll(calls.map((call) => call.expectStatus(204, { because })));
    },
  ),
  checkDeleted('vault-delete.204.stored-again', {}, async (name, { world, api }) => {
    for (const _round of ['second', 'third']) {
      await world.store('own', name);
      await api
        .deleteSecret({ name })
        .expectStatus(204, { because: 'it was stored again', secret: 'stored-again' });
    }
    await api.deleteSecret({ name }).expectStatus(404, { because: 'it was deleted again' });
  }),
  // A server may remove what was deleted in the background, and then take what was stored meanwhile.
  checkDeleted(
    'vault-delete.204.stored-again/later',
    { alsoDecides: [onlyTheNamed] },
    async (name, { world, api, signal }) => {
      const longer = `${name}_x`;
      for (const stored of [name, longer]) await world.store('own', stored);
      await sleep(laterMs, undefined, { signal });
      await api
        .deleteSecret({ name })
        .expectStatus(204, { because: 'it was stored again', secret: 'stored-again' });
      await api.expectStillStored({ name: longer }, onlyTheNamed);
    },
  ),
];

/** The checks of §4.1, and of the success of §7.1. */
export const vaultDeleteChecks: readonly Check[] = [...effectChecks, ...neighbourChecks];
