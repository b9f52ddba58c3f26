import { invalidCredentials } from '../../generators/credential.js';
import {
  aWord,
  changeDigit,
  cutId,
  type DerivedId,
  idsOfEveryDigit,
  makeUnknown,
  malformedIds,
  misencodedIds,
  misgroupedIds,
} from '../../generators/ids.js';
import {
  aBody,
  anOrigin,
  aQuery,
  extras,
  fromBrowser,
  halfABody,
  listNeeds,
} from '../../generators/inputs.js';
import { type DerivedName, lookAlikes, misencodedNames } from '../../generators/name-catalogue.js';
import { consultOracle } from '../../generators/oracle.js';
import { makeValidName } from '../../generators/secret-name.js';
import { type Extras, type HostWord, makePlainVault } from '../../generators/situation.js';
import { type Check, type CheckId, check } from '../../judge/check.js';
import { isUnreached } from '../../judge/target-claims.js';
import { findKeepsRow } from '../../judge/world-audit.js';
import type { RequirementId } from '../../spec/ledger.js';
import type { Fault } from '../../spec/vocabulary.js';
import { freshName, NotShown } from '../../targets/world.js';
import { storeBystanders } from '../generated/situations.js';
import { expectGone, laterMs, makeCall } from '../requests.js';
import { lateFaults } from '../vault-delete.js';
import {
  batchRefusals,
  batchRefusalsAndWait,
  batchSteps,
  narrowToDue,
  type RefusalCase,
  type Step,
  splitIntoBatches,
  splitRefusals,
} from './batch.js';

// §2.3, §4.1, §5 and §7.1: what the vault delete refuses, also repeatedly and combined with extras.

const host = 'regional';

// Without a known key first: a vault that is down may still serve these, and nothing is sent after its first 503.
const unauthorized: readonly RefusalCase[] = [
  { as: 'none', ...fromBrowser },
  { as: 'unknown' },
  { as: 'unknown-same-shape' },
  { as: 'empty' },
  { as: 'extended' },
  { as: 'truncated' },
  { as: 'provisioning', ...aQuery },
  { as: 'provisioning', ...aBody },
  { as: 'disabled' },
  { as: 'provisioning' },
  { as: 'provisioning', ...fromBrowser },
];

const moreUnauthorized: readonly RefusalCase[] = [
  ...invalidCredentials.filter((word) => unauthorized.every(({ as }) => as !== word)).map((as) => ({ as })),
  // A server may cache a key that it has looked up, without noting that it is disabled.
  { as: 'disabled' },
  { as: 'disabled', ...fromBrowser },
];

const forbidden: readonly RefusalCase[] = [
  { as: 'unscoped', ...aQuery },
  { host, ...aQuery },
  { as: 'unscoped', ...aBody },
  { host },
  { host: 'regional-upper' },
  { as: 'unscoped' },
  { host, ...fromBrowser },
  { as: 'unscoped', ...fromBrowser },
  { host: 'regional-port' },
];

const unknownIntern = makeUnknown('intern');
const makeSimilarInternCase = (place: number): RefusalCase => ({
  id: changeDigit(place),
  requirement: 'vault-delete.404.similar-intern',
});
const makeLegalNameCase = (make: (stored: string) => string): RefusalCase => ({
  name: (stored) => makeValidName(make(stored)),
  requirement: 'secret-name.identity',
});

/** Callers outside the programme, and names that no secret has, similar to the stored one or not. */
const unknown: readonly RefusalCase[] = [
  { as: 'outsider', ...aQuery },
  { of: 'nowhere', ...aBody },
  { as: 'outsider', ...fromBrowser },
  makeSimilarInternCase(35),
  { of: 'nowhere', ...aQuery },
  { as: 'outsider', ...aBody },
  makeSimilarInternCase(0),
  { of: 'nowhere', ...fromBrowser },
  makeLegalNameCase((stored) => `${stored}x`),
  makeLegalNameCase((stored) => stored.slice(0, -1)),
  { id: unknownIntern },
];

/** Secrets that are stored elsewhere, for each intern, those of another workspace included. */
const elsewhere: readonly RefusalCase[] = [
  { intern: 'sibling' },
  { intern: 'own', of: 'sibling' },
  { intern: 'own', of: 'workspace' },
  { intern: 'sibling', of: 'workspace' },
  { intern: 'own', of: 'foreign' },
  { intern: 'sibling', of: 'foreign' },
  { intern: 'foreign', of: 'foreign', ...aQuery },
  { intern: 'foreign', of: 'foreign', ownHasNameToo: true },
  { intern: 'foreign', ...fromBrowser },
  { id: unknownIntern, of: 'sibling' },
  { id: unknownIntern, of: 'workspace' },
  { intern: 'sibling', of: 'sibling', ...makeLegalNameCase((stored) => `${stored.slice(0, -1)}x`) },
];

