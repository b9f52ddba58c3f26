import { spoiltCredentials } from '../../generators/credential.js';
import {
  aBody,
  aQuery,
  aWord,
  changeDigit,
  cutId,
  illEncodedIds,
  makeUnknown,
  malformedIds,
  type OddId,
} from '../../generators/inputs.js';
import { illEncodedNames, lookAlikes, type Spoiling } from '../../generators/name-catalogue.js';
import { makeValidName } from '../../generators/secret-name.js';
import type { Check } from '../../judge/check.js';
import { batchRefusals, type RefusalCase, splitIntoBatches } from './batch.js';

// §2.3, §4.1, §5 and §7.1: what the vault delete refuses, again and again, and beside what it may ignore.

const host = 'regional';

// Strangers first: a vault that is down may still let them in, and after its first 503 no more is asked.
const unauthorized: readonly RefusalCase[] = [
  { as: 'none' },
  { as: 'unknown' },
  { as: 'unknown-same-shape' },
  { as: 'empty' },
  { as: 'extended' },
  { as: 'truncated' },
  { as: 'provisioning', ...aQuery },
  { as: 'provisioning', ...aBody },
  { as: 'disabled' },
  { as: 'provisioning' },
  { as: 'provisioning' },
];

/** The other ways to break a header. */
const moreUnauthorized: readonly RefusalCase[] = spoiltCredentials
  .filter((word) => unauthorized.every(({ as }) => as !== word))
  .map((as) => ({ as }));

const forbidden: readonly RefusalCase[] = [
  { as: 'unscoped', ...aQuery },
  { host, ...aQuery },
  { as: 'unscoped', ...aBody },
  { host },
  { host: 'regional-upper' },
  { as: 'unscoped' },
  { host },
  { as: 'unscoped' },
  { host: 'regional-port' },
];

const unknownIntern = makeUnknown('intern');
const similarIntern = (place: number): RefusalCase => ({
  id: changeDigit(place),
  row: 'vault-delete.404.similar-intern',
});
const legalLike = (make: (stored: string) => string): RefusalCase => ({
  name: (stored) => makeValidName(make(stored)),
  row: 'secret-name.identity',
});

/** Who is outside the programme, and names that no secret has: like the stored one, and unlike it. */
const unknown: readonly RefusalCase[] = [
  { as: 'outsider', ...aQuery },
  { of: 'nowhere', ...aBody },
  { as: 'outsider' },
  similarIntern(35),
  { of: 'nowhere', ...aQuery },
  { as: 'outsider', ...aBody },
  similarIntern(0),
  { of: 'nowhere' },
  legalLike((stored) => `${stored}x`),
  legalLike((stored) => stored.slice(0, -1)),
  { id: unknownIntern },
];

/** What is stored elsewhere, seen from either intern, and from another workspace's. */
const elsewhere: readonly RefusalCase[] = [
  { intern: 'sibling' },
  { intern: 'own', of: 'sibling' },
  { intern: 'own', of: 'workspace' },
  { intern: 'sibling', of: 'workspace' },
  { intern: 'own', of: 'foreign' },
  { intern: 'sibling', of: 'foreign' },
  { intern: 'foreign', of: 'foreign', ...aQuery },
  { intern: 'foreign', of: 'foreign' },
  { intern: 'foreign' },
  { id: unknownIntern, of: 'sibling' },
  { id: unknownIntern, of: 'workspace' },
  { intern: 'sibling', of: 'sibling', ...legalLike((stored) => `${stored.slice(0, -1)}x`) },
];

const encoding = 'vault-delete.400.percent-encoding';
const withId = (id: OddId): RefusalCase => ({ id, ...(id.class === 'ill-encoded' ? { row: encoding } : {}) });
const withName = (name: Spoiling): RefusalCase => ({ name, row: encoding });

// The first two of either kind tell most.
const malformedPaths: readonly RefusalCase[] = [
  ...[cutId, ...malformedIds.slice(0, 2)].map(withId),
  ...illEncodedNames.slice(0, 2).map(withName),
];
const moreMalformedPaths: readonly RefusalCase[] = [
  ...[aWord, ...malformedIds.slice(2), ...illEncodedIds].map(withId),
  ...illEncodedNames.slice(2).map(withName),
];

const moreUnknown: readonly RefusalCase[] = [
  ...[7, 9, 16, 21, 24, 34].map(similarIntern),
  { intern: 'foreign', of: 'nowhere' },
  { id: unknownIntern, of: 'foreign' },
];

const [badRequest, notFound] = ['vault-delete.400.keeps', 'vault-delete.404.keeps'] as const;

/** The refusals of §2.3, §4.1, §5 and §7.1. */
export const vaultRefusalBatches: readonly Check[] = [
  batchRefusals('vault-delete.401.keeps/chain', ['vault-delete.401.keeps', unauthorized]),
  batchRefusals('vault-delete.403.keeps/chain', ['vault-delete.403.keeps', forbidden]),
  batchRefusals('vault-delete.404.keeps/chain', [notFound, unknown]),
  batchRefusals('vault-delete.404.keeps/chain-elsewhere', [notFound, elsewhere]),
  ...splitIntoBatches(
    'vault-delete.400.keeps/chain-of-names',
    badRequest,
    lookAlikes.map((name) => ({ name })),
  ),
  batchRefusals('vault-delete.400.keeps/chain-of-paths', [badRequest, malformedPaths]),
  ...splitIntoBatches('vault-delete.400.keeps/chain-of-more-paths', badRequest, moreMalformedPaths),
  ...splitIntoBatches('vault-delete.401.keeps/chain-of-more', 'vault-delete.401.keeps', moreUnauthorized),
  ...splitIntoBatches('vault-delete.404.keeps/chain-of-more', notFound, moreUnknown),
];
