import { isRole } from '../generators/credential.js';
import { otherVersionIds } from '../generators/ids.js';
import {
  addDot,
  anOrigin,
  encodedSpellings,
  forwardHost,
  methodOverrides,
  pathSpellings,
  queries,
  setPorts,
} from '../generators/inputs.js';
import type { Api, CheckContext, RequestOptions } from '../judge/api.js';
import { awaitAll } from '../judge/attempt.js';
import type { Call } from '../judge/call.js';
import { type Check, type CheckId, check } from '../judge/check.js';
import type { RequirementId } from '../spec/ledger.js';
import type { Need } from '../spec/need.js';
import { interns } from '../spec/vocabulary.js';
import { isHtml } from '../targets/proxy-detection.js';
import { misplaceIds, nameWorkspace, writeSchemeInLowerCase } from './requests.js';
import { checkSecret } from './vault-delete.js';

// §4.1 and §7.1: refused vault requests that the batches do not cover.

const refusalKeeps: RequirementId = 'vault-delete.404.keeps';
const safeMethods: RequirementId = 'vault-delete.safe-methods';
const reaches = 'perhaps';

/** Returns the status that a valid key gets, if it is a refusal or an HTML page: the service then has no such route. */
async function findUnrouted(call: Call): Promise<readonly number[]> {
  const { answer } = await call.send();
  return answer !== undefined && (answer.status >= 400 || isHtml(answer)) ? [answer.status] : [];
}

const writing = { type: 'application/json', text: '{"value":"x"}' };

/** What vault routes may do besides the delete. */
const otherMethods: readonly RequestOptions[] = [
  { method: 'GET' },
  { method: 'HEAD' },
  ...['POST', 'PUT', 'PATCH'].map((method) => ({ method, body: writing })),
];

/** Lists whose secrets may be listed: without worlds nobody's, since a list would show what other users stored. */
function listOwners(offers: CheckContext['offers']) {
  return offers('worlds') ? (['own', 'workspace'] as const) : [];
}

/**
 * Checks that callers who cannot call the vault can neither read nor write there. Whether such requests are routed is open.
 * @param listed the statuses permitted for a list, where the document states them
 */