const encoding = 'vault-delete.400.percent-encoding';
const makeIdCase = (id: DerivedId): RefusalCase => ({
  id,
  ...(id.class === 'ill-encoded' ? { requirement: encoding } : {}),
});
const makeNameCase = (name: DerivedName): RefusalCase => ({ name, requirement: encoding });

const malformedNames: readonly RefusalCase[] = lookAlikes.map((name, at) => ({
  name,
  ...(at === 0 ? fromBrowser : {}),
}));
// Of either kind, the first ones catch the most servers.
const malformedPaths: readonly RefusalCase[] = [
  { ...makeIdCase(cutId), ...fromBrowser },
  ...malformedIds.slice(0, 4).map(makeIdCase),
  ...misencodedNames.slice(0, 2).map(makeNameCase),
];
const moreMalformedPaths: readonly RefusalCase[] = [
  ...[aWord, ...malformedIds.slice(4), ...misgroupedIds, ...misencodedIds].map(makeIdCase),
  ...misencodedNames.slice(2).map(makeNameCase),
];

const moreUnknown: readonly RefusalCase[] = [
  ...[7, 9, 16, 21, 24, 34].map(makeSimilarInternCase),
  { intern: 'foreign', of: 'nowhere' },
  { id: unknownIntern, of: 'foreign' },
  ...idsOfEveryDigit.map((id) => ({ id })),
];

/** Callers that must be refused even after the workspace has served another one, or the key that theirs is made from. */
const refusedCallers = [
  ...(['provisioning', 'unscoped', 'outsider', 'write_disabled', 'disabled', 'unknown'] as const),
  'other-case',
] as const;

/** Faults that refuse a delete even after the workspace has served one. */
const refusingFaults = ['vault_writes_disabled', 'vault_not_configured', 'scope_lookup_failed'] as const;

const afterService = 'Deletes that have to be refused right after another was served.';

/** Refuses a delete right after another was served: a server may cache a permission for more than its owner, or for too long. */
function makeRefusalAfterServiceStep(change: Pick<RefusalCase, 'as' | 'fault'>): Step {
  const situation = { ...makePlainVault(makeValidName('name')), ...change };
  const { fault } = change;
  const answers = consultOracle(situation);
  const keepsRow = findKeepsRow(answers.due.statuses[0]);
  return {
    needs: listNeeds(situation),
    decides: [answers.due.requirement],
    mayDecide: keepsRow === undefined ? [] : [keepsRow],
    run: async ({ world, api }) => {
      const [served, name] = [await world.store('own'), await world.store('own')];
      await api.deleteSecret({ name: served }).expectControl(204);
      if (fault !== undefined) await world.setFaults(fault);
      const call = makeCall(situation, { world, api }, { name });
      const { answer } = await call.expectOneOf(narrowToDue(answers));
      if (fault !== undefined) await world.setFaults();
      if (answer.status >= 300 && keepsRow !== undefined) await api.expectStillStored({ name }, keepsRow);
    },
  };
}

/** The refusals of §2.3, §4.1, §5 and §7.1. */
export const vaultRefusalBatches: readonly Check[] = [
  batchRefusals('vault-delete.401.keeps/chain', [401, unauthorized]),
  batchRefusals('vault-delete.403.keeps/chain', [403, forbidden]),
  batchRefusals('vault-delete.404.keeps/chain', [404, unknown]),
  batchRefusals('vault-delete.404.keeps/chain-elsewhere', [404, elsewhere]),
  ...splitRefusals('vault-delete.400.keeps/chain-of-names', 400, malformedNames),
  batchRefusals('vault-delete.400.keeps/chain-of-paths', [400, malformedPaths]),
  ...splitRefusals('vault-delete.400.keeps/chain-of-more-paths', 400, moreMalformedPaths),
  ...splitRefusals('vault-delete.401.keeps/chain-of-more', 401, moreUnauthorized),
  ...splitRefusals('vault-delete.404.keeps/chain-of-more', 404, moreUnknown),
];

// ── Deletes with nothing wrong, combined with extras, and while a fault is set ──

const deleted: RequirementId = 'vault-delete.204.deleted';
const takesEffect: RequirementId = 'vault-delete.204.takes-effect';
const keeps: RequirementId = 'vault-delete.400.keeps';

