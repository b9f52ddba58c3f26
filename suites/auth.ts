import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { type CredentialWord, invalidCredentials, isRole, otherSchemes } from '../generators/credential.js';
import { aQuery, encodedHyphen, fromBrowser, listOfferedWords } from '../generators/inputs.js';
import { consultOracle } from '../generators/oracle.js';
import { makeValidName } from '../generators/secret-name.js';
import {
  type Extras,
  makePlainVault,
  plainGuardrail,
  plainKey,
  type Situation,
} from '../generators/situation.js';
import { type Api, type Credential, noCredential, type RequestOptions } from '../judge/api.js';
import { plainRequests } from '../judge/call.js';
import { type Check, check, type GeneratedCheck } from '../judge/check.js';
import { property } from '../judge/property-check.js';
import type { RequirementId } from '../spec/ledger.js';
import { makeReason } from '../spec/reasons.js';
import type { Operation, Role } from '../spec/vocabulary.js';
import { isAnswered } from '../targets/exchange.js';
import { NotShown } from '../targets/world.js';
import { batchSteps, type Step } from './batches/batch.js';
import { expectGone, makeCall } from './requests.js';

// §5: who can call, for every operation.

const operations: readonly Operation[] = ['guardrail-read', 'key-info', 'inference', 'vault-delete'];

const hasIdInPath = (operation: Operation): boolean =>
  operation === 'vault-delete' || operation === 'guardrail-read';

interface Refusal {
  readonly requirement: RequirementId;
  /** The requirement that such a refusal of a delete keeps the secret. */
  readonly keeps: RequirementId;
  readonly because?: string;
  readonly statuses: (operation: Operation, options: RequestOptions) => readonly number[];
  readonly requests: (api: Api, operation: Operation) => readonly RequestOptions[];
}

/** Checks that each operation refuses some requests, and still serves the plain one. */
function checkEachRefusal({ requirement, keeps, because, statuses, requests }: Refusal): readonly Check[] {
  return operations.map((operation) => {
    const isVault = operation === 'vault-delete';
    const { needs } = plainRequests[operation];
    return check(
      `${requirement}/${operation}`,
      { control: operation, needs, alsoDecides: isVault ? [keeps] : [] },
      async ({ world, api }) => {
        const name = isVault ? await world.store('own') : undefined;
        for (const options of requests(api, operation)) {
          const call = await api.makePlain(operation, { ...options, name });
          await call.expectStatus(statuses(operation, options), { because });
        }
        if (name !== undefined) await api.expectStillStored({ name }, keeps);
        else await (await api.makePlain(operation)).expectControl(200);
      },
    );
  });
}

/** Checks that callers whose GET is refused get no HEAD served either, if that is routed at all. */
function checkHeadRefusal(requirement: RequirementId, operation: Operation, as: Role | Credential): Check {
  return check(`${requirement}/head`, { control: operation }, async ({ api }) => {
    const call = await api.makePlain(operation, { as, method: 'HEAD', reaches: 'perhaps' });
    await call.expectAnyRefusal({ because: 'the same GET has to be refused' });
  });
}

/** Makes a step in which inference refuses a credential, for the requirement that the key read has for it. */
export function makeRefusalStep(word: CredentialWord, extra: Extras = {}): Step {
  const { due, allowed } = consultOracle({ ...plainKey, ...extra, as: word });
  const { requirement } = due;
  return {
    needs: isRole(word) ? [`role:${word}`] : [],
    decides: [requirement],
    run: ({ api }) => {
      const { query, headers } = extra;
      const call = api.infer({ as: word, query, headers });
      return call.expectStatus([...allowed.keys()], { requirement, continueOnFailure: true });
    },
  };
}

/** Callers whom inference refuses with 401; the other invalid headers have a batch of their own. */
export const unauthorizedCallers = [
  ...(['none', 'unknown', 'scheme-only', 'extended'] as const),
  ...(['disabled', 'expired_session'] as const),
];

/** The invalid headers of §5 on the inference route, one after another. */
export const authBatch: Check = batchSteps(
  'auth.altered-key/inference',
  { title: 'Inference requests with each invalid header, one after another.', control: 'inference' },
  [
    // First, so that a server that caches keys knows this one when the altered ones follow.
    { decides: ['auth.altered-key'], run: ({ api }) => api.infer().expectControl(200) },
    ...invalidCredentials
      .filter((word) => unauthorizedCallers.every((other) => other !== word))
      .map((word) => makeRefusalStep(word)),
    makeRefusalStep('none', aQuery),
  ],
);