function checkOtherMethods(id: CheckId, request: RequestOptions, listed?: readonly number[]): Check {
  return checkSecret(id, {}, async (name, { api, offers }) => {
    const because = 'no vault route serves such a request';
    for (const other of otherMethods)
      await api.deleteSecret({ ...request, ...other, name, reaches }).expectAnyRefusal({ because });
    for (const owner of listOwners(offers)) {
      const call = api.listSecrets(owner, request);
      if (listed === undefined) await call.expectAnyRefusal({ because });
      else await call.expectStatus([...listed, ...(await findUnrouted(api.listSecrets(owner)))], { because });
    }
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

/** Checks that nobody without a valid key can read or write a secret, if such routes exist. */
const readsWithoutKey: Check = checkSecret(
  'vault-delete.401.missing-key/reads',
  {
    alsoDecides: ['vault-delete.401.unknown-key', 'auth.disabled-key', 'auth.oauth-session'],
    decidableOn: (offers) => listRejected(offers).map(({ requirement }) => requirement),
    vaultRequests: rejectedCallers.length * 7 + 1,
  },
  async (name, { api, offers }) => {
    const because = 'no route serves a request without a good key';
    for (const { requirement, as } of listRejected(offers)) {
      for (const other of otherMethods)
        await api.deleteSecret({ ...other, as, name, reaches }).expectAnyRefusal({ requirement, because });
      for (const owner of listOwners(offers))
        await api.listSecrets(owner, { as }).expectAnyRefusal({ requirement, because });
    }
    await api.deleteSecret({ name }).expectControl(204);
  },
);

/** What a server may answer on a route that it does not have. */
const unrouted = [404, 405, 501, 301, 302, 303, 307, 308];
const ofProvisioningKeys = [401, ...unrouted];

/** Callers who cannot read vault routes (§4.1, §5.4), and the statuses that are right, also if there is no such route. */
const refusedReads = [
  {
    requirement: 'vault-delete.401.provisioning-key-reads',
    as: 'provisioning',
    statuses: ofProvisioningKeys,
  },
  { requirement: 'vault-delete.404.outside-programme-reads', as: 'outsider', statuses: unrouted },
] as const;
const listReads = (offers: CheckContext['offers']) => refusedReads.filter(({ as }) => offers(`role:${as}`));

/** The reads in the opening of a run, over one secret. */
const readsBatch: Check = checkSecret(
  `${safeMethods}/chain`,
  {
    alsoDecides: refusedReads.map(({ requirement }) => requirement),
    decidableOn: (offers) => [safeMethods, ...listReads(offers).map(({ requirement }) => requirement)],
  },
  async (name, { world, api, offers }) => {
    await api.deleteSecret({ name, method: 'HEAD', reaches }).send();
    const refusedToAll = await findUnrouted(api.deleteSecret({ name, method: 'GET', reaches }));
    for (const { requirement, as, statuses } of listReads(offers))
      for (const read of [name, world.names.next()])
        await api
          .deleteSecret({ name: read, method: 'GET', reaches, as })
          .expectStatus([...statuses, ...refusedToAll], { requirement, continueOnFailure: true });
    await api.expectStillStored({ name }, safeMethods);
  },
);

/** Checks that a regional hostname is refused in whatever form, and nothing is deleted. */
function checkRefusedHosts(
  id: CheckId,
  makeRequests: (api: Api) => readonly (RequestOptions & { readonly because?: string })[],
): Check {
  return checkSecret(id, { alsoDecides: ['vault-delete.403.keeps'] }, async (name, { api }) => {
    for (const { because, ...request } of makeRequests(api))
      await api.deleteSecret({ name, ...request }).expectStatus(403, { because });
    await api.expectStillStored({ name }, 'vault-delete.403.keeps');
  });
}

/** All ways at once to say that a request is a delete. */
const overridden = {
  headers: Object.assign({}, ...methodOverrides.map(({ headers }) => headers)) as Readonly<
    Record<string, string>
  >,
  query: methodOverrides.find(({ query }) => query !== undefined)?.query,
};

/** Callers who may not delete: the requirement tested, the status, the requirement that the secret is kept, the caller. */
const refusedCallers = [
  ['vault-delete.401.missing-key', 401, 'vault-delete.401.keeps', { as: 'none' }],
  ['vault-delete.401.provisioning-key', 401, 'vault-delete.401.keeps', { as: 'provisioning' }],
  ['auth.disabled-key', 401, 'vault-delete.401.keeps', { as: 'disabled' }],
  ['vault-delete.403.regional-host', 403, 'vault-delete.403.keeps', { at: 'regional' }],
  ['vault-delete.403.no-scope', 403, 'vault-delete.403.keeps', { as: 'unscoped' }],
  ['vault-delete.404.outside-programme', 404, 'vault-delete.404.keeps', { as: 'outsider' }],
  ['vault-delete.503.writes-disabled', 503, 'vault-delete.503.keeps', { as: 'write_disabled' }],
] as const;

const refusedRoles = refusedCallers.flatMap(([requirement, status, , caller]) =>
  'as' in caller && caller.as !== 'none' ? [{ requirement, status, as: caller.as }] : [],
);
const listRefusedRoles = (offers: CheckContext['offers']) =>
  refusedRoles.filter(({ as }) => offers(`role:${as}`));

/** Checks that a key that is refused is refused with its scheme in lower case too, which a server may take for no key. */
const lowerCaseSchemeCheck: Check = checkSecret(
  'vault-delete.403.keeps/lower-case-scheme',
  {
    alsoDecides: refusedRoles.map(({ requirement }) => requirement),
    decidableOn: (offers) => listRefusedRoles(offers).map(({ requirement }) => requirement),
  },
  async (name, { world, api, offers }) => {
    for (const { requirement, status, as: role } of listRefusedRoles(offers)) {
      const as = writeSchemeInLowerCase(role, world);
      await api
        .deleteSecret({ name, as })
        .expectStatus([status, 401], { requirement, continueOnFailure: true });
    }
    await api.expectStillStored({ name }, 'vault-delete.403.keeps');
  },
);

/** Lists what a check of a caller needs. */
function listCallerNeeds(caller: (typeof refusedCallers)[number][3]): readonly Need[] {
  if ('at' in caller) return [caller.at];
  return caller.as === 'none' ? [] : [`role:${caller.as}`];
}

/** Checks that a caller who may not delete cannot do so by another spelling of the path. Its status is not judged. */
const spelledPathChecks: readonly Check[] = refusedCallers.map(([requirement, status, keeps, caller]) => {
  const [word] = Object.values(caller);
  const about = { needs: listCallerNeeds(caller), alsoDecides: [requirement] };
  return checkSecret(`${keeps}/spelled-paths-by-${word}`, about, async (name, { api, offers }) => {
    // As usual first, since a server may take a moment to know what a key may not do.
    await api.deleteSecret({ ...caller, name }).expectStatus(status, { requirement });
    // A router might take the other spellings for paths of somebody else, in a tenant that others use.
    for (const spelling of offers('worlds') ? pathSpellings : encodedSpellings)
      await api.deleteSecret({ ...caller, name, spelling }).send('any');
    // Nor by another method that a framework takes for a delete.
    await api.deleteSecret({ ...caller, ...overridden, name, method: 'POST', reaches }).send('any');
    await api.expectStillStored({ name }, keeps);
  });
});

/** Checks that a caller is refused while another one deletes: a server may keep the caller where all requests find it. */
const besideServedChecks: readonly Check[] = refusedCallers
  // A disabled key would show nothing new and would cost a dozen requests.
  .filter(
    ([requirement, , , caller]) =>
      'as' in caller && caller.as !== 'none' && requirement !== 'auth.disabled-key',
  )
  .map(([requirement, status, , caller]) =>
    check(
      `${requirement}/at-once`,
      { needs: ['worlds', ...listCallerNeeds(caller)] },
      async ({ world, api }) => {
        // Alone first, as above.
        const kept = await world.store('own');
        await api.deleteSecret({ ...caller, name: kept }).expectStatus(status);
        for (let round = 1; round <= 3; round++) {
          const served = await world.store('own');
          // A pause before a repetition would part them.
          const atOnce = { because: 'another key deletes at the same time', timed: true };
          await awaitAll([
            api.deleteSecret({ name: served }).expectControl(204),
            api.deleteSecret({ ...caller, name: kept }).expectStatus(status, atOnce),
          ]);
        }
      },
    ),
  );

/** Checks that no spelling of the path and no query deletes a secret of another workspace. */
const foreignPathCheck: Check = check(
  `${refusalKeeps}/spelled-paths`,
  { needs: ['worlds'] },
  async ({ world, api, offers, openWorld }) => {
    await api.deleteSecret({ name: await world.store('own') }).expectControl(204);
    const other = await openWorld();
    const name = await other.world.store('own');
    const intern = { label: 'an intern of another workspace', raw: other.world.intern('own') };
    if (offers('scope:sibling')) {
      // A service may know only the first intern of a workspace by it.
      const second = { label: 'a second intern of another workspace', raw: other.world.intern('sibling') };
      await other.world.store('sibling', name);
      await api.deleteSecret({ intern: second, name }).send('any');
      await other.api.expectStillStored({ intern: 'sibling', name }, refusalKeeps);
    }
    for (const way of [
      ...pathSpellings.map((spelling) => ({ spelling })),
      ...queries.map(({ query }) => ({ query })),
      ...nameWorkspace(other.world.workspaceId),
    ])
      await api.deleteSecret({ intern, name, ...way }).send('any');
    await other.api.expectStillStored({ name }, refusalKeeps);
  },
);

const nobodyHasIt = { because: 'no intern has that id', continueOnFailure: true } as const;
const nameHost = (host: string): RequestOptions => ({ at: { label: `the host ${host}`, host } });

/** The checks of what the vault refuses (§4.1, §5, §7.1). */
export const vaultRefusalChecks: readonly Check[] = [
  readsBatch,
  checkOtherMethods('vault-delete.401.provisioning-key/reads', { as: 'provisioning' }, ofProvisioningKeys),
  checkOtherMethods('vault-delete.403.no-scope/reads', { as: 'unscoped' }),
  checkOtherMethods('vault-delete.403.regional-host/reads', { at: 'regional' }),
  checkOtherMethods('vault-delete.404.outside-programme-reads/lists', { as: 'outsider' }, unrouted),
  readsWithoutKey,
  // Only a proxy may set these headers; a client must not be able to choose the host with them.
  checkRefusedHosts('vault-delete.403.regional-host/forwarded', (api) =>
    forwardHost(api.globalHost()).map(({ headers = {} }) => ({
      ...{ at: 'regional', headers },
      because: `its Host is regional, whatever ${Object.keys(headers).join(', ')} may say`,
    })),
  ),
  checkRefusedHosts('vault-delete.403.regional-host-spelling/usual-ports', (api) =>
    setPorts(api.regionalHost(), api.globalHost()).map(nameHost),
  ),
  checkSecret('vault-delete.403.regional-host-dot', {}, (name, { api }) =>
    api.deleteSecret({ name, ...nameHost(addDot(api.regionalHost())) }).expectStatus(403),
  ),
  checkSecret(`${safeMethods}/overridden`, {}, async (name, { api }) => {
    for (const { query = '', headers = {} } of methodOverrides)
      for (const method of ['GET', 'HEAD'])
        await api.deleteSecret({ name, method, query, headers, reaches }).send();
    // The preflight of a browser for a delete by a page of another origin.
    const headers = { ...anOrigin.headers, 'Access-Control-Request-Method': 'DELETE' };
    await api.deleteSecret({ name, method: 'OPTIONS', headers, reaches }).send();
    await api.expectStillStored({ name }, safeMethods);
  }),
  lowerCaseSchemeCheck,
  ...spelledPathChecks,
  foreignPathCheck,
  ...besideServedChecks,
  checkSecret('vault-delete.404.unknown-intern/of-another-kind', {}, async (name, { world, api, offers }) => {
    if (offers('scope:workspace') && offers('store:named')) await world.store('workspace', name);
    const ids = {
      'the workspace': world.workspaceId,
      'a guardrail': offers('guardrail') ? world.guardrailId() : undefined,
    };
    const own = interns.filter((word) => offers(`intern:${word}`)).map((word) => world.intern(word));
    for (const intern of misplaceIds(ids, own))
      await api.deleteSecret({ intern, name }).expectStatus(404, nobodyHasIt);
    for (const intern of otherVersionIds)
      await api.deleteSecret({ intern, name }).expectStatus([400, 404], nobodyHasIt);
    await api.deleteSecret({ name }).expectControl(204);
  }),
  check(
    'vault-delete.404.other-workspace',
    { alsoDecides: [refusalKeeps] },
    async ({ world, api, openWorld }) => {
      const other = await openWorld();
      const name = await other.world.store('own');
      const own = await world.store('own', name);
      const intern = { label: "another workspace's intern", raw: other.world.intern('own') };
      await api
        .deleteSecret({ intern, name })
        .expectStatus(404, { because: 'the intern is not in the workspace of the key' });
      await other.api.expectStillStored({ name }, refusalKeeps);
      await api.expectStillStored({ name: own }, refusalKeeps);
    },
  ),
];