interface Delete extends Extras {
  readonly intern: 'own' | 'sibling';
  readonly host?: HostWord;
  /** Whether only a 5xx is a wrong status. After any other, the delete must have done what the status says. */
  readonly hasOpenStatus?: boolean;
}

const deletes: readonly Delete[] = [
  { intern: 'sibling' },
  { intern: 'own', ...anOrigin },
  { intern: 'own', host: 'global-spelled' },
  { intern: 'own', ...aQuery },
  { intern: 'own', ...aBody },
  { intern: 'own', ...halfABody, ...fromBrowser },
];

const makeFaultCases = (fault: Fault): readonly RefusalCase[] => [
  { fault },
  { fault, intern: 'sibling', of: 'sibling', ...fromBrowser },
];
const force = { query: '?force=true' };
const unavailable: readonly RefusalCase[] = [
  { fault: 'vault_writes_disabled', ...fromBrowser },
  { fault: 'vault_not_configured' },
  { fault: 'vault_not_configured', ...fromBrowser },
  { as: 'write_disabled', ...force },
  { as: 'write_disabled' },
  { as: 'write_disabled', ...fromBrowser },
];

// Stored once in every scope, and again at the own intern before each delete.
const nameOfAll = freshName();

// How long to wait for an answer to a body that does not arrive; no answer by then decides nothing.
const stalledForMs = 5_000;