/** Defines a check for each operation of a request with a good header. */
function checkEach(
  word: string,
  run: (header: string, api: Api, operation: Operation) => Promise<unknown>,
): readonly Check[] {
  return operations.map((operation) => {
    const { needs, good } = plainRequests[operation];
    const id = `auth.bearer/${word}-${operation}` as const;
    return check(id, { control: operation, needs }, ({ world, api }) =>
      run(`Bearer ${world.key(good)}`, api, operation),
    );
  });
}

/** Checks that each operation accepts the header's name in another case, as some clients and proxies write it. */
const headerNameChecks: readonly Check[] = (
  [
    ['lower-case', 'authorization'],
    ['capitals', 'AUTHORIZATION'],
  ] as const
).flatMap(([word, name]) =>
  checkEach(`name-in-${word}`, async (header, api, operation) => {
    const call = await api.makePlain(operation, { as: { label: `the header ${name}`, name, header } });
    const because = 'names of headers compare without regard to case';
    await call.expectStatus(plainRequests[operation].success, { because });
  }),
);

/** Checks that each operation takes or refuses a request with two Authorization headers. */
const twoHeaderChecks = checkEach('two-headers', async (header, api, operation) => {
  // In another case, it is a second header.
  const headers = { authorization: header };
  const call = await api.makePlain(operation, { headers, reaches: 'perhaps' });
  // A proxy may join the two, and what stands in front may refuse them in its own words.
  const due = [200, 204, 400, 401];
  const allows = (status: number) => status < 500;
  const { exchange } = await call.sendRaw({ rule: 'auth.bearer', statuses: due, allows });
  if (!isAnswered(exchange))
    throw new NotShown(makeReason('lacking', `an answer to it; ${call.describe(exchange)}`));
  const { status } = exchange.answer;
  call.expect(exchange, 'auth.bearer', {
    ok: allows(status),
    expected: 'a request with two Authorization headers with the same key to be taken or refused',
    actual: String(status),
    mismatch: { wrong: 'status', due },
  });
});

/** Checks that callers whom a read refuses are refused on a regional hostname too. */
const regionalReadChecks: readonly Check[] = (
  [
    ['guardrail-read.management-key-only', 'guardrail-read', 'member'],
    ['guardrail-read.401.missing-key', 'guardrail-read', 'none'],
    ['auth.missing-key', 'key-info', 'none'],
    ['auth.unknown-key', 'key-info', 'unknown'],
  ] as const
).map(([requirement, operation, as]) =>
  check(`${requirement}/regional`, { control: operation, needs: ['regional'] }, async ({ api }) => {
    const call = await api.makePlain(operation, { as, at: 'regional', reaches: 'perhaps' });
    await call.expectAnyRefusal({ because: 'the hostname gives nobody a right' });
  }),
);

/** Checks that a cookie which the server set for a good key does not replace the key. */
const cookieCheck: Check = check('auth.missing-key/with-cookie', { control: 'key-info' }, async ({ api }) => {
  const { answer } = await api.readKey().expectControl(200);
  const set = answer.headers.filter(([name]) => /^set-cookie$/i.test(name));
  const cookies = set.map(([, value]) => value.replace(/;.*/s, '')).join('; ');
  const request = { as: noCredential, headers: cookies === '' ? {} : { Cookie: cookies } };
  await api.readKey(request).expectRefusal(401, { because: 'a cookie is no key' });
});

/** The checks of §5, and of the 401 rows of §7. */
export const authChecks: readonly Check[] = [
  check('auth.bearer', { isControl: true }, ({ api }) => api.readKey().expectStatus(200)),
  ...headerNameChecks,
  ...twoHeaderChecks,
  checkHeadRefusal('auth.missing-key', 'key-info', noCredential),
  cookieCheck,
  checkHeadRefusal('auth.disabled-key', 'key-info', 'disabled'),
  checkHeadRefusal('auth.oauth-session', 'key-info', 'expired_session'),
  checkHeadRefusal('guardrail-read.management-key-only', 'guardrail-read', 'member'),
  checkHeadRefusal('guardrail-read.401.missing-key', 'guardrail-read', noCredential),
  ...regionalReadChecks,
  // The guardrail read is in the opening of a run, where every request counts.
  ...checkEachRefusal({
    requirement: 'auth.other-scheme',
    keeps: 'vault-delete.401.keeps',
    statuses: () => [401],
    requests: (_api, operation) =>
      otherSchemes.slice(0, operation === 'guardrail-read' ? 1 : undefined).map((as) => ({ as })),
  }),
  ...checkEachRefusal({
    requirement: 'auth.oauth-session',
    keeps: 'vault-delete.401.keeps',
    // A guardrail read may get 403 or 404 too, since such a key is no management key either. So may a path with an encoded
    // hyphen get 400 or 404: other requirements judge whether it is decoded.
    statuses: (operation, { spelling }) => [
      ...[401, ...(operation === 'guardrail-read' ? [403, 404] : [])],
      ...(spelling === undefined ? [] : [400, 404]),
    ],
    // Twice, since a server may renew a session that has expired.
    requests: (_api, operation) => [
      { as: 'expired_session', ...fromBrowser },
      { as: 'expired_session', ...(hasIdInPath(operation) ? { spelling: encodedHyphen } : {}) },
    ],
  }),
];