/** Headers that announce a body, by its length or in chunks. */
const announcements = {
  length: { 'Content-Type': 'application/json', 'Content-Length': '64' },
  chunks: { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' },
} as const;

/** Defines a check of deletes with nothing wrong: the secret is gone after a 204, and there after a 400. */
function batchDeletes(id: CheckId, all: readonly Delete[]): Check {
  const steps = all.map(({ intern, hasOpenStatus = false, ...change }): Step => {
    const situation = { ...makePlainVault(makeValidName('name'), intern), ...change };
    const expected = consultOracle(situation);
    const { requirement } = expected.due;
    return {
      needs: [...listNeeds(situation), ...(intern === 'own' ? [] : (['scope:sibling'] as const))],
      // That a delete is possible at all has a check of its own, since it is the positive control.
      decides: [takesEffect, ...(requirement === deleted || hasOpenStatus ? [] : [requirement])],
      // Where a refusal is allowed, it decides too.
      mayDecide: [deleted, keeps, 'vault-delete.400.query', 'vault-delete.400.body'],
      run: async ({ world, api }) => {
        const name = await world.store(intern);
        const makeDelete = () => makeCall(situation, { world, api }, { name });
        const first = hasOpenStatus ? await makeDelete().send('any') : undefined;
        const needsNoJudging = first?.answer !== undefined && first.answer.status < 500;
        const { answer } = needsNoJudging
          ? first
          : await makeDelete().expectOneOf({ ...expected, continueOnFailure: true });
        if (answer?.status === 400) await api.expectStillStored({ intern, name }, keeps);
        if (answer?.status === 204) await expectGone(api, { intern, name }, { continueOnFailure: true });
      },
    };
  });
  const title = 'Deletes with nothing wrong, plain or with extras, one after another.';
  return batchSteps(id, { title, vaultRequests: 2 * all.length }, steps);
}

/**
 * Checks that a body that stops arriving gets 408 before the connection is closed. A server may demand the length of a body
 * (RFC 9110, §15.5.12), or refuse chunks.
 */
function checkStalledBody(id: CheckId, framing: keyof typeof announcements): Check {
  const isChunked = framing === 'chunks';
  const inconclusive = [204, 400, ...(isChunked ? [411, 501] : [])];
  return check(id, async ({ world, api }) => {
    const name = await world.store('own');
    const call = api.deleteSecret({ name, reaches: 'perhaps', headers: announcements[framing] });
    const exchange = await call.sendSlowly({ waitMs: stalledForMs }, [408]);
    const { answer, lost, errorCode, answeredBy } = exchange;
    if (answeredBy !== undefined) throw new NotShown(explainAnsweredBy(answeredBy));
    // A gateway may time out, or lose its connection to the service, before the service answers.
    if (answer !== undefined && isUnreached({ ...answer, body: answer.text }))
      throw new NotShown(
        `${answer.status} without an error envelope: a gateway probably sent it, so it decides nothing`,
      );
    // On an open connection, the answer may come later. A proxy may close one before the service answers, as nginx does.
    if (answer === undefined && (errorCode === undefined || api.isBehindProxy))
      throw new NotShown(`${lost}, which decides nothing`);
    if (answer !== undefined && inconclusive.includes(answer.status))
      throw new NotShown('the target ignores or refuses bodies');
    call.expect(exchange, 'vault-delete.408.timeout', {
      ok: answer?.status === 408,
      expected: '408, since the body stops (400 or 204 where bodies are refused or ignored)',
      actual: answer === undefined ? (lost ?? 'no answer') : String(answer.status),
      mismatch: { wrong: 'status', due: [408] },
    });
  });
}

const explainAnsweredBy = (name: string): string =>
  `${name} answered in place of the service: such an answer decides nothing`;

/** Checks that a body in chunks, all of which arrive, is ignored or refused. */
const inChunks: Check = check('vault-delete.400.body/in-chunks', async ({ world, api }) => {
  const name = await world.store('own');
  const call = api.deleteSecret({ name, reaches: 'perhaps', headers: announcements.chunks });
  const due = [204, 400, 411, 501];
  const exchange = await call.sendSlowly({ waitMs: stalledForMs, rest: '}' }, due);
  const { answer, lost, answeredBy } = exchange;
  if (answeredBy !== undefined) throw new NotShown(explainAnsweredBy(answeredBy));
  call.expect(exchange, 'vault-delete.400.body', {
    ok: answer !== undefined && due.includes(answer.status),
    expected: '204 or 400, since the body is ignored or refused (411 or 501 where chunks are)',
    actual: answer === undefined ? (lost ?? 'no answer') : String(answer.status),
    mismatch: { wrong: 'status', due },
  });
});

/** The successes of §4.1 and the failures of §7.1. */
export const vaultOutcomeBatches: readonly Check[] = [
  batchDeletes('vault-delete.204.takes-effect/chain', deletes),
  ...splitIntoBatches(
    'vault-delete.204.takes-effect/extras',
    // The batch above judges every status of its one query. No waiver of 0.1.0 covers the other queries, so that for these
    // only a 5xx is judged.
    extras.map((one): Delete => ({ intern: 'own', ...one, hasOpenStatus: one.query !== undefined })),
    batchDeletes,
  ),
  inChunks,
  checkStalledBody('vault-delete.408.timeout/stalled-body', 'length'),
  checkStalledBody('vault-delete.408.timeout/stalled-chunks', 'chunks'),
  batchRefusals(
    'vault-delete.500.keeps/chain',
    [429, makeFaultCases('vault_rate_limited')],
    [500, makeFaultCases('scope_lookup_failed')],
  ),
  // Alone, since a server that deletes in spite of its 429 would answer the next request differently.
  batchRefusals('vault-delete.429.keeps/chain', [429, [{ fault: 'vault_rate_limited', ...force }]]),
  batchRefusals('vault-delete.503.keeps/chain', [503, unavailable]),
  batchRefusalsAndWait(
    'vault-delete.503.keeps/later',
    laterMs,
    [401, [{ as: 'provisioning' }]],
    [403, [{ host }, { as: 'unscoped' }]],
    [404, [{ as: 'outsider' }]],
    [429, [{ fault: 'vault_rate_limited' }]],
    [500, [{ fault: 'scope_lookup_failed' }]],
    [503, [{ as: 'write_disabled' }, { fault: 'vault_writes_disabled' }]],
  ),
  batchSteps(
    'vault-delete.408.timeout/chain',
    {
      title: 'Deletes during each fault after which the secret may be gone or not, one after another.',
      runsWithoutOwnNeeds: true,
    },
    lateFaults.map((fault): Step => {
      const { statuses, requirement } = consultOracle({
        ...makePlainVault(makeValidName('name')),
        fault,
      }).due;
      return {
        fault,
        decides: [requirement],
        mayDecide: [deleted],
        run: async ({ world, api, offers }) => {
          // Other secrets of the name must stay; the listing at the end of the world shows whether they do.
          const isListed = offers('inspect') && offers('store:named');
          if (isListed) await storeBystanders({ world, offers }, nameOfAll);
          const name = isListed ? nameOfAll : await world.store('own');
          await api.deleteSecret({ name }).expectStatus(statuses, { requirement, continueOnFailure: true });
        },
      };
    }),
    async ({ world, api }) =>
      api
        .deleteSecret({ name: await world.store('own') })
        .expectStatus(204, { requirement: deleted, because: 'the fault was lifted' }),
  ),
  batchSteps(
    'vault-delete.401.keeps/chain-of-latecomers',
    { title: afterService, vaultRequests: 3 * refusedCallers.length },
    refusedCallers.map((as) => makeRefusalAfterServiceStep({ as })),
  ),
  batchSteps(
    'vault-delete.503.keeps/after-service',
    { title: afterService, runsWithoutOwnNeeds: true },
    refusingFaults.map((fault) => makeRefusalAfterServiceStep({ fault })),
  ),
];