const blockedByCors = 'CORS blocks its origin';

/** The checks of CORS on every operation (§7.3). */
export const corsChecks: readonly Check[] = [
  ...checkEachRefusal({
    requirement: 'inference.400.cors',
    keeps: 'vault-delete.400.keeps',
    because: blockedByCors,
    statuses: () => [400],
    requests: (api) => [{ headers: { ...fromBrowser.headers, Origin: api.blockedOrigin() } }],
  }),
  check('inference.400.cors/of-each-kind', async ({ api, offers }) => {
    const headers = { Origin: api.blockedOrigin() };
    for (const model of ['free', 'paid'] as const)
      for (const stream of offers(`inference:${model}`) ? [false, true] : [])
        await api
          .infer({ model, stream, headers })
          .expectRefusal(400, { because: blockedByCors, continueOnFailure: true });
  }),
];

// ── Refusals over time ──

const secondMs = 1_000;
/** Milliseconds before each round of the same requests. */
const pausesMs: readonly number[] = [0, secondMs, 2 * secondMs, 5 * secondMs];

/**
 * Defines a property of requests that are refused again and again: a server that caches keys must not begin to serve them.
 * A stored secret must outlast them, and a deleted one must not come back.
 */
function checkRepeatedRefusals(
  operation: 'vault-delete' | 'guardrail-read' | 'key-info',
  words: readonly CredentialWord[],
  makePlain: (name: string) => Situation,
): GeneratedCheck {
  const storesSecret = operation === 'vault-delete';
  const plain = makePlain('name');
  const findRequirement = (situation: Situation) => consultOracle(situation).due.requirement;
  return property<readonly number[]>({
    name: `refused-again-${operation}`,
    title: 'What is refused is refused again after 1, 2 and 5 seconds.',
    decides: [
      findRequirement(plain),
      ...words.map((as) => findRequirement({ ...plain, as })),
      ...(storesSecret ? (['vault-delete.401.keeps', 'vault-delete.204.takes-effect'] as const) : []),
    ],
    needs: storesSecret ? ['store', 'role:member'] : [],
    control: operation,
    count: { quick: 0, standard: 0, deep: 1 },
    vaultRequests: storesSecret ? words.length * pausesMs.length + 3 : 0,
    cases: () => ({ walk: [], arbitrary: fc.constant(pausesMs) }),
    classOf: () => 'refusals',
    run: async (pauses, { world, api, offers, signal }) => {
      const { credentials } = listOfferedWords(offers);
      const name = storesSecret ? await world.store('own') : 'name';
      const deleted = storesSecret ? await world.store('own') : 'name';
      if (storesSecret) await api.deleteSecret({ name: deleted }).expectControl(204);
      for (const pauseMs of pauses) {
        await sleep(pauseMs, undefined, { signal });
        for (const as of words.filter((word) => credentials.includes(word))) {
          const situation = { ...makePlain(name), as };
          await makeCall(situation, { world, api }).expectOneOf(consultOracle(situation));
        }
      }
      if (!storesSecret) return;
      await api.expectStillStored({ name }, 'vault-delete.401.keeps');
      await expectGone(api, { name: deleted }, { because: 'it was deleted before these refusals' });
    },
  });
}

export const repeatedProperties: readonly GeneratedCheck[] = [
  checkRepeatedRefusals(
    'vault-delete',
    ['unknown-same-shape', 'disabled', 'provisioning', 'unscoped', 'outsider', 'write_disabled'],
    (name) => makePlainVault(makeValidName(name)),
  ),
  checkRepeatedRefusals('guardrail-read', ['unknown-same-shape', 'member'], () => plainGuardrail),
  checkRepeatedRefusals('key-info', ['unknown-same-shape', 'disabled'], () => plainKey),
];
